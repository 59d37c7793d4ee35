from __future__ import annotations

import pytest
from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.cluster.stall_timeout import LONGEST_SECONDS, StallTimeout
from ansible.module_utils.kraft.errors import RefusedError, ToolError, UnreachableError


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_stall_timeout_ends_when_nothing_advances() -> None:
    clock = Clock()
    stall_timeout = StallTimeout(10, clock)
    clock.now = 9.0
    assert stall_timeout.lasts()
    clock.now = 10.0
    assert not stall_timeout.lasts()


def test_a_stall_timeout_begins_again_with_every_advance() -> None:
    clock = Clock()
    stall_timeout = StallTimeout(10, clock)
    for second in range(0, 90, 9):
        clock.now = second
        assert stall_timeout.lasts(second)
    clock.now = 92.0
    assert not stall_timeout.lasts(81)


def test_a_stall_timeout_ends_after_a_day_whatever_advances() -> None:
    clock = Clock()
    stall_timeout = StallTimeout(LONGEST_SECONDS, clock)
    clock.now = LONGEST_SECONDS - 1
    assert stall_timeout.lasts("something new")
    clock.now = LONGEST_SECONDS
    assert not stall_timeout.lasts("something newer")


def failing(*errors: Exception) -> object:
    left = list(errors)

    def attempt() -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return attempt


@pytest.mark.parametrize("error", [UnreachableError("nobody"), ApiError("x", "NotController", "", retriable=True)])
def test_what_passes_is_tried_again(error: Exception) -> None:
    clock = Clock()
    assert until_answered(failing(error, error), 5, clock, clock.sleep) == "answer"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error", [RefusedError(["no"]), ToolError("no"), ApiError("x", "InvalidConfig", "", retriable=False)]
)
def test_what_does_not_pass_is_raised_at_once(error: Exception) -> None:
    clock = Clock()
    with pytest.raises(type(error)):
        until_answered(failing(error), 5, clock, clock.sleep)  # type: ignore[arg-type]
    assert clock.now == 0


def test_trying_again_has_an_end() -> None:
    clock = Clock()
    with pytest.raises(UnreachableError):
        until_answered(failing(*[UnreachableError("nobody")] * 1000), 5, clock, clock.sleep)  # type: ignore[arg-type]
    assert 5 <= clock.now < 6
