"""The way back after a switch, from values alone: its start, MirrorMaker's settings, and the messages."""

from __future__ import annotations

import dataclasses
import json

from ansible.module_utils.kraft.operations.mirror import kept, mirror_properties, plan, positions, progress
from ansible.module_utils.kraft.operations.mirror.model import Source, Target, Topic
from ansible.module_utils.kraft.operations.mirror.observe import Seen
from ansible.module_utils.kraft.spec.desired.mirror import Wanted

WANTED = Wanted("old", ("old1:9092",), topics=("orders.*",), groups=("billing",))
HERE = Topic({0: (0, 12), 1: (5, 5)})
SEEN = Seen(
    Source("here", {"orders": HERE}, ("billing",), {"billing": {("orders", 0): 8}}),
    Target("there", {"orders": Topic({0: (0, 9), 1: (0, 0)})}, frozenset({"orders"})),
    {("orders", 0): 10, ("orders", 1): 5},
    {},
    back=True,
)


def test_positions_are_what_connect_itself_would_keep() -> None:
    """Its keys are compared letter by letter: names in this order, and no blanks."""
    key, value = kept.position("target", ("orders", 1), 5)
    assert key == b'["MirrorSourceConnector",{"cluster":"target","partition":1,"topic":"orders"}]'
    assert value == b'{"offset":4}'
    written = positions.records({"orders": {"0": 12, "1": 0}})
    assert kept.copied(written) == {("orders", 0): 12, ("orders", 1): 0}


def test_what_has_other_records_since_the_proof_is_looked_at() -> None:
    assert positions.grown({"orders": HERE}, {"orders": {"0": 12, "1": 5}}) == {}
    assert positions.grown({"orders": HERE}, {"orders": {"0": 10, "1": 5}}) == {("orders", 0): 10}
    assert positions.grown({"orders": HERE}, {}) == {("orders", 0): 0, ("orders", 1): 5}


def test_only_topics_of_the_copy_go_back_and_the_source_keeps_its_settings() -> None:
    given = mirror_properties.back(WANTED, mirror_properties.Size(2, 512), 1, ["orders.b", "orders-a"])
    assert given["topics"] == r"orders-a,orders\.b"
    assert (given["target->old.enabled"], given["old->target.enabled"]) == ("true", "false")
    assert given["target.consumer.isolation.level"] == "read_committed"
    assert given["old.exactly.once.source.support"] == "enabled"
    assert given["sync.topic.configs.enabled"] == given["sync.topic.acls.enabled"] == "false"
    assert given["sync.group.offsets.enabled"] == "true"
    assert {given[name] for name in mirror_properties.REPLICATED} == {"1"}


def test_a_copy_from_the_source_is_refused_from_then_on() -> None:
    [problem] = plan.answer_back(WANTED, SEEN.source)["problems"]
    assert "go back to old" in problem
    assert "kafka_mirror_back=true" in problem


def test_the_way_back_is_at_work_when_a_task_runs() -> None:
    done = dataclasses.replace(SEEN, copied={("orders", 0): 12, ("orders", 1): 5})
    assert progress.copies(done, done)
    assert not progress.copies(done, dataclasses.replace(done, works=False))
    running = json.dumps({"state": "RUNNING"}).encode()
    assert kept.works([(b"status-task-MirrorSourceConnector-0", running)])
    assert not kept.works([(b"status-task-MirrorCheckpointConnector-0", running)])
    assert not kept.works([(b"status-connector-MirrorSourceConnector", running)])


def test_its_status_says_which_way_records_go() -> None:
    said = progress.screen(SEEN)
    assert said[0] == "Clients have switched: new records go back to the source"
    assert "  topic orders: 2 records" in said
    assert "  group billing: 4 here, 0 there, 1 partitions are not translated yet" in said
    assert progress.answer(SEEN)["ends"]["source"] == {"orders": {"0": 12, "1": 5}}
