"""What can go wrong, as a small tree.

KraftError
├── RefusedError      what is asked, or what is there, must not be acted on; carries every problem at once
│   └── OtherClusterError  a node of another cluster answered
├── UnreachableError  a host or the cluster did not answer in time
│   └── UnansweredError   and that does not mean that nothing runs there
│       └── LateError     it takes connections, and its answer was not there in time
└── ToolError         a command was run and failed; the message holds what it said
    ├── AccessError   the cluster answered and refuses us: login, certificate of ours, or permission
    └── TrustError    somebody answered, and we do not trust the certificate
"""

from __future__ import annotations

from collections.abc import Sequence


class KraftError(Exception):
    """Base of all; its text says what, where, and what to do."""


class RefusedError(KraftError):
    """Nothing was changed. ``problems``: one text (or object whose ``str`` is one) for each thing that is wrong."""

    def __init__(self, problems: Sequence[object]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class OtherClusterError(RefusedError):
    """A node of another cluster answered at `address`, and was asked nothing else. `found`, `expected`: cluster ids."""

    rule = "other_cluster"

    def __init__(self, address: str, found: str, expected: str) -> None:
        self.address, self.found, self.expected = address, found, expected
        remedy = "correct kafka_cluster_id, or take that host out of the inventory"
        super().__init__([f"{address} belongs to cluster {found}, and {expected} is expected -> {remedy}"])


class UnreachableError(KraftError):
    """No answer within the deadline; says who was asked and for how long."""


class UnansweredError(UnreachableError):
    """Something took the connection and did not answer, or the name was not resolved: no evidence that it is down."""


class LateError(UnansweredError):
    """A time-out of something that takes connections, as of a broker that waits for a leader."""


class ToolError(KraftError):
    """A command failed; says which, with what exit code, and its own last words."""


class AccessError(ToolError):
    """The cluster refuses us; asking again does not help until somebody changes the login or the permission."""


class TrustError(ToolError):
    """We refuse the cluster's certificate; says why."""
