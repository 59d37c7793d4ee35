"""Calls that AWS accepts before it shows them: each is looked at until it shows, or until a bound.

EC2 is eventually consistent: what was made a moment ago can be missing from the next answer
(docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html).
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ansible.module_utils.kraft.providers.ec2.account import AccountError, advised, code_of
from ansible.module_utils.kraft.providers.ec2.refusal_remedies import ADVICE, SLOWER

Shown = TypeVar("Shown")
UNKNOWN = ".NotFound"  # how every code ends that AWS has for an id that it does not show
FINAL = ("InvalidAMIID", "InvalidSnapshot", "InvalidPermission")  # not of this cluster's: it comes by no waiting
SLOW = tuple(code for code, said in ADVICE.items() if said is SLOWER)


class NotShownError(AccountError):
    """AWS accepted a change and does not show it."""

    def __init__(self, what: str) -> None:
        super().__init__(f"AWS does not show it yet: {what}. Run again")


@dataclasses.dataclass(frozen=True)
class Aws:
    """boto3's clients and waiting times. ``launcher``: the client that requests machines, with fewer tries.
    ``single``: one that sends each call once.

    Seconds: ``patience`` until AWS shows what it has accepted; ``boot`` until a machine runs or a disk is changed;
    ``pause`` between two looks; ``young`` until AWS shows what a killed run has made last.
    """

    region: str
    client: Any
    ssm: Any
    launcher: Any
    single: Any
    patience: float = 120
    boot: float = 600
    pause: float = 2
    young: float = 20

    def call(self, operation: str, what: str, **arguments: Any) -> Any:
        """Return AWS's answer. While it does not find an id that was just made, the call is repeated."""
        return self.shown(what, lambda: getattr(self.client, operation)(**arguments) or True)

    def once(self, operation: str, what: str, **arguments: Any) -> Any:
        """Return AWS's answer to a call that makes something and takes no client token.

        It is sent once, unless AWS throttles it: a lost answer can hide that it had its effect. The next run finds it.
        """
        return self.shown(what, lambda: getattr(self.single, operation)(**arguments))

    def shown(self, what: str, read: Callable[[], Shown | None], seconds: float = 0) -> Shown:
        """Return the result of `read` once it is true; raises NotShownError with `what` after the bound.

        A call that AWS throttles for longer than the client repeats it is one more look; at the bound it is raised.
        """
        deadline = time.monotonic() + (seconds or self.patience)
        while True:
            found, slowed = self._seen(read)
            if found:
                return found
            if time.monotonic() >= deadline:
                raise slowed or NotShownError(what)
            time.sleep(self.pause)

    def _seen(self, read: Callable[[], Shown | None]) -> tuple[Shown | None, Exception | None]:
        """Return what `read` returns, and AWS's error if it asked for fewer calls."""
        try:
            return read(), None
        except self.client.exceptions.ClientError as error:
            code = code_of(error)
            if code in SLOW:
                return None, error
            if not code.endswith(UNKNOWN) or code.startswith(FINAL):
                raise
            return None, None

    def one(self, operation: str, key: str, **arguments: Any) -> dict[str, Any] | None:
        """Return the only item of a query by id; None if AWS does not show it."""
        found = getattr(self.client, operation)(**arguments)[key]
        return found[0] if found else None


def refused(host: str, what: str) -> AccountError:
    """Return an error of a host with AWS's own reason and the remedy."""
    return AccountError(advised(f"{host}: {what}"))
