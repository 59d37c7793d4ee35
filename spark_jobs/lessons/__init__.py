"""Lessons: sentences of the textbook, each with an experiment on this cluster and a figure measured in it.

    pure     sentences (claims, and what observations make of them), measured (verdict, figure, bars), timing
    effects  lab (the cluster through its clients), nodes (signals to nodes), flow (records meanwhile), experiments
    host     on_tmp: one file, runs on a host without the project

``python -m spark_jobs.lessons --config lessons.json`` runs them; ``playbooks/lessons.yml`` does so on the demo.
"""
