from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.departed import Registered
from ansible.module_utils.kraft.cluster.snapshot import Feature, Snapshot
from ansible.module_utils.kraft.errors import RefusedError, UnreachableError
from ansible.module_utils.kraft.operations.features import upgrade
from ansible.module_utils.kraft.operations.features.admin import FeatureAdmin, Plan
from ansible.module_utils.kraft.operations.features.departures import Departures
from ansible.module_utils.kraft.operations.features.plan import SAFE_DOWNGRADE, UPGRADE, feature_refusals, plan, refused
from ansible.module_utils.kraft.spec.inventory.releases import levels, release_features

from tests.unit.cluster.snapshots import broker, cluster, quorum, voter
from tests.unit.problems import named, values, worded
from tests.wording_files import Wording

MV, ELR = "metadata.version", "eligible.leader.replicas.version"


def node(metadata: int = 30, kraft: int = 1, level: int = 29) -> tuple[Feature, ...]:
    return (Feature(MV, level, 7, metadata), Feature("kraft.version", 0, 0, kraft), Feature(ELR, 0, 0, 1))


def texts(wanted: dict[str, int], **more: bool) -> list[str]:
    return [str(one) for one in feature_refusals(wanted, {1: node(), 2: node(29)}, **more)]


def test_what_is_finalised_already_needs_nothing() -> None:
    assert plan({MV: 29, ELR: 0}, node()) == ()
    assert texts({MV: 29}) == []


def test_all_but_kraft_version_go_in_one_request(wording: Wording) -> None:
    batches = plan({"kraft.version": 1, MV: 30, ELR: 1}, node())
    assert [named(batch) for batch in batches] == [[[ELR, "0", "1"], [MV, "29", "30"]], [["kraft.version", "0", "1"]]]
    wording(str(one) for batch in batches for one in batch)
    assert {one.kind for batch in batches for one in batch} == {UPGRADE}


def test_a_broker_that_cannot_is_named_with_what_to_do(wording: Wording) -> None:
    assert named(texts({MV: 30})) == [["2", MV, "7", "29", "30", "playbooks/upgrade_cluster.yml"]]
    wording(texts({MV: 30}))


def test_a_broker_that_does_not_know_a_feature_is_named(wording: Wording) -> None:
    found = feature_refusals({ELR: 1}, {1: node(), 2: node()[:2]})
    assert named(found)[0][:3] == ["2", ELR, "1"]
    wording(worded(found))


def test_down_only_when_asked_and_then_only_safely(wording: Wording) -> None:
    assert [one[-2:] for one in named(one.partition(" ->")[0] for one in texts({MV: 25}))] == [["29", "25"]]
    wording(texts({MV: 25}))
    assert texts({MV: 25}, allow_downgrade=True) == []
    assert plan({MV: 25}, node())[0][0].kind == SAFE_DOWNGRADE


def test_a_feature_that_no_one_knows_is_refused_with_the_nearest_name() -> None:
    assert "did you mean metadata.version?" in texts({"metadata.versoin": 30})[0]


def test_kafkas_refusal_comes_with_every_broker_that_is_away(wording: Wording) -> None:
    changes = plan({MV: 30}, node())[0]
    found = refused(changes, "Broker 7 only supports versions 7-29", [broker(1), broker(7, fenced=True)])
    assert {MV, "30", "Broker", "7", "7-29"} <= values(str(found[0]))
    wording(worded(found))
    assert "brokers 7 are registered but unavailable" in str(found[1])
    assert "kafka_registration" in str(found[1])
    assert len(refused(changes, "no", [broker(1)])) == 1


def test_a_release_stands_for_levels_and_never_for_kraft_version() -> None:
    assert release_features("4.3")[MV] == 30
    assert release_features("4.3.1") == release_features("4.3")
    assert ELR not in release_features("4.0")
    assert all("kraft.version" not in release_features(one) for one in levels())
    assert levels()["4.3"]["kraft.version"] == 1


@pytest.mark.parametrize("release", ["", "9.9", "latest", "4"])
def test_a_release_that_is_not_known_is_refused_with_those_that_are(release: str) -> None:
    with pytest.raises(RefusedError, match=r"\(3\.3, .*, 4\.4\)"):
        release_features(release)


@pytest.mark.parametrize(
    ("version", "level", "rule", "known"),
    [
        ("4.3.1", 29, "", set()),
        ("4.2.1", 29, "", set()),
        ("4.2.1", 30, "finalised_newer", {"4.2.1", MV, "29", "30", "4.3"}),
        ("4.4.0", 34, "finalised_newer", {"34", "newer"}),
        ("4.3.1", 6, "finalised_older", {MV, "6", "4.3.1", "7", "3.9"}),
        ("9.0.0", 29, "release_unknown", {"3.3", "4.3"}),
    ],
)
def test_a_release_that_does_not_read_what_is_finalised_is_refused(
    version: str, level: int, rule: str, known: set[str], wording: Wording
) -> None:
    found = upgrade.upgrade_refusals(version, [{"name": MV, "level": level}])
    assert [one.rule for one in found] == [rule] * bool(rule)
    assert known <= values(" ".join(str(one) for one in found))
    wording(worded(found))


def test_a_registration_is_not_renewed_while_its_controller_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Departures, "registered", lambda *_: (Registered(8, "kafka8", 9093),))
    late, gone = (
        cluster(leader=dataclasses.replace(quorum(1), observers=(voter(8, behind, 6),))) for behind in (3_000, 60_000)
    )
    with Client({"bootstrap_servers": []}) as client:
        departures = Departures(client, {1: "kafka1:9093"})
        assert [one.node_id for one in departures.find_departed(gone)] == [8]
        with pytest.raises(UnreachableError, match=r"controller 8 .* may still run"):
            departures.find_departed(late)


def test_levels_that_no_broker_shows_are_not_known_to_be_finalised(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = iter([{}, {}, {1: node(level=30)}])
    monkeypatch.setattr(FeatureAdmin, "observe", lambda _: (cluster(), next(seen)))
    monkeypatch.setattr(FeatureAdmin, "update", lambda *_, **__: "")
    with Client({"bootstrap_servers": []}) as client:
        changes = plan({MV: 30}, node())
        FeatureAdmin(client, 60.0, sleep=lambda _: None).apply(Plan(changes, (), (), cluster(), ()))
    assert list(seen) == []


@pytest.mark.parametrize(("level", "dropped"), [(0, None), (29, []), (33, [8])])
def test_a_registration_is_kept_or_dropped_only_by_a_known_level(
    monkeypatch: pytest.MonkeyPatch, level: int, dropped: list[int] | None
) -> None:
    features = node(33, level=level)
    monkeypatch.setattr(Departures, "find_departed", lambda *_: (Registered(8, "kafka8", 9093),))
    monkeypatch.setattr(FeatureAdmin, "observe", lambda _: (Snapshot("x", features=features), {1: features}))
    with Client({"bootstrap_servers": []}) as client:
        admin = FeatureAdmin(client, 1.0)
        if dropped is None:
            with pytest.raises(UnreachableError, match=MV):
                admin.planned({}, False)
        else:
            assert [one.node_id for one in admin.planned({}, False).dropped] == dropped
