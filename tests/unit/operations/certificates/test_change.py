"""The files of an authority that is being replaced, and what a run that was killed in between leaves."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.control.authority import Place
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.certificate import CLIENTS, NODES, ROOTS
from ansible.module_utils.kraft.operations.certificates import change, phases, requirements
from cryptography import x509

STEPS = (phases.BEGIN, phases.ISSUE, phases.DROP, phases.FINISH)
PHASE_AFTER = dict(zip(STEPS, (phases.BOTH, phases.ISSUED, phases.NEW_ONLY, phases.IDLE)))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("authority") / "tls", "only-for-this-test")
    authority.ensure(place, "orders")
    return place


@pytest.fixture
def place(made: Place, tmp_path: Path) -> Place:
    return dataclasses.replace(made, directory=Path(shutil.copytree(made.directory, tmp_path / "tls")))


def trusted(place: Place, root: str = NODES) -> tuple[str, ...]:
    return change.split((place.directory / f"{root}.pem").read_text())


def signer(place: Place, root: str) -> str:
    """The authority that signs, by what it issues."""
    text = authority.issue_to_user(place, authority.User("writer", "orders"), 1) if root == CLIENTS else ""
    if not text:
        return trusted(place)[0]
    leaf = x509.load_pem_x509_certificate(text[text.index("-----BEGIN CERTIFICATE") :].encode())
    for one in trusted(place, root):
        if x509.load_pem_x509_certificate(one.encode()).subject == leaf.issuer:
            leaf.verify_directly_issued_by(x509.load_pem_x509_certificate(one.encode()))
            return one
    raise AssertionError(leaf.issuer)


def take(place: Place, root: str, *steps: str) -> None:
    for step in steps:
        change.take(place, root, step, "orders")


@pytest.mark.parametrize("root", ROOTS)
def test_each_step_leads_to_its_phase_and_the_authority_can_be_used_in_all(place: Place, root: str) -> None:
    old, other = trusted(place, root)[0], next(each for each in ROOTS if each != root)
    untouched = (place.directory / f"{other}.pem").read_text()
    for step in STEPS:
        assert phases.STEP[change.phase(place.directory, root)] == step
        take(place, root, step)
        assert change.phase(place.directory, root) == PHASE_AFTER[step]
        assert authority.fault(place) == ""
        new = change.following(place.directory, root) or trusted(place, root)[0]
        expected = {phases.BEGIN: (old, new), phases.ISSUE: (new, old)}.get(step, (new,))
        assert trusted(place, root) == expected
        assert signer(place, root) == expected[0]
        assert new != old
    assert sorted(each.name for each in place.directory.iterdir()) == [
        "clients.key",
        "clients.pem",
        "nodes.key",
        "nodes.pem",
    ]
    assert (place.directory / f"{other}.pem").read_text() == untouched


def test_the_old_authority_is_kept_until_the_end(place: Place) -> None:
    old, key = trusted(place)[0], (place.directory / "nodes.key").read_bytes()
    take(place, NODES, *STEPS[:3])
    assert (place.directory / "nodes.key").read_bytes() == key
    assert change.previous(place.directory, NODES) == old
    assert change.known(place.directory, NODES) == {old, change.following(place.directory, NODES)}
    take(place, NODES, phases.FINISH)
    assert (place.directory / "nodes.key").read_bytes() != key
    assert change.previous(place.directory, NODES) == ""


def test_authorities_have_different_names(place: Place) -> None:
    take(place, NODES, phases.BEGIN)
    names = [x509.load_pem_x509_certificate(each.encode()).subject for each in trusted(place)]
    assert len(set(names)) == 2


class KilledError(Exception):
    """In place of a signal."""


def killing(nth: int, does: Callable[..., Any], counted: list[int]) -> Callable[..., Any]:
    """As `does`, but dies in place of the call with this number, of all that are `counted` together."""

    def changed(*given: Any, **more: Any) -> Any:
        counted[0] += 1
        if counted[0] == nth:
            raise KilledError
        return does(*given, **more)

    return changed


@pytest.mark.parametrize("nth", range(1, 5))
@pytest.mark.parametrize("done", range(4))
def test_a_step_that_is_killed_before_any_of_its_changes_is_taken_again(
    place: Place, monkeypatch: pytest.MonkeyPatch, done: int, nth: int
) -> None:
    """`done`: steps before the one that is killed before its change number `nth`."""
    take(place, NODES, *STEPS[:done])
    counted = [0]
    with monkeypatch.context() as patched:
        patched.setattr(authority, "write", killing(nth, authority.write, counted))
        patched.setattr(os, "unlink", killing(nth, os.unlink, counted))
        patched.setattr(os, "replace", killing(nth, os.replace, counted))
        try:
            take(place, NODES, STEPS[done])
        except KilledError:
            assert authority.fault(place) == ""
    phase = change.phase(place.directory, NODES)
    assert phase in (PHASE_AFTER[STEPS[done]], PHASE_AFTER[STEPS[done - 1]])
    if phase != phases.IDLE or done == 0:
        take(place, NODES, *STEPS[STEPS.index(phases.STEP[phase]) :])
    assert change.phase(place.directory, NODES) == phases.IDLE
    assert authority.fault(place) == ""
    take(place, NODES, *STEPS)
    assert len(trusted(place)) == 1


def test_where_there_is_no_authority_none_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "tls").mkdir()
    with pytest.raises(RefusedError):
        take(Place(tmp_path / "tls", "only-for-this-test"), NODES, phases.BEGIN)


def foreign(place: Place, *theirs: str) -> bool:
    return requirements.is_foreign({"authority": str(place.directory)}, {"trust": {NODES: "".join(theirs)}})


def test_an_authority_from_a_backup_is_foreign_where_nodes_are_beyond_it(place: Place, tmp_path: Path) -> None:
    backup = dataclasses.replace(place, directory=Path(shutil.copytree(place.directory, tmp_path / "backup")))
    old = trusted(place)[0]
    take(place, NODES, phases.BEGIN)
    begun = dataclasses.replace(place, directory=Path(shutil.copytree(place.directory, tmp_path / "begun")))
    new = change.following(place.directory, NODES)
    assert [foreign(backup, *theirs) for theirs in ((old,), (old, new), (new,))] == [False, True, True]
    assert [foreign(begun, *theirs) for theirs in ((old,), (old, new), (new,))] == [False, False, True]
    take(place, NODES, phases.ISSUE, phases.DROP)
    assert [foreign(place, *theirs) for theirs in ((old,), (old, new), (new,))] == [True, False, False]
