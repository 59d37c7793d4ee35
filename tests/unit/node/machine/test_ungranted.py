"""What hosts do not grant is said, once for all that share it."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.kraft.node.machine.ungranted import lines, ungranted

READ_ONLY = "read-only here"
NODES = {f"kafka{one}": {"nofile_limit": 100000} for one in (1, 2, 3)}


def unmet(name: str, wanted: str, value: str | None, reason: str = READ_ONLY) -> dict[str, Any]:
    return {"kernel": {"unmet": [{"name": name, "wanted": wanted, "value": value, "reason": reason}]}}


def said(**results: Any) -> list[str]:
    return lines(ungranted(results, NODES), list(results))


def test_what_all_hosts_share_is_one_line() -> None:
    found = unmet("vm.swappiness", "1", "60")
    assert said(kafka1=found, kafka2=found) == ["all hosts: vm.swappiness is 60, not 1: read-only here"]


def test_settings_with_the_same_reason_share_a_line() -> None:
    both = unmet("vm.swappiness", "1", "60")
    both["kernel"]["unmet"] += unmet("vm.no_such", "2", None)["kernel"]["unmet"]
    assert said(kafka1=both, kafka2={"kernel": {"unmet": []}}) == [
        "kafka1: vm.swappiness is 60, not 1, vm.no_such is not there, not 2: read-only here"
    ]


def test_fewer_open_files_than_asked_for_are_named() -> None:
    (line,) = said(kafka1={"nofile_hard": 20000}, kafka2={"nofile_hard": 100000}, kafka3={"nofile_hard": None})
    assert line.startswith("kafka1: open files is 20000, not 100000: ")


def test_appcds_archive_that_the_jvm_refuses_is_named_with_its_reason() -> None:
    (line,) = said(kafka1={"appcds_archive": {"reason": "the archive has a bad magic"}}, kafka2={"appcds_archive": {}})
    assert line == "kafka1: AppCDS archive: Kafka starts without it, more slowly: the archive has a bad magic"


def test_a_host_on_which_nothing_ran_says_nothing() -> None:
    assert said(kafka1={}, kafka2={"kernel": None, "appcds_archive": None}) == []
