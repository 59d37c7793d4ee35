"""SCRAM credentials of a running cluster. A password is compared by logging in with it: Kafka shows nothing of it."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import AccessError, UnreachableError
from ansible.module_utils.kraft.operations.resources.run import Asker

MECHANISMS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
DIGESTS = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
#: Rounds of PBKDF2; Kafka accepts no fewer, and every login of every client pays for more.
ITERATIONS = 4096
SALT_BYTES = 24
LOGINS_AT_ONCE = 8
#: So many are tried again together: a broker under load accepts some too late, and one that accepts none is given up.
LOGINS_TOGETHER = 64
NO_SUCH_USER = 91  #: RESOURCE_NOT_FOUND


@dataclasses.dataclass(frozen=True, order=True)
class Credential:
    """How one user logs in."""

    user: str
    mechanism: str

    def __str__(self) -> str:
        return f"user {self.user} ({self.mechanism})"


class UserAdmin(Asker):
    """Key: a credential; value: whether its password is the wanted one (True where nobody wants another).

    A credential without a password, in check mode, is one that is still to be generated: it is never the wanted one.
    `logins`: mechanism -> the ``client`` parameter for a listener that takes it; without one, who exists is taken for
    right. `awaited`: whether that listener may still be to come, as in check mode.
    """

    name = "users"

    def __init__(
        self,
        client: Client,
        passwords: Mapping[Credential, str],
        logins: Mapping[str, Mapping[str, Any]],
        awaited: bool,
    ) -> None:
        super().__init__(client)
        self._passwords, self._logins, self._awaited = passwords, logins, awaited

    def look(self, desired: Mapping[Credential, bool]) -> dict[Credential, bool]:
        answer = self.ask("DescribeUserScramCredentialsRequest", users=None)
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
        right: dict[Credential, bool] = {}
        for first in range(0, len(compared), LOGINS_TOGETHER):
            right.update(self._all_accepted(compared[first : first + LOGINS_TOGETHER]))
        return {each: right.get(each, each not in desired or each in self._passwords) for each in there}

    def put(self, values: Mapping[Credential, bool]) -> list[str]:
        return self._alter([], [self._upsertion(each) for each in values])

    def remove(self, keys: tuple[Credential, ...]) -> list[str]:
        return self._alter([(each.user, MECHANISMS[each.mechanism]) for each in keys], [])

    def _all_accepted(self, credentials: Sequence[Credential]) -> dict[Credential, bool]:
        """Which passwords are right. Who got no answer tries again, as long as any other one got one."""
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
        """What is stored: never the password itself. Source: RFC 5802, Hi(); Kafka's ScramFormatter."""
        salt, password = os.urandom(SALT_BYTES), self._passwords[credential].encode()
        salted = hashlib.pbkdf2_hmac(DIGESTS[credential.mechanism], password, salt, ITERATIONS)
        return (credential.user, MECHANISMS[credential.mechanism], ITERATIONS, salt, salted)

    def _alter(self, deletions: list[Any], upsertions: list[Any]) -> list[str]:
        if not deletions and not upsertions:
            return []
        answer = self.ask("AlterUserScramCredentialsRequest", deletions=deletions, upsertions=upsertions)
        refusals = (
            self.refusal(f"user {one['user']}", one) for one in answer["results"] if one["error_code"] != NO_SUCH_USER
        )
        return [text for text in refusals if text]
