"""More than Kafka's controller takes at once goes in several requests. All refusals come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from ansible.module_utils.kraft.operations.resources.acl_admin import AclAdmin
from ansible.module_utils.kraft.operations.resources.quota_admin import QuotaAdmin
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin
from ansible.module_utils.kraft.operations.topics.admin import TopicAdmin
from ansible.module_utils.kraft.operations.topics.plan import Desired, Plan
from ansible.module_utils.kraft.spec.resources.acls import Acl
from ansible.module_utils.kraft.spec.resources.quotas import Quota

BOUND = 10_000  #: QuorumController.MAX_RECORDS_PER_USER_OP
MANY = range(BOUND + 1)
REFUSED: dict[str, Any] = {"error_code": 42, "error_message": "no"}
#: Request -> its field with the changes, and the answer's.
FIELDS: dict[str, tuple[str, str]] = {
    "AlterUserScramCredentialsRequest": ("deletions", "results"),
    "CreateAclsRequest": ("creations", "results"),
    "DeleteAclsRequest": ("filters", "filter_results"),
    "AlterClientQuotasRequest": ("entries", "entries"),
    "DeleteTopicsRequest": ("topics", "responses"),
    "IncrementalAlterConfigsRequest": ("resources", "responses"),
}


class Refusing:
    """Counts the records of each request, and refuses the last change of each."""

    def __init__(self) -> None:
        self.records: list[int] = []

    def reach(self) -> str:
        return "k1:9092"

    def request(self, name: str, **fields: Any) -> tuple[str, dict[str, Any]]:
        return name, fields

    def send(self, _: str, request: tuple[str, dict[str, Any]], __: float, ___: None = None) -> dict[str, Any]:
        name, fields = request
        given, answered = FIELDS[name]
        changes: Sequence[Any] = fields[given]
        single = name not in ("AlterClientQuotasRequest", "IncrementalAlterConfigsRequest")
        self.records.append(sum(1 if single else len(change[-1]) for change in changes))
        named: dict[str, Any] = {"entity": [], "name": "t", "resource_name": "t", "user": "u"}
        answers = [{"error_code": 0, "error_message": None, **named} for _ in changes]
        answers[-1] |= REFUSED
        return {"error_code": 0, answered: answers}

    def error(self, what: str, code: int, _: str | None) -> Any:
        return Refusal(what) if code else None


class Refusal:
    retriable = False
    name = "Refused"

    def __init__(self, what: str) -> None:
        self._what = what

    def __str__(self) -> str:
        return self._what


def acl(number: int) -> Acl:
    return Acl("User:a", "topic", f"t{number}", "read")


def credential(number: int) -> Credential:
    return Credential(f"u{number}", "SCRAM-SHA-512")


def quota(number: int) -> Quota:
    return Quota((("user", f"u{number}"),), "producer_byte_rate")


def topic(number: int, **given: Any) -> Plan:
    return Plan(Desired(f"t{number}"), **given)


@pytest.mark.parametrize(
    "change",
    [
        lambda client: AclAdmin(client).put({acl(number): True for number in MANY}),
        lambda client: AclAdmin(client).remove(tuple(map(acl, MANY))),
        lambda client: UserAdmin(client, {}, {}, awaited=False).remove(tuple(map(credential, MANY))),
        lambda client: QuotaAdmin(client).put({quota(number): 1.0 for number in MANY}),
        lambda client: QuotaAdmin(client).remove(tuple(map(quota, MANY))),
        lambda client: TopicAdmin(client, 1)._delete([topic(number, delete=True) for number in MANY]),
        lambda client: TopicAdmin(client, 1)._configure([topic(number, resets=("a",)) for number in MANY]),
    ],
)
def test_no_request_makes_more_records_than_kafka_takes_at_once(change: Any) -> None:
    client = Refusing()
    refused = change(client)
    assert max(client.records) <= BOUND
    assert sum(client.records) == len(MANY)
    assert len(refused) == len(client.records)


def test_nothing_to_change_asks_no_one() -> None:
    client: Any = Refusing()
    assert (AclAdmin(client).put({}), AclAdmin(client).remove(()), QuotaAdmin(client).put({})) == ([], [], [])
    assert client.records == []
