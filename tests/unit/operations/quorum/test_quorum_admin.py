"""Execution of plans for voters: requests, retries, and the end of waiting.

The requests themselves are proven on real controllers (``tests/integration/test_members.py``).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Feature, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import RefusedError, ToolError, UnreachableError
from ansible.module_utils.kraft.operations.quorum import admin
from ansible.module_utils.kraft.operations.quorum.admin import REQUEST_MS, QuorumAdmin, identifier
from ansible.module_utils.kraft.operations.quorum.plan import PARTS, Desired, Listener, Plan

from tests.unit.cluster.snapshots import replica

OLD, NEW = "inPTLlc5L8Y7esZH1-igFw", "YxZuUvU6gGM08SDU6euOkw"
AT = Listener("CONTROLLER", "kafka3", 9093)
DESIRED = Desired(3, listeners=(AT,), replace=True)
TIMEOUT = 7.0


def quorum(*voters: Replica, observers: tuple[Replica, ...] = ()) -> Snapshot:
    found = Quorum(1, 1, 100, (replica(1, "one"), replica(2, "two"), *voters), observers)
    return Snapshot("x", quorum=found, features=(Feature("kraft.version", 1, 0, 1),))


DONE = quorum(replica(3, NEW, fetched=9))
WIPED = quorum(replica(3, OLD, 60_000), observers=(replica(3, NEW, fetched=9),))


def coming(behind_ms: int) -> Snapshot:
    """A controller that follows, so far behind."""
    return quorum(observers=(replica(3, NEW, behind_ms, fetched=9),))


class RecordingClient:
    """A client that notes what is asked of it and answers with an error code if it has one."""

    def __init__(self, *errors: str) -> None:
        self.requests: list[tuple[str, dict[str, Any], float]] = []
        self._errors = list(errors)

    def reach(self) -> str:
        return "kafka1:9092"

    def request(self, name: str, /, **fields: Any) -> tuple[str, dict[str, Any]]:
        return name, fields

    def struct(self, request: str, name: str, /, **fields: Any) -> tuple[str, str, dict[str, Any]]:
        return request, name, fields

    def send(self, address: str, request: tuple[str, dict[str, Any]], seconds: float) -> dict[str, Any]:
        assert address == self.reach()
        self.requests.append((*request, seconds))
        return {"error_code": self._errors.pop(0) if self._errors else "", "error_message": "so it is"}

    def error(self, what: str, code: str, detail: str) -> ApiError | None:
        return ApiError(what, code, detail, retriable=False) if code else None


class Looks:
    """Snapshots, one for each observation; the last one stays. A second of the clock passes with each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *snapshots: Snapshot | Exception) -> None:
        self.now, self.slept, self._left = 0.0, set[float](), iter(snapshots)
        self._seen: Snapshot | Exception = snapshots[0]
        self.client = RecordingClient()
        monkeypatch.setattr(admin, "observe", self._observe)
        monkeypatch.setattr(admin, "StallTimeout", lambda seconds: StallTimeout(seconds, lambda: self.now))

    def _observe(self, client: object, parts: object) -> Snapshot:
        assert (client, parts) == (self.client, PARTS)
        self._seen = next(self._left, self._seen)
        if isinstance(self._seen, Exception):
            raise self._seen
        return self._seen

    def sleep(self, seconds: float) -> None:
        self.slept.add(seconds)
        self.now += 1

    def admin(self, *errors: str) -> QuorumAdmin:
        self.client = RecordingClient(*errors)
        return QuorumAdmin(self.client, TIMEOUT, self.sleep)  # type: ignore[arg-type]


def test_an_unanswered_part_is_no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, Snapshot("x", unanswered={"quorum": "no answer", "features": "late"}))
    with pytest.raises(UnreachableError, match=r"^quorum is not known: no answer; features is not known: late$"):
        looks.admin().describe_quorum()


def test_the_plan_comes_with_what_it_was_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, WIPED)
    assert looks.admin().planned(DESIRED) == (WIPED, Plan(DESIRED, OLD, NEW))


def test_what_no_waiting_changes_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, Snapshot("x", quorum=WIPED.quorum, features=()))
    worker = looks.admin()
    for ask in (worker.planned, worker.ready):
        with pytest.raises(RefusedError) as refused:
            ask(DESIRED)
        assert [one.rule for one in refused.value.problems] == ["static_quorum"]  # type: ignore[attr-defined]
    assert not looks.slept


def test_a_controller_that_gets_closer_is_waited_for_longer_than_the_timeout_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = [coming(behind) for behind in (9_000, 8_000, 7_000, 6_000, 5_000) for _ in range(4)]
    looks = Looks(monkeypatch, UnreachableError("nobody"), *steps, coming(0))
    assert looks.admin().ready(DESIRED) == Plan(DESIRED, add=NEW)
    assert looks.now == len(steps) + 1 > TIMEOUT
    assert looks.slept == {PAUSE}


def swinging() -> Iterator[Snapshot]:
    """Now nearer, now farther, and never nearer than before."""
    for _ in range(40):
        yield from (coming(5_000), coming(9_000))


@pytest.mark.parametrize("seen", [[coming(5_000)], list(swinging())])
def test_waiting_ends_when_nothing_comes_closer(monkeypatch: pytest.MonkeyPatch, seen: list[Snapshot]) -> None:
    looks = Looks(monkeypatch, *seen)
    with pytest.raises(RefusedError, match=r"^no progress for 7 s: controller 3 is"):
        looks.admin().ready(DESIRED)
    assert looks.now == TIMEOUT


def test_waiting_ends_when_no_one_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, UnreachableError("nobody"))
    with pytest.raises(RefusedError, match=r"^no progress for 7 s: nobody"):
        looks.admin().ready(DESIRED)
    assert looks.now == TIMEOUT


def test_a_look_that_fails_between_is_no_advance(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, *[one for _ in range(40) for one in (coming(5_000), UnreachableError("nobody"))])
    with pytest.raises(RefusedError):
        looks.admin().ready(DESIRED)
    assert looks.now == TIMEOUT


def test_the_old_entry_goes_and_then_the_new_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, DONE)
    worker = looks.admin()
    worker.apply(Plan(DESIRED, OLD, NEW))
    removed, added = looks.client.requests
    assert removed == (
        "RemoveRaftVoterRequest",
        {"cluster_id": None, "voter_id": 3, "voter_directory_id": identifier(OLD)},
        REQUEST_MS / 1000 + 2,
    )
    listener = ("AddRaftVoterRequest", "Listener", {"name": "CONTROLLER", "host": "kafka3", "port": 9093})
    assert added == (
        "AddRaftVoterRequest",
        {
            "cluster_id": None,
            "timeout_ms": REQUEST_MS,
            "listeners": [listener],
            "ack_when_committed": True,
            "voter_id": 3,
            "voter_directory_id": identifier(NEW),
        },
        REQUEST_MS / 1000 + 2,
    )


def test_a_plan_without_steps_asks_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, DONE)
    looks.admin().apply(Plan(DESIRED))
    assert looks.client.requests == []


def test_what_was_done_and_is_undone_by_something_else_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch, coming(0))
    with pytest.raises(ToolError, match=f"reverted .*: add controller 3, .* {NEW}, at "):
        looks.admin().apply(Plan(DESIRED, add=NEW))


@pytest.mark.parametrize(("code", "again"), [("DuplicateVoter", True), ("VoterNotFound", True), ("Other", False)])
def test_who_was_overtaken_looks_again_and_other_errors_stand(
    monkeypatch: pytest.MonkeyPatch, code: str, again: bool
) -> None:
    looks = Looks(monkeypatch, DONE)
    with pytest.raises(ApiError) as raised:
        looks.admin(code).apply(Plan(DESIRED, remove=OLD))
    error = raised.value
    assert (error.name, error.detail, error.retriable) == (code, "so it is", again)
    assert str(error).startswith("RemoveRaftVoter: ")


def test_an_identifier_is_the_uuid_that_stands_behind_the_text() -> None:
    assert identifier("AAAAAAAAAAAAAAAAAAAAAQ") == uuid.UUID(int=1)
