"""The plan of a deployment: stable, without secrets, and another one whenever something that counts is another."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.deployment import document
from ansible.module_utils.kraft.operations.deployment.comparison import moved, outdated
from ansible.module_utils.kraft.operations.deployment.plan import changes, deployment_plan

DESIRED = {"cluster": {"name": "logs", "cluster_id": "a3JhZnR3cmlnaHQtZGVtbw"}}
PROPERTIES = "/opt/kafka/next/server.properties"


def looked(**changed: Any) -> dict[str, Any]:
    """A host on which nothing is to be done, but for what a test gives."""
    host: dict[str, Any] = {
        "facts": {
            "current_release": "4.3.1",
            "service": {"pid": 7},
            "java": {"version": 17},
            "user": {"name": "kafka", "exists": True},
            "group": {"name": "kafka", "exists": True},
            "disks": {},
            "steps": {"release": {"changed": False}, "appcds_archive": {"changed": True, "wanted": {}}},
        },
        "process": {"actions": [], "differences": [], "diff": [], "secret_digests": {}},
    }
    for place, value in changed.items():
        where, _, key = place.partition("__")
        host[where][key] = value
    return host


def plan(live: Any = (), batches: Any = (), **hosts: dict[str, Any]) -> dict[str, Any]:
    return deployment_plan(DESIRED, hosts or {"k1": looked()}, live, batches)


def batch(*hosts: str) -> dict[str, Any]:
    return {"node_ids": [], "nodes": [{"host": host} for host in hosts]}


def edited(before: str, after: str) -> dict[str, str]:
    return {"before_header": PROPERTIES, "after_header": PROPERTIES, "before": before, "after": after}


def difference(**values: Any) -> dict[str, Any]:
    return {"file": "server.properties", "key": "num.io.threads", "old": "8", "new": "9", "secret": False, **values}


def override(**values: str | None) -> dict[str, Any]:
    """A live change of broker 1."""
    return {
        "type": "broker",
        "name": "1",
        "config": {"num.io.threads": {"effective": "8", "old": None, "new": "9", **values}},
    }


LEAVES = [f"live > broker 1 > num.io.threads > {each}" for each in ("effective", "new", "old")]
CHANGED: dict[str, dict[str, Any]] = {
    "a file": {"process__diff": [edited("a=1\n", "a=2\n")]},
    "a secret in a file": {"process__secret_digests": {PROPERTIES: "00ff"}},
    "a start": {"process__actions": ["start"]},
    "a difference": {"process__differences": [difference()]},
    "a certificate of a node": {
        "facts__steps": {
            "certificate": {"changed": True, "wanted": {"directory": "/opt/kafka/tls", "node": {"host": "k1"}}}
        }
    },
    "a step": {"facts__steps": {"release": {"changed": True, "wanted": {"version": "4.3.1"}}}},
    "java": {"facts__java": None},
    "an account": {"facts__user": {"name": "kafka", "exists": False}},
    "a disk": {"facts__disks": {"/dev/sdb": {"mounts": []}}},
    "the process that was found": {"facts__service": {"pid": 0}},
    "the release that was found": {"facts__current_release": "4.2.0"},
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=list(CHANGED))
def test_another_state_or_wish_is_another_plan(changed: dict[str, Any]) -> None:
    approved, fresh = plan(k1=looked(), k2=looked()), plan(k1=looked(), k2=looked(**changed))
    assert {each.host for each in moved(approved, fresh)} == {"k2"}
    assert {each.rule for each in moved(approved, fresh)} == {"plan_moved"}
    assert moved(fresh, fresh) == moved(approved, approved) == []


def test_another_live_change_or_restart_is_another_plan() -> None:
    assert [each.variable for each in moved(plan(), plan(live=[override()]))] == LEAVES
    assert [each.variable for each in moved(plan(batches=[batch("k1")]), plan())] == ["restarts"]


def test_a_removal_that_is_in_one_plan_alone_is_another_plan() -> None:
    removed = plan(live=[override(old="9", new=None)])
    for approved, fresh in ((plan(), removed), (removed, plan())):
        assert [each.variable for each in moved(approved, fresh)] == LEAVES
    assert [each.variable for each in outdated(plan(), removed, {})] == LEAVES
    assert moved(removed, removed) == []


@pytest.mark.parametrize("values", [{"effective": "16"}, {"old": "16"}, {"new": "12"}, {"new": None}])
def test_a_live_change_that_replaces_another_value_is_another_plan(values: dict[str, str | None]) -> None:
    (found,) = outdated(plan(live=[override()]), plan(live=[override(**values)]), {})
    assert found.variable == f"live > broker 1 > num.io.threads > {next(iter(values))}"


def test_same_state_gives_the_same_bytes_in_whatever_order_it_was_found() -> None:
    one = plan(k1=looked(), k2=looked(), batches=[batch("k2"), batch("k1")])
    other = plan(k2=looked(), k1=looked(), batches=[batch("k1"), batch("k2")])
    assert document.text(one) == document.text(other)


def test_archive_that_only_makes_starts_faster_is_no_part_of_it() -> None:
    assert plan()["hosts"]["k1"]["steps"] == {}
    assert not changes(plan())


@pytest.mark.parametrize("name", ["a file", "a start", "a step", "java", "an account", "a disk"])
def test_work_is_seen(name: str) -> None:
    assert changes(plan(k1=looked(**CHANGED[name])))


def test_live_change_and_restart_are_work() -> None:
    assert changes(plan(batches=[batch("k1")]))
    assert changes(plan(live=[{"type": "broker", "name": "", "config": override(new=None)["config"]}]))


def test_secret_override_is_hidden() -> None:
    secret = {"effective": "c4n4ry", "old": None, "new": "c4n4ry-too"}
    live = [{"type": "broker", "name": "", "config": {"ssl.keystore.password": secret, **override()["config"]}}]
    assert plan(live=live)["live"] == {
        "all brokers": {
            "num.io.threads": {"effective": "8", "old": None, "new": "9"},
            "ssl.keystore.password": {"effective": "(hidden)", "old": None, "new": "(hidden)"},
        },
    }


def test_lines_that_look_like_a_diffs_header_are_kept() -> None:
    made = plan(k1=looked(process__diff=[edited("-- a\n", "++ b\n")]))
    assert made["hosts"]["k1"]["files"][PROPERTIES] == ["@@ -1 +1 @@", "--- a", "+++ b"]


def test_of_two_lists_only_what_differs_is_told() -> None:
    old, new = (looked(process__diff=[edited("a=1\nb=1\n", f"a=2\nb={each}\n")]) for each in (2, 3))
    (told,) = moved(plan(k1=old), plan(k1=new))
    assert (told.variable, "b=2" in told.message, "b=3" in told.message) == (f"files > {PROPERTIES}", True, True)
    assert "a=2" not in told.message


def test_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    made, path = plan(), tmp_path / "plan.json"
    path.write_text(document.text(made))
    assert document.read(path) == made
    assert document.fault(path, DESIRED["cluster"]["cluster_id"]) == ""


def spoiled(**changed: Any) -> str:
    return json.dumps({**copy.deepcopy(plan()), **changed})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"plan": 1}',
        spoiled(format=1),
        spoiled(format=2),
        spoiled(resources=None),
        spoiled(cluster=None),
        spoiled(hosts=None),
        "\udcff",
    ],
)
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RefusedError):
        document.read(path)
    assert document.fault(path, DESIRED["cluster"]["cluster_id"])


def test_plan_of_another_cluster_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(document.text(plan()))
    fault = document.fault(path, "AAAAAAAAAAAAAAAAAAAAAA")
    assert "a3JhZnR3cmlnaHQtZGVtbw" in fault
    assert "AAAAAAAAAAAAAAAAAAAAAA" in fault


@pytest.mark.parametrize(
    ("values", "plans", "faulty"),
    [
        ({}, True, set()),
        ({"kafka_plan_file": "", "kafka_approved_plan": ""}, False, set()),
        ({"kafka_plan_file": "{here}/plan.json"}, True, set()),
        ({"kafka_plan_file": "~/plan.json"}, True, set()),
        ({"kafka_plan_file": "~/a", "kafka_approved_plan": "{here}/a"}, True, {"kafka_plan_file"}),
        ({"kafka_plan_file": "{here}"}, True, {"kafka_plan_file"}),
        ({"kafka_plan_file": "~nobody-of-this-name/plan.json"}, True, {"kafka_plan_file"}),
        ({"kafka_plan_file": "{here}/missing/plan.json"}, True, {"kafka_plan_file"}),
        ({"kafka_approved_plan": "{here}/missing.json"}, True, {"kafka_approved_plan"}),
        ({"kafka_plan_file": "{here}/plan.json"}, False, {"kafka_plan_file"}),
        ({"kafka_plan_file": "{here}/a", "kafka_approved_plan": "{here}/../{name}/a"}, True, {"kafka_plan_file"}),
        ({"kafka_plan_file": "a", "kafka_approved_plan": "b"}, False, {"kafka_plan_file", "kafka_approved_plan"}),
    ],
)
def test_faulty_variables_are_named(
    values: dict[str, str], plans: bool, faulty: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    given = {name: value.format(here=tmp_path, name=tmp_path.name) for name, value in values.items()}
    assert set(document.faults(given, plans)) == faulty
