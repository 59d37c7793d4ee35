"""Limits that hosts do not grant are reported, once for all that share them."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.kraft.node.machine.ungranted import lines, short, ungranted

from tests.unit.problems import named
from tests.wording_files import Wording

READ_ONLY = "read-only here"
NODES = {f"kafka{one}": {"nofile_limit": 100000} for one in (1, 2, 3)}


def unmet(name: str, wanted: str, value: str | None, reason: str = READ_ONLY) -> dict[str, Any]:
    return {"kernel": {"unmet": [{"name": name, "wanted": wanted, "value": value, "reason": reason}]}}


def said(**results: Any) -> list[str]:
    return lines(ungranted(results, NODES), list(results))


def test_what_all_hosts_share_is_one_line(wording: Wording) -> None:
    found = unmet("vm.swappiness", "1", "60")
    lines_of_both = said(kafka1=found, kafka2=found)
    assert named(lines_of_both) == [["vm.swappiness", "60", "1"]]
    assert lines_of_both[0].endswith(READ_ONLY)
    wording(lines_of_both)


def test_settings_with_the_same_reason_share_a_line(wording: Wording) -> None:
    both = unmet("vm.swappiness", "1", "60")
    both["kernel"]["unmet"] += unmet("vm.no_such", "2", None)["kernel"]["unmet"]
    found = said(kafka1=both, kafka2={"kernel": {"unmet": []}})
    assert named(found) == [["kafka1", "vm.swappiness", "60", "1", "vm.no_such", "2"]]
    assert found[0].endswith(READ_ONLY)
    wording(found)


def test_fewer_open_files_than_asked_for_are_named(wording: Wording) -> None:
    (line,) = said(kafka1={"nofile_hard": 20000}, kafka2={"nofile_hard": 100000}, kafka3={"nofile_hard": None})
    assert named([line])[0][:3] == ["kafka1", "20000", "100000"]
    wording([line])


def test_appcds_archive_that_the_jvm_refuses_is_named_with_its_reason(wording: Wording) -> None:
    (line,) = said(kafka1={"appcds_archive": {"reason": "the archive has a bad magic"}}, kafka2={"appcds_archive": {}})
    assert line.startswith("kafka1: AppCDS archive: ")
    assert line.endswith(": the archive has a bad magic")
    wording([line])


def test_a_host_on_which_nothing_ran_says_nothing() -> None:
    assert said(kafka1={}, kafka2={"kernel": None, "appcds_archive": None}) == []


def test_in_short_settings_and_hosts_are_counted() -> None:
    results = {"kafka1": unmet("vm.a", "1", "60"), "kafka2": unmet("vm.a", "1", "50"), "kafka3": {}}
    assert short(ungranted(results, NODES), list(results)) == "1 setting on kafka1, kafka2"
    assert short((), list(results)) == ""
