"""Topics of smoke tests that were killed are named, with the command that deletes them; no other topic ever is."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone

import pytest
from ansible.module_utils.kraft.status.smoke_topics import left_over

from plugins.action import kafka_report
from tests.unit.cluster.snapshots import cluster, partition, topic
from tests.wording_files import Wording

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=timezone.utc)
OLD = "kraftwright-smoke-261126T1159abc2x"


def noted(*names: str) -> str:
    return left_over(cluster(*(topic(one, partition(0, [1])) for one in names)).to_dict(), NOW, "-i inventories/mine")


def test_a_topic_of_a_run_of_yesterday_is_named_with_its_command(wording: Wording) -> None:
    said = noted(OLD, "orders")
    assert "apply_resources.yml" in said
    (given,) = re.findall(r"-e '(\{.*\})'", said)
    assert json.loads(given) == {"kafka_topics": [{"name": OLD, "state": "absent"}], "kafka_delete_topics": [OLD]}
    wording([said])


@pytest.mark.parametrize(
    "name",
    [
        "kraftwright-smoke-261126T1201abc2x",  # less than a day ago: its run may go on
        "kraftwright-smoke-261128T1200abc2x",  # another machine's clock
        "kraftwright-smoke-261332T1159abc2x",  # no date
        "kraftwright-smoke-261126T1159abc2",
        "kraftwright-smoke-261126T1159abc2xy",
        "kraftwright-smoke-261126T1159ABC2X",
        "my-kraftwright-smoke-261126T1159abc2x",
        "kraftwright-smoke-orders",
        "orders-261126T1159abc2x",
        "kraftwright-smoke-261126T1159abc2x\n",
    ],
)
def test_no_other_topic_is_named(name: str) -> None:
    assert noted(name) == ""


def test_where_topics_are_not_known_nothing_is_said() -> None:
    assert left_over(None, NOW) == ""
    assert left_over({**cluster().to_dict(), "topics": None}, NOW) == ""


def test_a_run_makes_names_of_the_form_that_is_looked_for() -> None:
    name = f"kraftwright-smoke-{kafka_report.run_id()}"
    found = cluster(topic(name, partition(0, [1]))).to_dict()
    assert name in left_over(found, datetime.now(timezone.utc) + timedelta(days=2))
