"""Ranges of the numbers of our own clients: variable -> the least and the most. Zero partitions: two for each broker.

Source: ``LIMITS`` of ``spark_jobs/config.py`` and ``spark_jobs/probe/settings.py``; a test compares.
"""

from __future__ import annotations

OF_SMOKE = "kafka_smoke_"  #: how the smoke test's variables begin
WEEK = 7 * 24 * 3600
SMOKE = {
    "kafka_smoke_records": (1, 999_999_999_999),
    "kafka_smoke_record_bytes": (85, 1_000_000),
    "kafka_smoke_partitions": (0, 10_000),
    "kafka_smoke_timeout": (1, WEEK),
}
PROBE = {
    "kafka_probe_rate": (1, 20_000),
    "kafka_probe_record_bytes": (39, 100_000),
    "kafka_probe_partitions": (0, 99_999),
    "kafka_probe_longest": (1, WEEK),
    "kafka_probe_ready_timeout": (1, 600),
}
