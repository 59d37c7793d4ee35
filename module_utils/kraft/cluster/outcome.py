"""Outcome of a question: its answer is known, unknown (with the reason) or unreachable.

Unknown never means down. Code that decides takes an `Outcome` apart with ``isinstance`` and ends with `never`, so that
mypy finds a forgotten case.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar, Union

from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.errors import (
    KraftError,
    LateError,
    OtherClusterError,
    UnansweredError,
    UnreachableError,
)

Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True)
class Known(Generic[Value]):
    value: Value


@dataclasses.dataclass(frozen=True)
class Unknown:
    """Something is there, or may be: it refused, was `late`, or its answer could not be read or trusted."""

    why: str
    late: bool = False


@dataclasses.dataclass(frozen=True)
class Unreachable:
    """No address takes connections."""

    why: str


Outcome = Union[Known[Value], Unknown, Unreachable]


def never(value: NoReturn) -> NoReturn:
    """End a chain of cases; mypy accepts it only if no case is left."""
    raise AssertionError(f"a case was forgotten: {value!r}")


def outcome(question: Callable[[], Value]) -> Outcome[Value]:
    """Return the result of `question`, or why there is none. Raises OtherClusterError: a repetition will not differ."""
    try:
        return Known(question())
    except OtherClusterError:
        raise
    except KraftError as error:
        return failed(error)


def failed(error: KraftError) -> Outcome[Value]:
    """Return the outcome of a question that ended with `error`."""
    if isinstance(error, UnreachableError) and not isinstance(error, UnansweredError):
        return Unreachable(str(error))
    return Unknown(str(error), is_late(error))


def is_late(error: KraftError) -> bool:
    """Check for a timeout, here or at a broker that forwarded the question. A broker without a leader is late, too."""
    return isinstance(error, LateError) or (isinstance(error, ApiError) and error.name == "RequestTimedOut")
