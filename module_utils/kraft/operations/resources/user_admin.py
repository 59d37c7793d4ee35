"""SCRAM credentials of a running cluster.

Kafka's API shows nothing of a password. It is compared with what the metadata log of this host's node has: no broker
works for that. If that proves nothing, it is compared by logging in with it.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.portions import each_one
from ansible.module_utils.kraft.errors import AccessError, UnreachableError
from ansible.module_utils.kraft.node.storage.scram import salted
from ansible.module_utils.kraft.operations.resources.run import Asker
from ansible.module_utils.kraft.operations.resources.stored_users import stored_users

MECHANISMS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
#: Iterations of PBKDF2; Kafka accepts no fewer, and every login of every client pays for more.
ITERATIONS = 4096
SALT_BYTES = 24
#: A thread fills a core; the broker of this host works beside them.
COMPARED_AT_ONCE = 2
#: The time for which a thread keeps Python's lock (5 ms by default): who makes a key needs it for a moment every 2 ms.
SWITCH_SECONDS = 0.0005
LOGINS_AT_ONCE = 8
#: Tried again together: a broker under load accepts some too late, and one that accepts none is given up.
LOGINS_TOGETHER = 64
NO_SUCH_USER = 91  #: RESOURCE_NOT_FOUND


@dataclasses.dataclass(frozen=True, order=True)
class Credential:
    """Login of one user."""

    user: str
    mechanism: str

    def __str__(self) -> str:
        return f"user {self.user} ({self.mechanism})"


class UserAdmin(Asker):
    """Key: a credential; value: True if its password is the desired one (or none is declared).

    A credential without a password, in check mode, is one that is still to be generated: it is never the desired one.
    `logins`: mechanism -> the ``client`` parameter for a listener that takes it; without one, existing users count as
    right. `awaited`: that listener may still be to come, as in check mode. `node`: the ``server.properties`` of
    this host's node, if there is one. Changed users log in: only that shows that a broker has the change.
    """

    name = "users"

    def __init__(
        self,
        client: Client,
        passwords: Mapping[Credential, str],
        logins: Mapping[str, Mapping[str, Any]],
        awaited: bool,
        node: str = "",
    ) -> None:
        super().__init__(client)
        self._passwords, self._logins, self._awaited, self._node = passwords, logins, awaited, node
        self._changed: set[Credential] = set()
        self._matches: dict[Credential, Future[bool]] = {}

    def begin(self, desired: Mapping[Credential, bool]) -> None:
        """Compare in the background what this host's node has stored of each user: to make keys takes long."""
        wanted = [each for each in self._passwords if each in desired and each.mechanism in self._logins]
        stored = stored_users(self._client, self._node) if self._node and wanted else {}
        sys.setswitchinterval(SWITCH_SECONDS)
        pool = ThreadPoolExecutor(COMPARED_AT_ONCE)
        self._matches = {
            each: pool.submit(known.is_of, self._passwords[each], MECHANISMS[each.mechanism])
            for each in wanted
            if (known := stored.get((each.user, MECHANISMS[each.mechanism])))
        }
        pool.shutdown(wait=False)

    def read_current(self, desired: Mapping[Credential, bool]) -> dict[Credential, bool]:
        answer = self.send("DescribeUserScramCredentialsRequest", users=None)
        there = [
            Credential(one["user"], mechanism)
            for one in answer["results"]
            if one["error_code"] != NO_SUCH_USER
            for each in one["credential_infos"]
            for mechanism, number in MECHANISMS.items()
            if each["mechanism"] == number
        ]
        declared = [each for each in there if each in self._passwords and each in desired]
        compared = [each for each in declared if each.mechanism in self._logins]
        right = {each: True for each in compared if each not in self._changed and self._matches_stored(each)}
        compared = [each for each in compared if each not in right]
        for first in range(0, len(compared), LOGINS_TOGETHER):
            right.update(self._all_accepted(compared[first : first + LOGINS_TOGETHER]))
        return {each: right.get(each, each not in desired or each in self._passwords) for each in there}

    def put(self, values: Mapping[Credential, bool]) -> list[str]:
        self._changed |= set(values)
        return self._alter("upsertions", {each: self._upsertion(each) for each in values})

    def remove(self, keys: tuple[Credential, ...]) -> list[str]:
        return self._alter("deletions", {each: (each.user, MECHANISMS[each.mechanism]) for each in keys})

    def _matches_stored(self, credential: Credential) -> bool:
        found = self._matches.get(credential)
        return found is not None and found.result()

    def _all_accepted(self, credentials: Sequence[Credential]) -> dict[Credential, bool]:
        """Return credential -> password is right. Silent logins are repeated as long as any other one got an answer."""
        right: dict[Credential, bool] = {}
        while waiting := [each for each in credentials if each not in right]:
            with ThreadPoolExecutor(LOGINS_AT_ONCE) as pool:
                answers = list(zip(waiting, pool.map(self._answer, waiting)))
            silent = [answer for _, answer in answers if isinstance(answer, UnreachableError)]
            if len(silent) == len(waiting):
                raise silent[0]
            right.update({each: answer for each, answer in answers if not isinstance(answer, UnreachableError)})
        return right

    def _answer(self, credential: Credential) -> bool | UnreachableError:
        try:
            return self._accepted(credential)
        except UnreachableError as error:
            return error

    def _accepted(self, credential: Credential) -> bool:
        """Raises UnreachableError."""
        options = {
            **self._logins[credential.mechanism],
            "sasl_mechanism": credential.mechanism,
            "username": credential.user,
            "password": self._passwords[credential],
        }
        with Client(options) as client:
            try:
                client.reach()
            except AccessError:
                return False
            except UnreachableError:
                if not self._awaited:
                    raise
        return True

    def _upsertion(self, credential: Credential) -> tuple[str, int, int, bytes, bytes]:
        """Return the stored form: never the password itself."""
        salt, number = os.urandom(SALT_BYTES), MECHANISMS[credential.mechanism]
        made = salted(self._passwords[credential], number, salt, ITERATIONS)
        return (credential.user, number, ITERATIONS, salt, made)

    def _alter(self, field: str, changes: Mapping[Credential, tuple[Any, ...]]) -> list[str]:
        """Change one mechanism at a time: Kafka takes a user only once in a request."""
        refused: list[str] = []
        for mechanism in sorted({each.mechanism for each in changes}):
            for portion in each_one(change for each, change in changes.items() if each.mechanism == mechanism):
                fields = {"deletions": [], "upsertions": [], field: portion}
                results = self.send("AlterUserScramCredentialsRequest", **fields)["results"]
                refused += [self.refusal(f"user {one['user']}", one) for one in results if not is_gone(one)]
        return [text for text in refused if text]


def is_gone(answer: Mapping[str, Any]) -> bool:
    """Check for an answer about a credential that did not exist."""
    return bool(answer["error_code"] == NO_SUCH_USER)
