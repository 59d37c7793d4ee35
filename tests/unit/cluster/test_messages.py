"""Requests of our own, byte for byte: what they are is written in Kafka's protocol guide, not in kafka-python."""

from __future__ import annotations

import uuid

import pytest
from ansible.module_utils.kraft.cluster import messages
from ansible.module_utils.kraft.cluster.client import Client
from kafka.protocol.admin import UpdateFeaturesRequest

DIRECTORY = uuid.UUID(int=7)
VOTER = b"\x00\x00\x00\x03" + DIRECTORY.bytes


def test_a_voter_is_added_with_where_it_listens() -> None:
    kind = messages.kinds()["AddRaftVoterRequest"]
    listener = kind.Listener(name="C", host="h", port=65535)
    made = kind(cluster_id="x", timeout_ms=1, voter_id=3, voter_directory_id=DIRECTORY, listeners=[listener])
    listeners = b"\x02" + b"\x02C" + b"\x02h" + b"\xff\xff" + b"\x00"
    assert made.encode(version=0) == b"\x02x" + b"\x00\x00\x00\x01" + VOTER + listeners + b"\x00"
    assert made.encode(version=1) == b"\x02x" + b"\x00\x00\x00\x01" + VOTER + listeners + b"\x01" + b"\x00"


def test_a_voter_is_removed_by_both_its_ids() -> None:
    made = messages.kinds()["RemoveRaftVoterRequest"](cluster_id=None, voter_id=3, voter_directory_id=DIRECTORY)
    assert made.encode(version=0) == b"\x00" + VOTER + b"\x00"


def test_a_registration_is_named_by_the_broker() -> None:
    assert messages.kinds()["UnregisterBrokerRequest"](broker_id=5).encode(version=0) == b"\x00\x00\x00\x05\x00"


@pytest.mark.parametrize(("name", "key"), [("AddRaftVoter", 80), ("RemoveRaftVoter", 81), ("UnregisterBroker", 64)])
def test_answers_are_read(name: str, key: int) -> None:
    kind = messages.kinds()[f"{name}Response"]
    answer = kind.decode(b"\x00\x00\x00\x00" + b"\x00\x7f" + b"\x03no" + b"\x00", version=0)
    assert (kind.API_KEY, answer.error_code, answer.error_message) == (key, 127, "no")
    assert messages.kinds()[f"{name}Request"].json["apiKey"] == key


def test_the_schema_under_whose_name_they_are_born_stays_what_it_was() -> None:
    messages.kinds()
    assert UpdateFeaturesRequest.API_KEY == 57
    assert UpdateFeaturesRequest.__name__ == "UpdateFeaturesRequest"


def test_the_client_makes_them_by_name_like_all_others() -> None:
    with Client({"bootstrap_servers": ["127.0.0.1:1"]}) as client:
        assert client.request("UnregisterBrokerRequest", broker_id=5).API_KEY == 64
        assert client.struct("AddRaftVoterRequest", "Listener", name="C", host="h", port=1).port == 1
