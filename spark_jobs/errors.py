"""Errors that end a smoke test without a verdict, and the exit codes.

    SmokeError               the message names the error, the place, and the remedy
      UsageError             3: the arguments or the configuration are wrong; all problems at once
      InstallationError      3: Java, PySpark or the connector's jars are missing here
      UnreachableError       2: the cluster cannot be reached, or stopped answering

A finished audit ends with 0 (proven) or 1 (failed: something is not as it was written); anything
else that goes wrong inside the job is a defect of the job: its traceback is shown and the code is 4.
"""

from __future__ import annotations

from collections.abc import Sequence

EXIT_PROVEN = 0
EXIT_FAILED = 1
EXIT_UNREACHABLE = 2
EXIT_USAGE = 3
EXIT_DEFECT = 4


class SmokeError(Exception):
    """The root; ``exit_code`` is what the process ends with."""

    exit_code = EXIT_DEFECT


class UsageError(SmokeError):
    """Every problem of the arguments or the configuration, one line each."""

    exit_code = EXIT_USAGE

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


class InstallationError(SmokeError):
    """Something that the job needs on this machine is missing."""

    exit_code = EXIT_USAGE


class UnreachableError(SmokeError):
    """The cluster did not answer in time."""

    exit_code = EXIT_UNREACHABLE


class RefusedLoginError(UnreachableError):
    """The cluster answered, and one of the two sides refuses the other: the user must change that."""

    exit_code = EXIT_USAGE


class TimedOutError(SmokeError):
    """Spark took longer than it may, and Kafka is not known to be the reason."""

    exit_code = EXIT_USAGE
