"""The probe: a client that works through an operation, and the account of what it felt.

    client side      records, events, settings, producing, consuming, watching, client, process, topic
    Spark's side     reconcile (lost, duplicated, reordered), stalls, series, audit
    pure in between  steps (which step a stall belongs to), verdict (what it comes to, in words)

``python -m spark_jobs.probe start|stop|audit --config probe.json``; role ``kafka_probe`` calls it.
"""
