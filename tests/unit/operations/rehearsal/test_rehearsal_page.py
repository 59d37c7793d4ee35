"""The page of a rehearsal, and what it predicts."""

from __future__ import annotations

import copy
from typing import Any

from ansible.module_utils.kraft.operations.rehearsal import asked, page
from ansible.module_utils.kraft.operations.rehearsal.trial import barred_by

REFUSAL = "Kafka refuses metadata.version 33: InvalidUpdateVersion: Broker 9 only supports versions 7-29"
STEPS = ["raise metadata.version 29 -> 33"]
RESULT: dict[str, Any] = {
    "topics": 2000,
    "copied_bytes": 3_400_000,
    "before": {"metadata.version": 29, "kraft.version": 1},
    "after": {"metadata.version": 33, "kraft.version": 1},
    "attempts": [{"without": None, "steps": STEPS, "refusals": []}],
    "ghost_brokers": [],
    "ghost_controllers": [],
    "unknown_settings": [],
    "refused_topics": {},
    "added_broker": 10,
    "seconds": {"start": 12.5},
}
DESCRIBED = {"name": "demo", "version": "4.4.0"}
SNAPSHOT: dict[str, Any] = {"cluster_id": "a3JhZnR3cmlnaHQtZGVtbw", "brokers": [], "quorum": None}


def lines(**changes: Any) -> tuple[list[str], list[str]]:
    result = {**copy.deepcopy(RESULT), **changes}
    about = asked.about(result, DESCRIBED, SNAPSHOT, "k1")
    return page.page(result, about), page.refusals(result, about)


def test_a_clean_cluster_is_predicted_to_succeed() -> None:
    found, refusals = lines()
    assert refusals == []
    assert "  metadata.version: 29 -> 33" in found
    assert not any("kraft.version" in one or "REFUSED" in one for one in found)
    assert "Ghosts: none." in found
    assert "Finalisation: succeeds" in found


def test_the_refusal_of_the_first_attempt_is_that_of_the_real_run() -> None:
    attempts = [
        {"without": None, "steps": [], "refusals": [REFUSAL]},
        {"without": 9, "steps": STEPS, "refusals": []},
    ]
    found, refusals = lines(attempts=attempts, ghost_brokers=[{"node_id": 9, "minimum": 7, "maximum": 29}])
    assert refusals == [REFUSAL]
    assert "Finalisation: REFUSED" in found
    assert "Finalisation without the registration of broker 9: succeeds" in found
    [ghost] = [one for one in found if one.startswith("  broker 9 ")]
    assert "bars 33" in ghost


def test_a_ghost_that_supports_the_release_bars_nothing() -> None:
    found, _ = lines(ghost_controllers=[{"node_id": n, "minimum": 7, "maximum": top} for n, top in ((8, 33), (7, 30))])
    ghosts = [one.strip() for one in found if one.startswith("  controller")]
    assert ["bars nothing" in one for one in ghosts] == [True, False]


def test_a_departed_controller_that_runs_is_refused() -> None:
    observer = {"node_id": 8, "directory_id": "", "log_end_offset": 9, "lag": 0}
    observer |= {"last_caught_up_ms": 0, "last_fetch_ms": 0, "behind_ms": 0}
    quorum = {"leader_id": 1, "leader_epoch": 1, "high_watermark": 9, "voters": [], "observers": [observer]}
    result = {**RESULT, "ghost_controllers": [{"node_id": 8, "minimum": 7, "maximum": 33}]}
    about = asked.about(result, DESCRIBED, {**SNAPSHOT, "quorum": quorum}, "k1")
    assert [one.split()[1] for one in page.refusals(result, about)] == ["8"]
    assert any("REFUSED" in one for one in page.page(result, about))


def test_an_unknown_setting_is_named_with_the_releases_that_knew_it() -> None:
    unknown = [
        {"kind": "broker", "name": "", "settings": ["group.share.enable"]},
        {"kind": "topic", "name": "orders", "settings": ["made.up"]},
    ]
    found, _ = lines(unknown_settings=unknown, refused_topics={"orders": "InvalidConfig: Unknown topic config name"})
    [dropped] = [one for one in found if "group.share.enable" in one]
    assert "4.2.1" in dropped
    assert "4.3.1" not in dropped
    assert "share.version" in dropped
    assert any("orders" in one and "made.up" in one and "unknown to every release" in one for one in found)
    assert any("orders" in one and "Unknown topic config name" in one for one in found)


def test_a_page_names_ten_resources_at_most() -> None:
    unknown = [{"kind": "topic", "name": f"t{one}", "settings": ["made.up"]} for one in range(12)]
    found, _ = lines(unknown_settings=unknown)
    assert sum("made.up" in one for one in found) == page.NAMED
    assert any("2 more" in one for one in found)


def test_known_settings_are_those_of_the_release() -> None:
    assert "group.share.enable" in page.known_settings("4.2.1")["broker"]
    assert "group.share.enable" not in page.known_settings("4.4.0")["broker"]
    assert "leader.replication.throttled.rate" in page.known_settings("4.4.0")["broker"]
    assert "max.decompressed.message.bytes" in page.known_settings("4.4.0")["topic"]


def test_the_module_gets_voters_with_the_directory_ids_of_the_quorum() -> None:
    listener = {"name": "CTRL", "purpose": "controller"}
    desired = {
        "cluster": {
            "cluster_id": "id",
            "quorum": "dynamic",
            "controllers": [{"node_id": 1, "address": "k1:9093"}, {"node_id": 2, "address": "k2:9093"}],
            "broker_ids": [1],
        },
        "nodes": {"k1": {"listeners": [{"name": "CLIENT", "purpose": "client"}, listener]}},
    }
    brokers = [{"host": "k1", "port": 9092}, {"host": "fd00::1", "port": 9092}]
    snapshot = {"brokers": brokers, "quorum": {"voters": [{"node_id": 1, "directory_id": "dir"}]}}
    found = asked.cluster(desired, snapshot)
    assert found["listener"] == "CTRL"
    assert [one["directory_id"] for one in found["controllers"]] == ["dir", ""]
    assert found["addresses"] == ["[fd00::1]:9092", "k1:9092", "k1:9093", "k2:9093"]


def test_the_node_that_bars_is_read_from_kafkas_words() -> None:
    assert barred_by([REFUSAL]) == ("Broker", 9)
    assert barred_by(["x", "Controller 8 only supports versions 7-29"]) == ("Controller", 8)
    assert barred_by(["something else"]) is None
