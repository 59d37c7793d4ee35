"""A rehearsal goes on without a ghost that bars a level, and ends for any other refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.operations.rehearsal.records import Metadata
from ansible.module_utils.kraft.operations.rehearsal.trial import Attempt, Trial

WANTED = {"metadata.version": 33}
BARRED, OTHER = "Broker {} only supports versions 7-29", "something else"


class Scripted(Trial):
    """A trial whose attempts are known; ``removed``: the registrations that it removed."""

    def __init__(self, *attempts: Attempt) -> None:
        super().__init__(cast(Client, None), {}, Metadata(), [1], 10)
        self._attempts, self.removed = list(attempts), list[int]()

    def finalise(self, wanted: Mapping[str, int]) -> Attempt:
        assert wanted == WANTED
        return self._attempts.pop(0)

    def unregister(self, broker_id: int, address: str = "") -> None:
        assert not address
        self.removed.append(broker_id)


def barred(broker_id: int) -> Attempt:
    return Attempt(refusals=(BARRED.format(broker_id),))


DONE = Attempt(steps=("raise",))


@pytest.mark.parametrize(
    ("attempts", "removed"),
    [
        ([DONE], []),
        ([barred(9), DONE], [9]),
        ([barred(9), barred(8), DONE], [9, 8]),
        ([barred(9), barred(9)], [9]),
        ([barred(1)], []),
        ([Attempt(refusals=(OTHER,))], []),
        ([barred(9), Attempt(refusals=(OTHER,))], [9]),
    ],
)
def test_only_ghosts_that_bar_a_level_are_unregistered(attempts: list[Attempt], removed: list[int]) -> None:
    trial = Scripted(*attempts)
    found: list[dict[str, Any]] = trial.finalise_without(WANTED, ghosts=[8, 9])
    assert trial.removed == removed
    assert [one["without"] for one in found] == [None, *removed]
    assert [tuple(one["refusals"]) for one in found] == [one.refusals for one in attempts]
