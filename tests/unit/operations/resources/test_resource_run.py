"""Several kinds in one run: all are planned before one is changed, and new access comes before old access goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.resources.plan import Prune
from ansible.module_utils.kraft.operations.resources.run import Asked, KindRun, Resources

NO_CLIENT = cast("Client", None)


class Kind:
    """A table in memory, which notes what is done to it."""

    def __init__(self, name: str, there: set[str], done: list[str], refused: str = "") -> None:
        self.name, self.there, self._done, self._refused = name, dict.fromkeys(there, True), done, refused

    def begin(self, _: Mapping[str, bool]) -> None:
        """Nothing takes long."""

    def read_current(self, _: Mapping[str, bool]) -> dict[str, bool]:
        return dict(self.there)

    def put(self, values: Mapping[str, bool]) -> list[str]:
        self._done += [f"add {self.name} {key}" for key in values]
        self.there.update(values)
        return [self._refused] if self._refused else []

    def remove(self, keys: tuple[str, ...]) -> list[str]:
        self._done += [f"remove {self.name} {key}" for key in keys]
        for key in keys:
            del self.there[key]
        return []


class Slow(Kind):
    """Notes when it begins, and when it is looked at."""

    def begin(self, _: Mapping[str, bool]) -> None:
        self._done.append(f"begin {self.name}")

    def read_current(self, _: Mapping[str, bool]) -> dict[str, bool]:
        self._done.append(f"look {self.name}")
        return dict(self.there)


def run_of(kind: Kind, wanted: set[str], absent: set[str] = frozenset(), prune: bool = False) -> KindRun[str]:  # type: ignore[assignment]
    asked = Asked(kind, dict.fromkeys(wanted, True), absent.__contains__)
    params: dict[str, Any] = {"timeout": 0}
    return KindRun(NO_CLIENT, lambda *_: asked, params, Prune(prune))


def test_new_access_of_every_kind_comes_before_old_access_of_any_goes() -> None:
    done: list[str] = []
    users, acls = Kind("user", {"old"}, done), Kind("ACL", {"old"}, done)
    runs = [run_of(kind, {"new"}, {"old"}) for kind in (users, acls)]
    Resources(kinds=runs).attempt(check_mode=True)
    assert done == []
    Resources(kinds=runs).attempt()
    assert done == ["add user new", "add ACL new", "remove user old", "remove ACL old"]
    assert [run.result()["steps"] for run in runs] == [["add new", "remove old"]] * 2


def test_what_forbids_one_kind_is_told_with_what_forbids_another_before_any_is_changed() -> None:
    done: list[str] = []
    many = {f"number {number}" for number in range(5)}
    kinds = [Kind(name, many, done) for name in ("user", "ACL")]
    refused_kinds = [run_of(kind, set(), prune=True) for kind in kinds]
    with pytest.raises(RefusedError) as refused:
        Resources(kinds=[run_of(Kind("quota", set(), done), {"new"}), *refused_kinds]).attempt()
    assert len(refused.value.problems) == 2
    assert done == []


def test_what_kafka_refuses_ends_the_run_before_anything_is_taken_away() -> None:
    done: list[str] = []
    users, acls = Kind("user", {"old"}, done), Kind("ACL", set(), done, refused="Kafka says no")
    runs = [run_of(users, {"new"}, {"old"}), run_of(acls, {"new"})]
    with pytest.raises(RefusedError, match="Kafka says no"):
        Resources(kinds=runs).attempt()
    assert done == ["add user new", "add ACL new"]


def test_a_second_attempt_reports_what_the_first_one_planned() -> None:
    done: list[str] = []
    run = run_of(Kind("user", set(), done), {"new"})
    for _ in range(2):
        Resources(kinds=[run]).attempt()
    assert run.result()["steps"] == ["add new"]
    assert done == ["add user new"]


def test_what_takes_long_begins_before_the_first_question_also_where_another_kind_is_refused() -> None:
    done: list[str] = []
    first, last = (run_of(Slow(name, {"there"}, done), {"there"}) for name in ("user", "ACL"))

    def refuse(*_: object) -> Asked[str]:
        raise RefusedError(["no such operation"])

    wrong = KindRun(NO_CLIENT, refuse, {"timeout": 0}, Prune(False))
    with pytest.raises(RefusedError, match="no such operation"):
        Resources(kinds=[first, wrong, last]).attempt()
    assert done == ["begin user", "begin ACL", "look user", "look ACL"]
