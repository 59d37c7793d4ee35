"""Client libraries whose leader dies while its followers are behind: acks=all keeps every record, acks=1 does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.client_faults import FAULTS, QUICK, Runs, commands
from tests.integration.kafka_cluster import KafkaCluster


@pytest.mark.later
def test_acks_all_keeps_what_acks_one_loses(tmp_path: Path) -> None:
    cluster = KafkaCluster.start(tmp_path / "cluster", properties=QUICK)
    try:
        runs, fault = Runs(cluster, tmp_path, commands(tmp_path)), next(one for one in FAULTS if "behind" in one.name)
        rows = runs.rows(fault)
        if any(row.acks == "1" and not row.account.lost for row in rows):
            again = runs.rows(fault)  # a client that was held up while the followers were behind had nothing to lose
            rows = [row for row in rows if row.acks == "all"] + [row for row in again if row.acks != "all"]
    finally:
        cluster.stop()
    found = {(row.client, row.acks): row.account for row in rows}
    assert len(found) == 9
    assert {
        key: one for key, one in found.items() if key[1] == "all" and (one.lost or one.twice or not one.acked)
    } == {}
    assert [key for key, one in found.items() if key[1] == "1" and not one.lost] == []
