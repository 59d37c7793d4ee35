"""The node or controller that gets the request to read a node's certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import KraftError, ToolError, UnreachableError
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.operations.certificates import load as load_module
from ansible.module_utils.kraft.operations.certificates.load import (
    NOT_CONTROLLER,
    asked_at,
    await_accepted,
    mutual,
    request_load,
)

from tests.unit.modules.module_runner import RunModule

LISTENERS = [
    {"purpose": "client", "address": "k1:9092"},
    {"purpose": "inter_broker", "address": "k1:19092"},
    {"purpose": "controller", "address": "k1:9093"},
]
CONTROLLERS = ["c1:9093", "c2:9093"]


class Cluster:
    """Answers with a code for each address, or an exception."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, list[str]()

    def request(self, _: str, **__: Any) -> str:
        return "request"

    def error(self, what: str, code: int, _: Any) -> KraftError | None:
        return ToolError(f"{what}: {code}") if code else None

    def send_all(self, questions: list[Any]) -> list[Any]:
        self.asked += [one.address for one in questions]
        answer = self.answers[questions[0].address.partition(":")[0]]
        failed = isinstance(answer, KraftError)
        return [answer if failed else {"responses": [{"error_code": answer, "error_message": None}]}]


def test_a_broker_is_asked_itself_and_a_mere_controller_through_the_controllers() -> None:
    assert asked_at(LISTENERS, CONTROLLERS) == ["k1:19092"]
    assert asked_at(LISTENERS[2:], CONTROLLERS) == CONTROLLERS


@pytest.mark.parametrize("first", [NOT_CONTROLLER, UnreachableError("nothing listens")])
def test_the_next_controller_is_asked_where_one_is_away_or_not_the_active_one(first: Any) -> None:
    cluster: Any = Cluster(c1=first, c2=0)
    request_load(cluster, 101, CONTROLLERS)
    assert cluster.asked == CONTROLLERS


def test_a_refusal_is_not_asked_again() -> None:
    cluster: Any = Cluster(c1=29, c2=0)
    with pytest.raises(KraftError, match="node 101: 29"):
        request_load(cluster, 101, CONTROLLERS)
    assert cluster.asked == CONTROLLERS[:1]


def test_listeners_that_trust_the_authority_for_clients_are_known_by_what_the_process_was_started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path))
    settings = [
        "listener.name.mutual.ssl.truststore.location=/k/tls/clients.pem",
        "ssl.truststore.location=/k/tls/nodes.pem",
    ]
    (tmp_path / certificate.STARTED).write_text("\n".join(settings))
    listeners = [{"name": "CLIENT", "address": "k1:9092"}, {"name": "MUTUAL", "address": "k1:9094"}]
    assert mutual(listeners, "/k/tls") == ["k1:9094"]


def test_a_listener_that_still_trusts_others_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clients.pem").write_text("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n")
    said = {"x509": "subject=CN = new\n"}
    monkeypatch.setattr(load_module, "accepted", lambda _: frozenset({"CN = old"}))
    params = {"directory": str(tmp_path), "timeout": 0}

    def run(command: list[str], **_: Any) -> tuple[int, str, str]:
        return 0, said[command[1]], ""

    with pytest.raises(ToolError, match="k1:9094"):
        await_accepted(run, ["k1:9094"], params)
    said["x509"] = "subject=CN = old\n"
    await_accepted(run, ["k1:9094"], params)


def test_a_listener_that_does_not_answer_does_not_trust_authorities_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_module, "accepted", lambda _: frozenset())
    with pytest.raises(ToolError, match=r"clients\.pem"):
        await_accepted(lambda *_, **__: (0, "", ""), ["k1:9094"], {"directory": str(tmp_path), "timeout": 0})


@pytest.fixture
def unloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Parameters for a node that has still to load its certificate."""
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path))
    (tmp_path / certificate.UNLOADED).touch()
    (tmp_path / "node.pem").write_text("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n")
    listeners = [{**one, "name": one["purpose"], "protocol": "SSL"} for one in LISTENERS]
    asked = {"client": {"bootstrap_servers": ["k1:19092"]}, "node_id": 1, "directory": str(tmp_path)}
    return {**asked, "listeners": listeners, "controllers": CONTROLLERS}


def test_mirrormaker_restarts_with_the_certificate_that_it_has_not_read_also_after_a_killed_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[list[str]] = []

    def run(command: list[str]) -> tuple[int, str, str]:
        told.append(command)
        return 0, "LoadState=not-found\nActiveState=inactive\nSubState=dead\nMainPID=0\n", ""

    monkeypatch.setattr(certificate, "is_behind", lambda name: name == "kafka-mirror")
    assert certificate.observe(run, "/nowhere")["unloaded"]
    assert certificate.restart_copies(run, check_mode=True)
    before = len(told)
    assert certificate.restart_copies(run, check_mode=False)
    assert [command[-2:] for command in told[before:]] == [["try-restart", "kafka-mirror"]]


@pytest.mark.parametrize(
    ("answer", "deferrable", "ends"),
    [
        (UnreachableError("no answer"), True, "deferred"),
        (UnreachableError("no answer"), False, "failed"),
        (ToolError("denied"), True, "failed"),
    ],
)
def test_what_no_controller_could_be_told_is_left_for_later_where_the_run_starts_some(
    unloaded: dict[str, Any], run_module: RunModule, answer: KraftError, deferrable: bool, ends: str
) -> None:
    class Asked(Cluster):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__(k1=answer)

        def __enter__(self) -> Asked:
            return self

        def __exit__(self, *_: object) -> None:
            return None

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(load_module, "Client", Asked)
        found = run_module("kafka_certificate", state="loaded", **unloaded, deferrable=deferrable)
    assert found.get(ends) is True
    assert certificate.is_unloaded()
