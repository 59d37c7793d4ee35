"""One mistake, one refusal: no two rules stop a run for one variable of a host, with advice that differs."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem

from tests.unit.spec.bad_inputs import bad_inputs
from tests.unit.spec.inventory import LISTENERS, hosts, problems_of
from tests.unit.spec.test_hostile_values import HOSTILE, SETTINGS, listeners

INPUTS = bad_inputs()


def contradictions(found: list[Problem]) -> list[list[str]]:
    """Return errors for one place by several rules, and repeated errors of one rule for one value.

    Advisories are one rule here: each has its own name, so that each is accepted alone.
    """
    refused: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    for problem in found:
        if problem.severity == ERROR:
            refused[problem.host, problem.variable].append(problem)
    return [
        [str(each) for each in together]
        for together in refused.values()
        if len({"advisories" if each.rule.startswith("CVE-") else each.rule for each in together}) > 1
        or len({(each.rule, repr(each.value), each.message) for each in together}) < len(together)
    ]


def test_the_known_bad_inputs_are_many() -> None:
    assert len(INPUTS) > 150
    stopped = [each for each in INPUTS if any(one.severity == ERROR for one in problems_of(hosts(**each)))]
    assert len(stopped) > 100


@pytest.mark.parametrize("profile", ["production", "test"])
def test_a_known_bad_input_is_refused_once_for_each_place(profile: str) -> None:
    for given in INPUTS:
        assert contradictions(problems_of(hosts(**{"kafka_profile": profile, **given}))) == [], given


@pytest.mark.parametrize("key", ["name", "port", "protocol", "purpose", "bind", "advertised"])
def test_a_hostile_listener_is_refused_once_for_each_place(key: str) -> None:
    for value in HOSTILE:
        for given in listeners(key, value):
            assert contradictions(problems_of(hosts(2, kafka_listeners=given))) == [], (key, value)


@pytest.mark.parametrize("key", SETTINGS)
def test_a_hostile_setting_is_refused_once(key: str) -> None:
    for value in HOSTILE:
        assert contradictions(problems_of(hosts(1, kafka_config={key: value}))) == [], (key, value)


@pytest.mark.parametrize(
    "name",
    ["kafka_archive", "kafka_metadata_log_dir", "kafka_install_dir", "kafka_user", "kafka_group", "kafka_address"],
)
def test_a_hostile_variable_is_refused_once(name: str) -> None:
    for value in HOSTILE:
        assert contradictions(problems_of(hosts(1, {"k1": {name: value}}))) == [], value


def refusals(**given: Any) -> list[str]:
    return sorted(each.rule for each in problems_of(hosts(1, **given)) if each.severity == ERROR)


def test_a_port_is_that_of_ssh_or_a_privileged_one() -> None:
    ports = [{**LISTENERS[0], "port": 22}, *LISTENERS[1:]]
    assert refusals(kafka_listeners=ports) == ["port_of_ssh"]


def test_of_two_listeners_for_controllers_one_goes_before_names_matter() -> None:
    doubled = [*LISTENERS, {**LISTENERS[0], "port": 9094, "purpose": "controller"}]
    assert refusals(kafka_listeners=doubled) == ["listener_ambiguous"]


def test_nodes_that_share_addresses_are_told_once() -> None:
    made = [each for each in problems_of(hosts(2, kafka_address="10.0.0.1")) if each.severity == ERROR]
    assert [(each.rule, each.host) for each in made] == [("advertised_shared", "k1, k2")]


def test_an_accepted_rule_holds_nothing_back() -> None:
    given: dict[str, Any] = {"kafka_config": {"plugin.own.key": "${vault:a:b}"}}
    assert refusals(**given) == ["setting_unknown"]
    accepted = problems_of(hosts(1, **given, kafka_accepted_risks=["setting_unknown"]))
    assert {(each.severity, each.rule) for each in accepted if each.variable.startswith("kafka_config")} == {
        (WARNING, "setting_unknown"),
        (ERROR, "provider_unknown"),
    }
