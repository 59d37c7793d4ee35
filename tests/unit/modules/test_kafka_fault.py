"""Checks of a host before it is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.operations.drill.breaking import (
    LEFTOVER_SECONDS,
    CutOff,
    Fault,
    Frozen,
    Full,
    Killed,
    addresses,
    rights,
)

from tests.unit.modules.module_runner import RunModule

Answer = tuple[int, str, str]
TABLES = "table inet other\ntable inet kraftwright_drill\n"
CUT = {"action": "cut_off", "peers": ["127.0.0.2", "127.0.0.3"], "ports": [9092, 9093]}


class Host:
    """A host without systemd and nft: what its commands give, and which were run."""

    def __init__(self, **answers: Answer) -> None:
        self.ran: list[list[str]] = []
        self._answers = {
            "systemctl show": (0, "17", ""),
            "systemctl is-active": (3, "", ""),
            "nft list tables": (0, "", ""),
            **answers,
        }

    def run(self, command: list[str]) -> Answer:
        words = " ".join(command)
        self.ran.append(command)
        return next((said for begin, said in self._answers.items() if words.startswith(begin)), (1, "", ""))

    def set_answer(self, begin: str, answer: Answer) -> None:
        """Another answer from now on."""
        self._answers[begin] = answer

    @property
    def broken(self) -> list[list[str]]:
        """The commands that change something."""
        reads = ("systemctl show", "systemctl is-active", "nft list")
        return [one for one in self.ran if not " ".join(one).startswith(reads)]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    return adopted(Host(), monkeypatch)


def adopted(host: Host, monkeypatch: pytest.MonkeyPatch, nft: str | None = "nft") -> Host:
    monkeypatch.setattr(AnsibleModule, "run_command", lambda _, command, **__: host.run(command))
    monkeypatch.setattr(AnsibleModule, "get_bin_path", lambda *_, **__: nft)
    monkeypatch.setattr(Fault, "leftover_seconds", 0.3)
    return host


def test_rights_are_those_of_the_directory(tmp_path: Path) -> None:
    tmp_path.chmod(0o2750)
    assert rights(str(tmp_path)) == 0o2750


def test_names_of_nodes_become_addresses_each_once() -> None:
    assert addresses(["127.0.0.2", "127.0.0.2"]) == ["127.0.0.2"]


def test_check_mode_breaks_nothing_and_says_the_commands(host: Host, run_module: RunModule) -> None:
    result = run_module("kafka_fault", check_mode=True, **CUT)
    assert result["changed"]
    assert [each[0] for each in result["commands"]] == ["systemd-run", "nft"]
    assert not host.broken


def test_a_cut_begins_with_its_end(host: Host, run_module: RunModule) -> None:
    result = run_module("kafka_fault", **CUT)
    assert [each[0] for each in host.broken] == ["systemd-run", "nft"]
    assert host.broken == result["commands"]


@pytest.mark.parametrize(
    ("answers", "nft", "said"),
    [
        ({}, None, "no nft; install the package nftables"),
        ({"nft list tables": (1, "", "Operation not permitted")}, "nft", "(Operation not permitted); install"),
        ({"nft list tables": (0, TABLES, "")}, "nft", "cut off already"),
        ({"systemctl show": (0, "0", "")}, "nft", "does not run"),
    ],
)
def test_a_host_that_cannot_be_cut_off_is_left_alone(
    answers: dict[str, Answer], nft: str | None, said: str, monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    host = adopted(Host(**answers), monkeypatch, nft)
    for check_mode in (True, False):
        result = run_module("kafka_fault", check_mode=check_mode, **CUT)
        assert result["failed"]
        assert said in result["msg"]
    assert not host.broken


def test_a_cut_that_a_killed_drill_has_left_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    host = adopted(Host(**{"nft list tables": (0, TABLES, "")}), monkeypatch)
    monkeypatch.setattr(Fault, "leftover_seconds", 60.0)
    monkeypatch.setattr("time.sleep", lambda _: host.set_answer("nft list tables", (0, "table inet other\n", "")))
    assert run_module("kafka_fault", **CUT)["changed"]
    assert [each[0] for each in host.broken] == ["systemd-run", "nft"]


def test_a_node_that_a_killed_drill_has_left_down_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    host = adopted(Host(**{"systemctl show": (0, "0", "")}), monkeypatch)
    monkeypatch.setattr(Fault, "leftover_seconds", 60.0)
    monkeypatch.setattr("time.sleep", lambda _: host.set_answer("systemctl show", (0, "18", "")))
    assert run_module("kafka_fault", **CUT)["changed"]


def test_rights_that_come_back_are_those_that_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    host = adopted(Host(), monkeypatch)
    tmp_path.chmod(0)
    monkeypatch.setattr(Fault, "leftover_seconds", 60.0)
    monkeypatch.setattr("time.sleep", lambda _: tmp_path.chmod(0o750))
    result = run_module("kafka_fault", check_mode=True, action="unreadable", log_dir=str(tmp_path))
    assert "chmod 0750" in str(result["commands"])
    assert not host.broken


def test_a_timer_that_a_killed_drill_has_left_is_waited_for_although_rights_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    host = adopted(Host(**{"systemctl is-active": (0, "", "")}), monkeypatch)
    result = run_module("kafka_fault", check_mode=True, action="unreadable", log_dir=str(tmp_path))
    assert "kafka-unreadable.timer" in result["msg"]
    monkeypatch.setattr(Fault, "leftover_seconds", 60.0)
    monkeypatch.setattr("time.sleep", lambda _: host.set_answer("systemctl is-active", (3, "", "")))
    assert run_module("kafka_fault", check_mode=True, action="unreadable", log_dir=str(tmp_path))["changed"]


def test_a_fault_is_waited_for_as_long_as_it_lasts() -> None:
    params = {"unit": "kafka", "seconds": 20, "log_dir": None}
    assert Killed(lambda _: (0, "", ""), params).leftover_seconds == 20 + LEFTOVER_SECONDS


@pytest.mark.parametrize(
    ("fault", "unanswered", "said"),
    [
        (Full, "systemctl is-active", "Failed to connect to bus"),
        (CutOff, "nft list tables", "Device or resource busy"),
    ],
)
def test_a_host_that_does_not_answer_is_no_sign_of_the_end_of_a_fault(
    fault: type[Fault], unanswered: str, said: str
) -> None:
    params = {"unit": "kafka", "seconds": 0, "log_dir": "/data", "timeout": 0, "peers": [], "ports": []}
    host = Host(**{unanswered: (1, "", said)})
    assert "still" in fault(host.run, params, "nft").trouble("16")


def test_a_fault_whose_end_is_not_known_is_reported(
    host: Host, monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    kill = host.run

    def run(command: list[str]) -> Answer:
        if command[1] == "kill":
            host.set_answer("systemctl show", (0, "", ""))
            host.set_answer("systemctl kill", (0, "", ""))
        return kill(command)

    monkeypatch.setattr(host, "run", run)
    assert "not known whether the fault is over" in run_module("kafka_fault", action="killed", timeout=0)["msg"]


def test_a_frozen_node_is_waited_for_until_it_goes_on(
    host: Host, monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    states, asked = [False, True, True, False], list[str]()

    def held(_: Frozen, process: str) -> bool:
        asked.append(process)
        return states[len(asked) - 1]

    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("ansible.module_utils.kraft.operations.drill.breaking.NOTICED_SECONDS", 60.0)
    monkeypatch.setattr(Frozen, "held", held)
    assert run_module("kafka_fault", action="frozen", seconds=1)["changed"]
    assert asked == ["17"] * 4
    assert [each[0] for each in host.broken] == ["systemd-run", "systemctl"]


def test_a_node_that_stays_frozen_is_named_with_what_thaws_it(
    host: Host, monkeypatch: pytest.MonkeyPatch, run_module: RunModule
) -> None:
    monkeypatch.setattr(Frozen, "held", lambda *_: True)
    result = run_module("kafka_fault", action="frozen", seconds=1, timeout=0)
    assert "kill --signal=CONT kafka.service" in result["msg"]
    assert host.broken


def test_without_another_node_nothing_is_cut(host: Host, run_module: RunModule) -> None:
    assert run_module("kafka_fault", action="cut_off")["failed"]
    assert not host.broken


def test_the_filesystem_of_the_system_is_never_filled(host: Host, run_module: RunModule) -> None:
    result = run_module("kafka_fault", action="full", log_dir="/usr/lib")
    assert result["failed"]
    assert "kafka_host_data_disks" in result["msg"]
    assert not host.broken
