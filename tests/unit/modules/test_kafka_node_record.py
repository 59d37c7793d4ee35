"""kafka_node trusts no record of a process that another account than root could have made."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.modules.node_host import Host
from tests.unit.other_user import give_away

EVIL = "[Service]\nExecStart=/bin/sh -c id\n"


def forge_unit(host: Host) -> None:
    (host.record / "kafka.service").write_text(EVIL)
    give_away(host.record / "kafka.service")


def forge_in_a_directory_of_its_own(host: Host) -> None:
    (host.record / "kafka.service").write_text(EVIL)
    give_away(host.record)


def open_directory(host: Host) -> None:
    (host.record / "kafka.service").write_text(EVIL)
    host.record.chmod(0o777)


def swap_directory(host: Host) -> None:
    forged = host.record.with_name("forged")
    host.record.rename(forged)
    (forged / "kafka.service").write_text(EVIL)
    host.record.symlink_to(forged)


def link_to_a_file_of_root(host: Host) -> None:
    secret = host.record.with_name("shadow")
    secret.write_text("root:secret\n")
    replaced(host, "server.properties").symlink_to(secret)


def fifo(host: Host) -> None:
    os.mkfifo(replaced(host, "server.properties"))


def endless(host: Host) -> None:
    replaced(host, "server.properties").symlink_to("/dev/zero")


def replaced(host: Host, name: str) -> Path:
    (host.record / name).unlink()
    return host.record / name


FORGERIES = [
    forge_unit,
    forge_in_a_directory_of_its_own,
    open_directory,
    swap_directory,
    link_to_a_file_of_root,
    fifo,
    endless,
]


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_forged_record_is_no_record(host: Host, forge: Callable[[Host], None]) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\n", nofile=30000)  # a new unit waits for the restart
    unit = (host.units / "kafka.service").read_text()
    forge(host)
    result = host.kafka_node()
    assert [one["file"] for one in result["differences"]] == ["record"]
    assert (host.units / "kafka.service").read_text() == unit
    assert host.kafka_node(state="restarted")["actions"] == ["place", "reload", "reset", "restart"]
    assert not (host.install_dir / "previous").exists()
    assert host.kafka_node(state="reverted")["failed"]
    assert (host.units / "kafka.service").read_text() != EVIL


def test_a_process_of_the_older_layout_is_restarted_once(host: Host) -> None:
    """Its record is where Kafka's user can write: it counts for nothing."""
    host.install()
    host.kafka_node()
    host.record.rename(host.record.with_name("old"))
    assert [one["file"] for one in host.kafka_node()["differences"]] == ["record"]
    host.kafka_node(state="restarted")
    assert host.kafka_node()["differences"] == []


@pytest.mark.parametrize("version", ["../../x", "/etc", "..", "", "4.3.1/../../x"])
def test_a_version_that_leads_elsewhere_is_none(host: Host, version: str) -> None:
    host.install()
    host.kafka_node()
    manifest = json.loads((host.record / "MANIFEST").read_text())
    (host.record / "MANIFEST").write_text(json.dumps({**manifest, "version": version}))
    (found,) = host.kafka_node()["differences"]
    assert (found["file"], found["old"]) == ("release", None)


def kept(host: Host) -> Path:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\n", nofile=30000)
    assert "keep" in host.kafka_node(state="restarted")["actions"]
    return host.install_dir / "previous"


def test_what_was_kept_is_gone_back_to(host: Host) -> None:
    kept(host)
    assert host.kafka_node(state="reverted")["actions"] == ["place", "reload", "reset", "restart"]


def rewrite(room: Path) -> None:
    (room / "kafka.service").write_text(EVIL)


def give(room: Path) -> None:
    give_away(room / "kafka.service")


def forget(room: Path) -> None:
    """Leave the record like an earlier release of this project, which trusted the service's record."""
    (room / "SHA256SUMS").unlink()


@pytest.mark.parametrize("change", [rewrite, give, forget], ids=lambda change: change.__name__)
def test_a_way_back_whose_texts_root_has_not_noted_is_none(host: Host, change: Callable[[Path], None]) -> None:
    change(kept(host))
    before = (host.units / "kafka.service").read_text()
    result = host.kafka_node(state="reverted")
    assert result["failed"]
    assert "nothing that this node could go back to" in result["msg"]
    assert (host.units / "kafka.service").read_text() == before
