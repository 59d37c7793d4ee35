"""Request the leader of each controller at its own listener, concurrently and with a deadline.

The request is a fetch of the metadata log in epoch 0, of no replica. A controller with any later epoch refuses it
(FENCED_LEADER_EPOCH), and the refusal contains the leader that it follows and the epoch (KIP-595, ``CurrentLeader``).
Followers answer it, too, and nothing is read, waited for or changed.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import Answer, Client, Question
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE
from ansible.module_utils.kraft.errors import KraftError

METADATA_TOPIC = "__cluster_metadata"
METADATA_TOPIC_ID = uuid.UUID(int=1)  # Kafka's Uuid.METADATA_TOPIC_ID
#: Controllers as modules are given them: node id and listener (``host:port``) of each.
CONTROLLERS_SPEC: dict[str, Any] = {
    "type": "list",
    "elements": "dict",
    "options": {"node_id": {"type": "int", "required": True}, "address": {"type": "str", "required": True}},
}
#: Errors of a controller that still name the leader it follows; 0 is an answer without an error.
TELLING = {0: "NONE", 6: "NOT_LEADER_OR_FOLLOWER", 74: "FENCED_LEADER_EPOCH", 76: "UNKNOWN_LEADER_EPOCH"}


def questions(client: Client, addresses: Mapping[int, str]) -> list[Question]:
    """Return one for each controller of `addresses` (node id -> ``host:port``), in their order."""
    return [Question(address, leader_request(client)) for address in addresses.values()]


def read_claims(client: Client, addresses: Mapping[int, str], answers: Iterable[Answer]) -> tuple[Claim, ...]:
    """Parse the controllers' answers to `questions`."""
    return tuple(_claim(client, node_id, answer) for node_id, answer in zip(addresses, answers))


def electing(claims: Iterable[Claim]) -> bool:
    """Check for an election: controllers answer and none has a leader. It takes a second or two."""
    answered = [claim for claim in claims if claim.answered]
    return bool(answered) and all(claim.leader_id == NO_NODE for claim in answered)


def leader_request(client: Client) -> Any:
    """Return the request, see above."""
    partition = client.struct(
        "FetchRequest",
        "FetchTopic.FetchPartition",
        partition=0,
        current_leader_epoch=0,
        fetch_offset=0,
        last_fetched_epoch=0,
        log_start_offset=-1,
        partition_max_bytes=1,
    )
    topic = client.struct(
        "FetchRequest", "FetchTopic", topic=METADATA_TOPIC, topic_id=METADATA_TOPIC_ID, partitions=[partition]
    )
    waiting = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1, "isolation_level": 0}
    session = {"session_id": 0, "session_epoch": -1, "forgotten_topics_data": [], "rack_id": ""}
    return client.request("FetchRequest", topics=[topic], **waiting, **session)


def _claim(client: Client, node_id: int, answer: Answer) -> Claim:
    if isinstance(answer, KraftError):
        return Claim(node_id, error=str(answer))
    refusal = client.error("Fetch", answer["error_code"], None)
    if refusal or not answer["responses"]:
        return Claim(node_id, error=str(refusal or "an answer without the metadata log"))
    partition = answer["responses"][0]["partitions"][0]
    if partition["error_code"] not in TELLING:
        return Claim(node_id, error=str(client.error("Fetch", partition["error_code"], None)))
    leader = partition["current_leader"]
    return Claim(node_id, leader["leader_id"], leader["leader_epoch"])


def whom_they_follow(client: Client, addresses: Collection[str]) -> list[str]:
    """Return a sentence for each controller listener about the leader it follows."""
    numbered = dict(enumerate(addresses))
    claims = read_claims(client, numbered, client.send_all(questions(client, numbered)))
    return [_sentence(address, claim) for address, claim in zip(addresses, claims)]


def _sentence(address: str, claim: Claim) -> str:
    if claim.error:
        return f"The controller at {address} does not answer: {claim.error}."
    if claim.leader_id == NO_NODE:
        return f"The controller at {address} knows no leader (epoch {claim.epoch})."
    return f"The controller at {address} follows controller {claim.leader_id} (epoch {claim.epoch})."
