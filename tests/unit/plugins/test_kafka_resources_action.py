"""Topics, users, ACLs and quotas are changed under the lock of their host, and whoever holds it is named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.kraft.control import this_run
from ansible.module_utils.kraft.node.run_lock import lock

from plugins.action.kafka_resources import ActionModule

DONE = {"changed": True, "steps": ["add user a"], "granted": True, "holder": {}}
LIVING = lock.Record("pc-2-b", "bob@other", "other", "boot", "2 1", "2026-01-01T09:00:00Z").as_dict()
DEAD = lock.Record("pc-9-d", "ann@pc", this_run.machine(), this_run.place(), "999999999 1", "", "").as_dict()


class Host:
    """Gives one answer after the other, and keeps how it was asked."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers, self.asked = list(answers), []  # type: ignore[var-annotated]

    def answer(self, **given: Any) -> dict[str, Any]:
        self.asked.append(given.get("module_args"))
        return dict(self._answers.pop(0))


def run(host: Host, check_mode: bool = False, **args: Any) -> tuple[dict[str, Any], Any]:
    action: Any = ActionModule.__new__(ActionModule)
    action._task = SimpleNamespace(
        args={"lock": True, **args},
        check_mode=check_mode,
        environment=[{"A": "b"}],
        delegate_to="kafka2",
        async_val=0,
        diff=False,
    )
    action._connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None))
    action._execute_module = host.answer
    return action.run(None, {"inventory_hostname": "kafka1"}), action._task


def test_the_host_and_what_it_starts_know_who_asks() -> None:
    host = Host(DONE)
    result, task = run(host)
    assert result == {"changed": True, "steps": ["add user a"]}
    assert task.environment == [{"A": "b"}, {lock.RUN_VARIABLE: host.asked[0]["record"]["run"]}]


def test_the_lock_of_a_dead_run_of_this_machine_is_taken_over() -> None:
    host = Host({"granted": False, "holder": DEAD}, DONE)
    assert run(host)[0]["changed"]
    assert [one.get("break_run") for one in host.asked] == [None, "pc-9-d"]


def test_another_run_is_named_with_the_host_that_it_holds() -> None:
    result, _ = run(Host({"granted": False, "holder": LIVING}))
    assert result["failed"]
    assert result["msg"].startswith("kafka2 is being changed by another run: bob@other, process 2")


def test_in_check_mode_another_run_is_only_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    warned: list[str] = []
    monkeypatch.setattr(this_run.DISPLAY, "warning", warned.append)
    result, _ = run(Host({**DONE, "granted": False, "holder": LIVING}), check_mode=True)
    assert result == {"changed": True, "steps": ["add user a"]}
    assert len(warned) == 1
    assert "pc-2-b" in warned[0]


def test_a_refusal_of_kafka_stays_as_it_is() -> None:
    refused = {"failed": True, "msg": "no", "problems": ["no"]}
    assert run(Host(refused))[0] == refused


def test_who_asks_for_no_lock_gets_none() -> None:
    host = Host({"changed": False})
    result, task = run(host, lock=False)
    assert result == {"changed": False}
    assert (host.asked, task.environment) == ([None], [{"A": "b"}])
