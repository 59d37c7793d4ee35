"""The errors of this project, as a small tree.

KraftError
├── RefusedError      the request, or the state of a host, forbids the change; carries every problem at once
│   └── OtherClusterError  a node of another cluster answered
├── UnreachableError  a host or the cluster did not answer in time
│   └── UnansweredError   and that does not mean that nothing runs there
│       └── LateError     it takes connections, and its answer was not there in time
└── ToolError         a command was run and failed; the message holds what it said
    ├── AccessError   the cluster answered and refuses us: login, certificate of ours, or permission
    └── TrustError    a server answered, and we do not trust its certificate
"""

from __future__ import annotations

from collections.abc import Sequence


class KraftError(Exception):
    """Base of all errors; the text names the fault, the place and the remedy."""


class RefusedError(KraftError):
    """Nothing was changed. ``problems``: one text (or object whose ``str`` is one) for each fault."""

    def __init__(self, problems: Sequence[object]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refuse(problems: Sequence[object]) -> None:
    """Raise RefusedError if there is a problem."""
    if problems:
        raise RefusedError(problems)


class OtherClusterError(RefusedError):
    """A node of another cluster answered at `address`, and got no other request. `found`, `expected`: cluster ids."""

    rule = "other_cluster"

    def __init__(self, address: str, found: str, expected: str) -> None:
        self.address, self.found, self.expected = address, found, expected
        remedy = "correct kafka_cluster_id, or remove that host from the inventory"
        super().__init__([f"{address} belongs to cluster {found}, and {expected} is expected -> {remedy}"])


class UnreachableError(KraftError):
    """No answer within the deadline; the text names the address and the time."""


class UnansweredError(UnreachableError):
    """A server took the connection and did not answer, or the name was not resolved: no evidence that it is down."""


class LateError(UnansweredError):
    """A time-out of something that takes connections, as of a broker that waits for a leader."""


class ToolError(KraftError):
    """A command failed; the text names it, its exit code, and its last output."""


class AccessError(ToolError):
    """The cluster refuses us; a retry does not help until the login or the permission is changed."""


class TrustError(ToolError):
    """We refuse the cluster's certificate; the text gives the reason."""
