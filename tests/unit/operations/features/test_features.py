from __future__ import annotations

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Feature
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.features import upgrade
from ansible.module_utils.kraft.operations.features.plan import SAFE_DOWNGRADE, UPGRADE, plan, problems, refused
from ansible.module_utils.kraft.spec.inventory.releases import levels, release_features

from tests.unit.cluster.snapshots import broker

MV, ELR = "metadata.version", "eligible.leader.replicas.version"


def node(metadata: int = 30, kraft: int = 1, level: int = 29) -> tuple[Feature, ...]:
    return (Feature(MV, level, 7, metadata), Feature("kraft.version", 0, 0, kraft), Feature(ELR, 0, 0, 1))


def texts(wanted: dict[str, int], **more: bool) -> list[str]:
    return [str(one) for one in problems(wanted, {1: node(), 2: node(29)}, **more)]


def test_what_is_finalised_already_needs_nothing() -> None:
    assert plan({MV: 29, ELR: 0}, node()) == ()
    assert texts({MV: 29}) == []


def test_all_but_kraft_version_go_in_one_request() -> None:
    batches = plan({"kraft.version": 1, MV: 30, ELR: 1}, node())
    assert [[str(one) for one in batch] for batch in batches] == [
        ["raise eligible.leader.replicas.version 0 -> 1", "raise metadata.version 29 -> 30"],
        ["raise kraft.version 0 -> 1"],
    ]
    assert {one.kind for batch in batches for one in batch} == {UPGRADE}


def test_a_broker_that_cannot_is_named_with_what_to_do() -> None:
    assert texts({MV: 30}) == [
        "broker 2: metadata.version: supports 7 to 29, and the requested level is 30 "
        "-> upgrade the broker first (playbooks/upgrade_cluster.yml)"
    ]


def test_a_broker_that_does_not_know_a_feature_is_named() -> None:
    found = problems({ELR: 1}, {1: node(), 2: node()[:2]})
    assert [str(one).partition(" ->")[0] for one in found] == [
        f"broker 2: {ELR}: does not know it, and the requested level is 1"
    ]


def test_down_only_when_asked_and_then_only_safely() -> None:
    assert "is finalised at 29, and the requested level is 25 -> leave it" in texts({MV: 25})[0]
    assert texts({MV: 25}, allow_downgrade=True) == []
    assert plan({MV: 25}, node())[0][0].kind == SAFE_DOWNGRADE


def test_a_feature_that_nobody_knows_is_refused_with_the_nearest_name() -> None:
    assert "did you mean metadata.version?" in texts({"metadata.versoin": 30})[0]


def test_kafkas_refusal_comes_with_every_broker_that_is_away() -> None:
    changes = plan({MV: 30}, node())[0]
    found = refused(changes, "Broker 7 only supports versions 7-29", [broker(1), broker(7, fenced=True)])
    assert "Kafka refuses metadata.version 30: Broker 7 only supports versions 7-29" in str(found[0])
    assert "brokers 7 are registered and away" in str(found[1])
    assert "kafka_broker_registration" in str(found[1])
    assert len(refused(changes, "no", [broker(1)])) == 1


def test_a_release_stands_for_levels_and_never_for_kraft_version() -> None:
    assert release_features("4.3")[MV] == 30
    assert release_features("4.3.1") == release_features("4.3")
    assert ELR not in release_features("4.0")
    assert all("kraft.version" not in release_features(one) for one in levels())
    assert levels()["4.3"]["kraft.version"] == 1


@pytest.mark.parametrize("release", ["", "9.9", "latest", "4"])
def test_a_release_that_is_not_known_is_refused_with_those_that_are(release: str) -> None:
    with pytest.raises(RefusedError, match=r"no release that is known \(3\.3, .*, 4\.3\)"):
        release_features(release)


@pytest.mark.parametrize(
    ("version", "level", "said"),
    [
        ("4.3.1", 29, ""),
        ("4.2.1", 29, ""),
        ("4.2.1", 30, "4.2.1 reads metadata.version up to 29, and 30 (4.3) is finalised"),
        ("4.3.1", 31, "and 31 (a newer one) is finalised"),
        ("4.3.1", 6, "metadata.version 6 is finalised, and 4.3.1 reads none below 7 -> upgrade to 3.9 first"),
        ("9.0.0", 29, "is none of the releases whose features are known"),
    ],
)
def test_a_release_that_does_not_read_what_is_finalised_is_refused(version: str, level: int, said: str) -> None:
    found = upgrade.problems(version, [{"name": MV, "level": level}])
    assert said in "".join(str(one) for one in found)
    assert bool(found) == bool(said)
