"""All client libraries under all faults: what docs/clients.md has as a table."""

from __future__ import annotations

from pathlib import Path

from tests.integration.client_faults import FAULTS, QUICK, Runs, commands
from tests.integration.kafka_cluster import KafkaCluster
from tests.long.environments import installed
from tests.long.lab_hosts import ROOT


def test_no_library_loses_with_acks_all_and_each_loses_with_acks_one(tmp_path: Path) -> None:
    python = installed(ROOT / "requirements/samples/clients.lock", tmp_path) / "python"
    programs = commands(tmp_path, str(python))
    assert programs.keys() == {"kafka-python", "confluent-kafka", "aiokafka", "Java"}
    cluster = KafkaCluster.start(tmp_path / "cluster", properties=QUICK)
    try:
        runs = Runs(cluster, tmp_path, programs)
        rows = [row for fault in FAULTS for row in runs.rows(fault)]
    finally:
        cluster.stop()
    kept = [row for row in rows if row.acks == "all"]
    assert [row for row in kept if row.account.lost or row.account.twice or not row.account.acked] == []
    ahead = [row for row in rows if row.acks == "1" and "behind" in row.fault]
    assert {row.client for row in ahead if row.account.lost} == programs.keys()
