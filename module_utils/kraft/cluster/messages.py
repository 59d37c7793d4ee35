"""Requests that kafka-python 3.0 does not have: voters of the quorum, registrations of brokers.

kafka-python makes a message's class from the JSON schema in its package that has the class's name. Another schema would
have to be a file inside that package, and what Ansible brings to a host is one zip. But before a schema is used, a
class's ``json_patch`` may change it, or return a different one. So these classes are made under the name of a schema
that exists, with a patch that returns ours, and are named afterwards.

The schemas are Kafka 4.3.1's (clients/src/main/resources/common/message: AddRaftVoter, RemoveRaftVoter,
UnregisterBroker). Brokers pass all three on to the active controller (KIP-590, KIP-853).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

Field = dict[str, Any]
BORN_AS = {"request": "UpdateFeaturesRequest", "response": "UpdateFeaturesResponse"}


def field(name: str, kind: str, since: int = 0, **more: Any) -> Field:
    """A field of a schema, there from version `since` on."""
    return {"name": name, "type": kind, "versions": f"{since}+", **more}


CLUSTER = field("ClusterId", "string", nullableVersions="0+", default="null")
VOTER = (field("VoterId", "int32"), field("VoterDirectoryId", "uuid"))
LISTENER = (field("Name", "string", mapKey=True), field("Host", "string"), field("Port", "uint16"))
ANSWER = (
    field("ThrottleTimeMs", "int32"),
    field("ErrorCode", "int16"),
    field("ErrorMessage", "string", nullableVersions="0+", default="null"),
)
#: Name -> API key, newest version, fields of the request. All answers have the fields of ANSWER.
MESSAGES: Mapping[str, tuple[int, int, tuple[Field, ...]]] = {
    "AddRaftVoter": (
        80,
        1,
        (
            CLUSTER,
            field("TimeoutMs", "int32"),
            *VOTER,
            field("Listeners", "[]Listener", fields=list(LISTENER)),
            field("AckWhenCommitted", "bool", 1, default="true"),
        ),
    ),
    "RemoveRaftVoter": (81, 0, (CLUSTER, *VOTER)),
    "UnregisterBroker": (64, 0, (field("BrokerId", "int32"),)),
}


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, Any]:
    """``AddRaftVoterRequest`` and its like -> class. Needs kafka-python to be importable (``library.load``)."""
    base = importlib.import_module("kafka.protocol.api_message").ApiMessage
    made = {}
    for name, (key, newest, fields) in MESSAGES.items():
        made[f"{name}Request"] = kind(base, schema(f"{name}Request", "request", key, newest, fields))
        made[f"{name}Response"] = kind(base, schema(f"{name}Response", "response", key, newest, ANSWER))
    return made


def schema(name: str, direction: str, key: int, newest: int, fields: tuple[Field, ...]) -> dict[str, Any]:
    """A schema as kafka-python reads it, flexible (KIP-482) in all versions."""
    return {
        "apiKey": key,
        "type": direction,
        "name": name,
        "validVersions": f"0-{newest}" if newest else "0",
        "flexibleVersions": "0+",
        "fields": [dict(one) for one in fields],
    }


def kind(base: Any, ours: dict[str, Any]) -> Any:
    """The class of a message, made as described above."""

    def json_patch(_: Any, __: Any) -> dict[str, Any]:
        return ours

    made = type(base)(BORN_AS[ours["type"]], (base,), {"json_patch": classmethod(json_patch)})
    made.__name__ = made.__qualname__ = ours["name"]
    return made
