"""Listening processes, resolved names and reachable ports: on loopback, with sockets of our own."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.machine import network as host_network


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server


def port_of(server: socket.socket) -> int:
    return int(server.getsockname()[1])


def test_port_in_use_names_its_process(listener: socket.socket) -> None:
    found = host_network.ports_in_use([port_of(listener), 1])
    assert [(each["port"], each["address"], each["pid"]) for each in found] == [
        (port_of(listener), "127.0.0.1", os.getpid())
    ]
    assert found[0]["process"]


def test_ports_that_no_one_listens_on_are_not_searched_for(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net/tcp").write_text("  sl  local_address ...\n")
    assert host_network.ports_in_use([9092], proc=tmp_path) == []


def test_addresses_are_read_as_the_kernel_writes_them(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    line = "   0: {} 00000000:0000 {} 00000000:00000000 00:00000000 00000000     0        0 {} 1 0 100 0\n"
    four = "header\n" + line.format("0100007F:2384", "0A", 77) + line.format("0100007F:2384", "01", 78)
    six = "header\n" + line.format("00000000000000000000000001000000:2385", "0A", 79)
    six += line.format("0000000000000000FFFF00000100000A:2385", "0A", 80)  # as Java listens
    (tmp_path / "net/tcp").write_text(four)
    (tmp_path / "net/tcp6").write_text(six)
    assert host_network.listening([9092, 9093], tmp_path) == [
        {"port": 9092, "address": "127.0.0.1", "inode": "77"},
        {"port": 9093, "address": "::1", "inode": "79"},
        {"port": 9093, "address": "10.0.0.1", "inode": "80"},
    ]


def test_java_process_is_called_by_its_main_class(tmp_path: Path) -> None:
    (tmp_path / "9").mkdir()
    (tmp_path / "9/comm").write_text("java\n")
    (tmp_path / "9/cmdline").write_bytes(b"/usr/bin/java\0-cp\0/a/b.jar:/c.jar\0kafka.Kafka\0server.properties\0")
    assert host_network.process_name(9, tmp_path) == "java kafka.Kafka"
    assert host_network.process_name(8, tmp_path) == ""


def test_host_that_answers_is_told_from_a_port_that_is_closed(listener: socket.socket) -> None:
    assert host_network.reach(f"127.0.0.1:{port_of(listener)}") == "open"
    listener.close()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert host_network.reach(f"127.0.0.1:{port_of(free)}") == "refused"


def test_host_that_is_silent_or_unknown_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object, **__: object) -> None:
        raise socket.timeout

    assert "nowhere.invalid" not in host_network.reach("nowhere.invalid:9092")
    monkeypatch.setattr("socket.create_connection", silent)
    assert host_network.reach("10.0.0.9:9092") == "no answer within 2 s"


def test_names_and_own_addresses() -> None:
    assert "127.0.0.1" in host_network.resolve("localhost")["addresses"]
    assert host_network.resolve("nowhere.invalid")["error"]
    assert host_network.bindable("127.0.0.1") == ""
    assert host_network.bindable("192.0.2.1") == "Cannot assign requested address"


def test_slow_questions_do_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(_: str) -> str:
        time.sleep(60)
        return "late"

    monkeypatch.setitem(host_network.ANSWERERS, "reach", (slow, host_network.LATE))
    began = time.monotonic()
    answers = host_network.ask_all({"reach": ["a:1", "b:2"], "binds": ["127.0.0.1"], "names": []}, deadline=2)
    assert time.monotonic() - began < 30
    assert answers == {
        "reach": {"a:1": host_network.LATE, "b:2": host_network.LATE},
        "binds": {"127.0.0.1": ""},
        "names": {},
    }
