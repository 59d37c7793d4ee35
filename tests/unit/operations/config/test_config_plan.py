"""Changes of overrides to the desired state, and refusals, as text."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.operations.config.admin import missing, steps
from ansible.module_utils.kraft.operations.config.plan import config_refusals, desired, diff, paced, plan, twice
from ansible.module_utils.kraft.operations.config.settings import ALL_BROKERS, DYNAMIC_BROKER, broker

from tests.unit.operations.config.described import setting
from tests.unit.problems import named, worded
from tests.wording_files import Wording

IO = "num.io.threads"


def asked(**config: object) -> dict[str, object]:
    return {"type": "broker", "name": "1", "config": {key.replace("_", "."): value for key, value in config.items()}}


@pytest.mark.parametrize(
    ("found", "value", "said"),
    [
        (setting(IO, file="8", default="8"), 12, ["broker 1: num.io.threads 8 -> 12"]),
        (setting(IO, own="12", file="8"), 12, []),
        (setting(IO, all="12", file="8"), 12, ["broker 1: num.io.threads 12 -> 12"]),
        (setting(IO, own="12", file="8"), None, ["broker 1: num.io.threads: override 12 removed"]),
        (setting(IO, all="12", file="8"), None, []),
        (setting(IO, file="8"), None, []),
    ],
)
def test_only_the_entitys_own_override_is_planned(found: object, value: object, said: list[str]) -> None:
    assert [str(one) for one in plan(desired(asked(num_io_threads=value)), {IO: found})] == said  # type: ignore[dict-item]


def test_a_secret_is_set_each_time_and_never_shown() -> None:
    key = "ssl.keystore.password"
    (change,) = plan(
        desired({"type": "broker", "name": "1", "config": {key: "geheim"}}), {key: setting(key, secret=True, own="")}
    )
    assert "geheim" not in str(change)
    assert str(change) == "broker 1: ssl.keystore.password (unset) -> (hidden)"
    assert "geheim" not in str(diff(broker(1), [change]))


def test_a_secret_that_kafka_does_not_describe_is_known_by_its_name() -> None:
    key = "listener.name.client.ssl.keystore.password"
    (change,) = plan(desired({"type": "broker", "name": "1", "config": {key: "geheim"}}), {})
    assert "geheim" not in str(change)


REFUSED = [
    (
        {"type": "broker", "name": "1", "config": {"node.id": 2}},
        {"node.id": setting("node.id", read_only=True, file="1")},
        "broker 1: node.id",
    ),
    ({"type": "broker", "name": "", "config": {"num.io.thread": 2}}, {}, "all brokers: num.io.thread"),
    ({"type": "topic", "name": "orders", "config": {"retention": 2}}, {}, "topic orders: retention"),
    ({"type": "topic", "name": "", "config": {}}, {}, "all topics"),
    ({"type": "broker", "name": "kafka1", "config": {}}, {}, "broker kafka1"),
]


@pytest.mark.parametrize(("entity", "known", "variable"), REFUSED)
def test_what_cannot_be_is_refused_with_entity_key_and_remedy(entity: Any, known: Any, variable: str) -> None:
    (found,) = config_refusals(desired(entity), {}, known)
    assert (found.rule, found.variable) == ("config", variable)
    assert found.remedy


def test_the_sentences_of_refusals(wording: Wording) -> None:
    wording(worded(one for entity, known, _ in REFUSED for one in config_refusals(desired(entity), {}, known)))


def test_a_listeners_own_setting_is_not_refused_although_kafka_lists_it_only_when_it_is_set() -> None:
    assert (
        config_refusals(
            desired({"type": "broker", "name": "1", "config": {"listener.name.client.max.connections": 5}}), {}, {}
        )
        == ()
    )


def test_an_entity_that_is_listed_twice_is_refused(wording: Wording) -> None:
    both = [desired(asked(num_io_threads=1)), desired(asked(num_io_threads=2))]
    assert named(twice(both)) == [["1"]]
    wording(worded(twice(both)))


@pytest.mark.parametrize(
    ("now", "wanted", "path"),
    [
        (8, 12, [12]),
        (8, 8, [8]),
        (2, 12, [4, 8, 12]),
        (12, 2, [6, 3, 2]),
        (5, 1, [3, 2, 1]),
        (1, 3, [2, 3]),
        (0, 3, [3]),
    ],
)
def test_a_pool_of_threads_is_at_most_doubled_or_halved(now: int, wanted: int, path: list[int]) -> None:
    assert paced(now, wanted) == path


def test_an_override_of_threads_goes_away_in_steps_too() -> None:
    found = setting(IO, own="12", file="2")
    (change,) = plan(desired(asked(num_io_threads=None)), {IO: found})
    assert change.steps() == ("6", "3", None)


def test_what_takes_one_step_goes_with_the_first_step_of_what_takes_several() -> None:
    wanted = desired(asked(num_io_threads=12, message_max_bytes=100))
    found = {IO: setting(IO, file="4"), "message.max.bytes": setting("message.max.bytes", default="1048588")}
    assert steps(plan(wanted, found)) == [
        {broker(1): {IO: "8", "message.max.bytes": "100"}},
        {broker(1): {IO: "12"}},
    ]


@pytest.mark.parametrize(
    ("found", "wanted", "late"),
    [
        (setting(IO, own="12", file="8"), "12", []),
        (setting(IO, file="8"), "12", ["broker 1 has num.io.threads 8"]),
        (setting(IO, own="12", file="8"), None, ["broker 1 has num.io.threads 12"]),
        (setting(IO, file="8"), None, []),
        (None, "12", ["broker 1 has num.io.threads (unset)"]),
    ],
)
def test_a_change_counts_when_the_broker_shows_it(found: object, wanted: str | None, late: list[str]) -> None:
    settings = {} if found is None else {IO: found}
    assert missing(broker(1), settings, DYNAMIC_BROKER, {IO: wanted}) == late  # type: ignore[arg-type]


def test_a_default_counts_as_set_where_a_brokers_own_override_hides_it() -> None:
    assert missing(broker(1), {IO: setting(IO, own="4", all="12")}, ALL_BROKERS.source, {IO: "12"}) == []
