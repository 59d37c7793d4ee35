"""Observations of a node, compared with an authority that is being replaced."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.control.authority import Place
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.certificate import CLIENTS, NODES
from ansible.module_utils.kraft.node.service.unit_state import ServiceState
from ansible.module_utils.kraft.operations.certificates import change, phases, replacement, users

from tests.commands import run

HOST = authority.Node("kafka1", "orders", ("kafka1",))
WRITER = {"name": "writer", "authentication": "tls"}
BEGUN, RELOADED = 1000.0, 2000.0


class Site:
    """An authority, and one host with a process."""

    def __init__(self, directory: Path) -> None:
        self.place = Place(directory / "tls", "only-for-this-test")
        self.host, self.started = directory / "host", directory / "started"
        authority.ensure(self.place, "orders")

    def deploy(self) -> None:
        asked = certificate.request(run, str(self.host), "root")
        trust = authority.certificates(self.place.directory)
        certificate.install(str(self.host), "root", authority.issue(self.place, asked, HOST, 30), trust)

    def start(self) -> None:
        for path in self.host.iterdir():
            os.utime(path, (BEGUN, BEGUN))
        self.started.mkdir(exist_ok=True)
        (self.started / certificate.STARTED).write_text("")
        os.utime(self.started / certificate.STARTED, (RELOADED, RELOADED))

    def take(self, *steps: str, root: str = NODES) -> None:
        for step in steps:
            change.take(self.place, root, step, "orders")

    def node(self, root: str = NODES, **shown: Any) -> phases.Node:
        place = self.place.directory
        old, new = change.previous(place, root), change.following(place, root)
        found = {"certificate": certificate.observe(run, str(self.host)), **shown}
        return replacement.node("kafka1", root, old, new, found)

    def decision(self, root: str = NODES, ready: bool = False, **nodes: Any) -> phases.Decision:
        seen = {"kafka1": {"certificate": certificate.observe(run, str(self.host))}, **nodes}
        given = {"root": root, "nodes": seen, "users": [WRITER], "cluster": "orders", "clients_ready": ready}
        directory = self.place.directory
        return replacement.decision(directory, given, change.phase(directory, root))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The tests may run without root."""
    monkeypatch.setattr("os.chown", lambda *_: None)
    monkeypatch.setattr("ansible.module_utils.kraft.node.files.apply.set_owner_and_mode", lambda *_: None)
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path / "started"))
    made = Site(tmp_path)
    made.deploy()
    made.start()
    return made


def test_a_node_trusts_both_only_when_its_process_was_started_with_both(site: Site) -> None:
    site.take(phases.BEGIN)
    assert site.node() == phases.Node("kafka1")
    site.deploy()
    assert site.node() == phases.Node("kafka1", new=True, current=False)
    site.start()
    assert site.node() == phases.Node("kafka1", new=True)


def test_a_process_shows_what_it_was_started_with_and_listeners_what_they_show(site: Site) -> None:
    site.take(phases.BEGIN)
    site.deploy()
    site.start()
    old = certificate.observe(run, str(site.host))["certificate"]
    site.take(phases.ISSUE)
    assert not site.node().certificate
    site.deploy()
    assert site.node() == phases.Node("kafka1", new=True, certificate=True)
    site.start()
    shown = {"certificates": [{"address": "k:1", "certificate": old}, {"address": "k:2", "certificate": ""}]}
    assert site.node(shown=shown) == phases.Node(
        "kafka1", new=True, certificate=True, process=True, others=("k:1", "k:2")
    )
    (site.started / certificate.OF_PROCESS).write_text(old)
    assert not site.node().process


def test_a_node_that_is_down_has_no_process(site: Site) -> None:
    (site.started / certificate.STARTED).unlink()
    assert not site.node().runs


def test_a_process_without_a_record_runs_and_is_restarted_first(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that an earlier release of this project started: its certificate and its trust are not known."""
    (site.started / certificate.STARTED).unlink()
    monkeypatch.setattr(certificate, "observe_service", lambda _: ServiceState(pid=1))
    found = site.node()
    assert (found.runs, found.current, found.process) == (True, False, False)


def test_a_host_that_no_one_looked_at_is_refused(site: Site) -> None:
    with pytest.raises(RefusedError, match="kafka2, kafka3"):
        site.decision(kafka2=None, kafka3={"certificate": None})


def test_users_are_due_once_the_new_authority_signs(site: Site) -> None:
    def issue() -> None:
        for step in users.steps(site.place.directory, "orders", [WRITER], 0):
            users.carry_out(site.place, step, 30)

    issue()
    site.take(phases.BEGIN, root=CLIENTS)
    site.deploy()
    site.start()
    assert site.decision(CLIENTS) == phases.Decision(phases.ISSUE)
    site.take(phases.ISSUE, root=CLIENTS)
    assert site.decision(CLIENTS, ready=True) == phases.Decision(users=("writer",))
    issue()
    assert site.decision(CLIENTS) == phases.Decision(clients=True)
    assert site.decision(CLIENTS, ready=True) == phases.Decision(phases.DROP)


@pytest.mark.parametrize(
    ("root", "phase", "made", "predicted", "then"),
    [
        (NODES, phases.IDLE, phases.Decision(phases.BEGIN), False, {"deploy", "resources"}),
        (NODES, phases.IDLE, phases.Decision(phases.BEGIN), True, {"over"}),
        (NODES, phases.IDLE, phases.Decision(), False, {"over"}),
        (NODES, phases.BOTH, phases.Decision(waits=("k1 waits",)), True, {"deploy"}),
        (NODES, phases.BOTH, phases.Decision(clients=True), False, {"over"}),
        (NODES, phases.BOTH, phases.Decision(phases.ISSUE), False, {"deploy"}),
        (CLIENTS, phases.BOTH, phases.Decision(phases.ISSUE), False, {"resources"}),
        (CLIENTS, phases.ISSUED, phases.Decision(users=("writer",)), False, {"resources"}),
        (NODES, phases.ISSUED, phases.Decision(phases.DROP), False, {"deploy", "resources"}),
        (NODES, phases.NEW_ONLY, phases.Decision(phases.FINISH), False, {"over"}),
    ],
)
def test_what_follows_a_decision(root: str, phase: str, made: phases.Decision, predicted: bool, then: set[str]) -> None:
    facts = replacement.facts(root, phase, made, predicted)
    assert {name for name in ("deploy", "resources", "over") if facts[name]} == then
    assert replacement.sentences(root, facts)[0].startswith(f"{root}: ")
