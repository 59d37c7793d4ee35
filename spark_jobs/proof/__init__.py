"""The proof of a copy: both sides of each topic are read, and every record is accounted for.

    python -m spark_jobs.proof --config proof.json

Offsets differ after a copy, so records are paired by their content and by their order, partition by partition.
``fingerprints`` finds where two partitions differ, in one pass over both sides. Only the stretch that differs is read
record by record: ``alignment``, ``pairing`` and ``unmatched_records`` are pure and classify each.
"""
