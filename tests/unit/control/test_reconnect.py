"""How often and after which pauses a task is repeated whose connection failed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.module_utils.kraft.control import reconnect

LOST = "EOF on stream; last 100 lines received:\nssh: connect to host 192.0.2.1 port 22: Connection refused"


class Connection:
    """A connection that is set to `retries`, and notes how often it was closed."""

    def __init__(self, retries: int | None) -> None:
        self.retries, self.closed = retries, 0
        self._shell = SimpleNamespace(tmpdir="lost")

    def get_option(self, name: str) -> int:
        if self.retries is None:
            raise KeyError(name)
        return self.retries

    def close(self) -> None:
        self.closed += 1


class Attempts:
    """An action's run that fails as often as there are `failures`, and then gives its arguments."""

    def __init__(self, *failures: Exception) -> None:
        self.failures, self.made = list(failures), 0

    def __call__(self, action: Any, *_: Any) -> dict[str, Any]:
        self.made += 1
        if self.failures:
            raise self.failures.pop(0)
        return {"tmpdir": action._connection._shell.tmpdir}


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    return pauses


def played(attempts: Attempts, connection: Connection, told: list[str], delegate_to: str = "") -> Any:
    action = SimpleNamespace(_connection=connection, _task=SimpleNamespace(delegate_to=delegate_to))
    return reconnect.persistent(attempts, told.append)(action, None, {"inventory_hostname": "kafka1"})


def test_pauses_are_those_of_ansibles_own_ssh() -> None:
    assert reconnect.pauses(8) == [0, 1, 3, 7, 15, 30, 30, 30]


def test_a_lost_connection_is_made_anew_and_the_task_repeated(slept: list[float]) -> None:
    told: list[str] = []
    connection = Connection(retries=6)
    attempts = Attempts(*[AnsibleConnectionFailure(LOST)] * 3)
    assert played(attempts, connection, told, delegate_to="kafka2") == {"tmpdir": None}
    assert (attempts.made, connection.closed, slept) == (4, 3, [0, 1, 3])
    words = "connection lost (ssh: connect to host 192.0.2.1 port 22: Connection refused), tried again in 3 s"
    assert told[2] == f"kafka2: {words}"


def test_the_last_failure_is_the_tasks_own(slept: list[float]) -> None:
    attempts = Attempts(*[AnsibleConnectionFailure("gone")] * 9)
    with pytest.raises(AnsibleConnectionFailure, match="gone"):
        played(attempts, Connection(retries=2), [])
    assert (attempts.made, slept) == (3, [0, 1])


@pytest.mark.parametrize("retries", [0, None])
def test_nothing_is_repeated_where_it_is_not_asked_for(retries: int | None) -> None:
    attempts = Attempts(AnsibleConnectionFailure("gone"))
    with pytest.raises(AnsibleConnectionFailure):
        played(attempts, Connection(retries), [])
    assert attempts.made == 1


@pytest.mark.parametrize(
    "words", ["the respondent Context has disconnected", "Connection timed out.", "Channel was disconnected while …"]
)
@pytest.mark.usefixtures("slept")
def test_what_mitogen_says_of_a_lost_connection_is_one(words: str) -> None:
    assert played(Attempts(AnsibleError(words)), Connection(retries=6), []) == {"tmpdir": None}


def test_a_refused_login_is_not_tried_again() -> None:
    attempts = Attempts(AnsibleConnectionFailure("ops@192.0.2.1: Permission denied (publickey)."))
    with pytest.raises(AnsibleConnectionFailure):
        played(attempts, Connection(retries=6), [])
    assert attempts.made == 1


def test_a_task_that_fails_is_not_repeated() -> None:
    attempts = Attempts(AnsibleError("refused"))
    with pytest.raises(AnsibleError):
        played(attempts, Connection(retries=6), [])
    assert attempts.made == 1
