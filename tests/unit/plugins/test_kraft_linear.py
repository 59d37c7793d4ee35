"""When mitogen carries the tasks, and when it must not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import mitogen.ssh
import pytest
from ansible.plugins.strategy.linear import StrategyModule as Linear
from ansible.utils.display import Display

PLUGIN = Path(__file__).resolve().parents[3] / "plugins/strategy/kraft_linear.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kraft_linear_under_test", PLUGIN)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(Display, "v", lambda _, line: lines.append(line))
    return lines


def test_mitogen_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    monkeypatch.delenv("KRAFTWRIGHT_MITOGEN", raising=False)
    chosen = load().StrategyModule
    assert issubclass(chosen, Linear)
    assert [c.__module__ for c in chosen.__mro__[1:2]] == ["ansible_mitogen.strategy"]
    assert said == []


@pytest.mark.parametrize("switch", ["0", "no", "False", "off"])
def test_mitogen_is_left_out_when_switched_off(monkeypatch: pytest.MonkeyPatch, said: list[str], switch: str) -> None:
    monkeypatch.setenv("KRAFTWRIGHT_MITOGEN", switch)
    assert load().StrategyModule is Linear
    assert said == [f"Tasks go over plain ssh, without mitogen: KRAFTWRIGHT_MITOGEN is {switch}"]


def test_mitogen_that_is_missing_is_said_and_no_error(monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    monkeypatch.delenv("KRAFTWRIGHT_MITOGEN", raising=False)
    monkeypatch.setitem(sys.modules, "ansible_mitogen.strategy", None)
    assert load().StrategyModule is Linear
    assert len(said) == 1
    assert "ansible_mitogen" in said[0]


@pytest.mark.parametrize(
    ("core", "refused"), [("2.18.4", False), ("2.19.14", False), ("2.20.0", True), ("2.20.0rc1", True), ("3.0", True)]
)
def test_a_core_that_mitogen_does_not_know_is_left_alone(core: str, refused: bool) -> None:
    assert bool(load().objection(core, "")) is refused


@pytest.mark.parametrize(
    ("given", "first"),
    [
        (["-o", "StrictHostKeyChecking=accept-new"], "StrictHostKeyChecking=accept-new"),
        (["-oStrictHostKeyChecking=no"], "-oStrictHostKeyChecking=no"),
        (["-o", "UserKnownHostsFile=/x"], "StrictHostKeyChecking yes"),
        ([], "StrictHostKeyChecking yes"),
    ],
)
def test_the_inventorys_word_on_host_keys_is_the_first_that_ssh_sees(given: list[str], first: str) -> None:
    command = ssh_command(given)
    assert next(word for word in command if "StrictHostKeyChecking" in word) == first


def test_the_settings_word_on_hosts_that_fall_silent_is_the_only_one() -> None:
    assert [word for word in ssh_command(["-o", "ServerAliveInterval=15"]) if "ServerAlive" in word] == [
        "ServerAliveInterval=15"
    ]
    assert [word for word in ssh_command([]) if "ServerAlive" in word] == [
        "ServerAliveInterval 15",
        "ServerAliveCountMax 3",
    ]


def test_only_what_is_said_of_this_plugin_itself_is_left_out() -> None:
    shown: list[str] = []
    deprecated = load().without_own_deprecation(lambda msg, **_: shown.append(msg))
    deprecated(msg="Use of strategy plugins not included in ansible.builtin are deprecated and may go.")
    deprecated(msg="A filter of yours is deprecated.", version="2.23")
    assert shown == ["A filter of yours is deprecated."]


def ssh_command(given: list[str]) -> list[str]:
    """The command by which mitogen reaches a host whose ssh arguments are `given`."""
    load()
    options = mitogen.ssh.Options(hostname="h", ssh_args=given, max_message_size=1)
    connection = mitogen.ssh.Connection.__new__(mitogen.ssh.Connection)
    connection.options = options
    connection._router = SimpleNamespace(max_message_size=1)
    connection.get_python_argv = connection.get_preamble = list
    return list(connection.get_boot_command())


@pytest.mark.parametrize(("length", "refused"), [(80, False), (81, True)])
def test_mitogen_is_left_out_where_its_socket_would_have_too_long_a_name(length: int, refused: bool) -> None:
    assert bool(load().objection("2.19.4", "", "/" * length)) is refused
