"""Problems as people and programs read them."""

from __future__ import annotations

import json

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.inventory.report import as_json, sentences, shown, summary, table

from tests.unit.problems import named
from tests.wording_files import Wording

PORT = [Problem("port", "is not a port", "give one", "kafka_listeners[A].port", host, 0) for host in ("k1", "k2")]
RACK = Problem("rack", "is missing " + "very " * 12 + "much", "give one", "kafka_rack", "k1", severity=WARNING)


def test_hosts_that_share_a_problem_share_a_row(wording: Wording) -> None:
    lines = table([*PORT, RACK], hosts=2, width=80).splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == ["-------", "error", "warning"]
    assert [line.split()[1:3] for line in lines if line.startswith("error")] == [["kafka_listeners[A].port", "0"]]
    assert lines[3].split()[:2] == ["all", "hosts"]
    assert lines[4].split()[1] == "kafka_rack"
    assert lines[5].split()[0] == "k1"
    assert [at for at, line in enumerate(lines) if "-> give one" in line] == [3, 6]
    assert max(map(len, lines)) <= 80
    wording(lines)


def test_some_hosts_are_named() -> None:
    assert "k1, k2" in table(PORT, hosts=3)


def test_problems_are_counted_as_they_are_shown() -> None:
    assert summary([*PORT, RACK]) == "1 error and 1 warning"
    assert summary([RACK, PORT[0], Problem("x", "y", "z")]) == "2 errors and 1 warning"
    assert summary([]) == "nothing wrong"


def test_sentences_hold_the_value(wording: Wording) -> None:
    found = sentences(PORT, hosts=2)
    assert named(found) == [["kafka_listeners[A].port", "0"]]
    assert found[0].startswith("all hosts: ")
    wording(found)


def test_programs_get_every_problem_of_every_host() -> None:
    read = json.loads(as_json([*PORT, RACK]))
    assert (read["errors"], read["warnings"]) == (2, 1)
    assert [problem["host"] for problem in read["problems"]] == ["k1", "k2", "k1"]
    assert read["problems"][0] == {
        "rule": "port",
        "message": "is not a port",
        "remedy": "give one",
        "variable": "kafka_listeners[A].port",
        "host": "k1",
        "value": 0,
        "severity": "error",
        "source": "",
    }


def test_long_values_are_cut() -> None:
    assert len(shown("x" * 500)) == 120
    assert shown({"a": [1]}) == '{"a": [1]}'
    assert shown(None) == ""


def test_a_narrow_terminal_still_gets_a_table() -> None:
    assert all(len(line) <= 90 for line in table([*PORT, RACK], hosts=2, width=20).splitlines())
