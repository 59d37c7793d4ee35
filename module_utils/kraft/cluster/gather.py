"""Gather a snapshot through a client, in two rounds of requests at most, each concurrent.

The first round goes to one broker over one connection. Parts that this broker must forward to the active controller
(the quorum, reassignments) come last: a connection's answers come in order, and without a leader there are none.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port, normal_host_port
from ansible.module_utils.kraft.cluster import responses
from ansible.module_utils.kraft.cluster.client import ANSWER_SECONDS, Answer, Client, Question
from ansible.module_utils.kraft.cluster.eligible import with_eligible
from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS, caught_up
from ansible.module_utils.kraft.cluster.leader_watch import LeaderWatch
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, is_late, outcome
from ansible.module_utils.kraft.cluster.retry import PAUSE, until_answered
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Broker, LogDir, Quorum, Snapshot, Topic
from ansible.module_utils.kraft.errors import KraftError, LateError, ToolError, UnreachableError

#: Optional parts; the brokers and the cluster id come with every snapshot.
PARTS = ("topics", "configs", "features", "log_dirs", "reassignments", "quorum")
#: Parts that a broker forwards to the active controller.
FORWARDED = ("reassignments", "quorum")
TOPIC_RESOURCE = 2
TOPICS_AT_ONCE = 1000  #: in one question for settings
LONGEST_ANSWER_SECONDS = 60.0  #: limit of the time for a part, which grows each time that one was late
UNKNOWN_TOPIC = 3  #: UNKNOWN_TOPIC_OR_PARTITION: deleted since the topics were listed
MIN_INSYNC = "min.insync.replicas"
LOG_DIR_ERRORS = {56: "KAFKA_STORAGE_ERROR: the directory is offline", 57: "LOG_DIR_NOT_FOUND"}
NAMED_REASONS = 3  #: of brokers that did not answer
METADATA_LOG = [("__cluster_metadata", [(0,)])]


@dataclasses.dataclass(frozen=True)
class Part:
    """Request and parser of a part of the first round."""

    request: str
    fields: Mapping[str, Any]
    parse: Callable[[Client, Mapping[str, Any]], Any]


def observe(
    client: Client, parts: Collection[str] = ("quorum",), address: str = "", seconds: float = ANSWER_SECONDS
) -> Snapshot:
    """Return the cluster as the broker at `address` (default: the first to answer) sees it; `parts` are some of PARTS.

    A part without an answer is in ``unanswered`` with the reason and does not spoil the rest. If topics were late, the
    next call with this client allows twice the time. Raises UnreachableError or ToolError if not even the list of
    brokers is available.
    """
    seconds = max(seconds, client.patience)
    wanted = {*parts, *(("topics",) if "configs" in parts else ())}  # configs can only be requested for known topics
    place = address or client.reach()
    first = {name: part for name, part in FIRST_ROUND.items() if name in wanted}
    asked = [client.request("DescribeClusterRequest", include_fenced_brokers=True)]
    asked += [client.request(part.request, **part.fields) for part in first.values()]
    cluster, *rest = client.send_all([Question(place, request) for request in asked], seconds)
    seen = checked(client, "DescribeCluster", cluster)
    brokers = responses.brokers(seen)
    found, failed = _read(client, first, rest)
    if "configs" in wanted and "topics" in found:
        _add("min_insync", found, failed, lambda: min_insync(client, place, found["topics"], seconds))
    if "topics" in found:
        found["topics"] = with_eligible(client, place, found["topics"], found.get("min_insync", {}), seconds)
    if "log_dirs" in wanted:
        _add_disks(client, brokers, seconds, found, failed)
    if {"topics", "min_insync"} & failed.keys():
        client.patience = min(2 * seconds, LONGEST_ANSWER_SECONDS)
    unanswered = {part: _reason(part, error) for part, error in failed.items()}
    late = tuple(part for part, error in failed.items() if is_late(error))
    return Snapshot(cluster_id=seen["cluster_id"], brokers=brokers, unanswered=unanswered, late=late, **found)


def checked(client: Client, what: str, answer: Answer) -> dict[str, Any]:
    """Return the answer, or raise the error that it is or holds."""
    if isinstance(answer, KraftError):
        raise answer
    error = client.error(what, answer.get("error_code", 0), answer.get("error_message"))
    if error:
        raise error
    return answer


def _read(
    client: Client, parts: Mapping[str, Part], given: Iterable[Answer]
) -> tuple[dict[str, Any], dict[str, KraftError]]:
    found: dict[str, Any] = {}
    failed: dict[str, KraftError] = {}
    for (name, part), answer in zip(parts.items(), given):
        _add(name, found, failed, functools.partial(_parse, client, part, answer))
    return found, failed


def _reason(part: str, error: KraftError) -> str:
    passed_on = part in FORWARDED and isinstance(error, UnreachableError)
    return f"{error}{' (it passes this question on to the active controller)' if passed_on else ''}"


def _parse(client: Client, part: Part, answer: Answer) -> Any:
    return part.parse(client, checked(client, part.request, answer))


def _add(name: str, found: dict[str, Any], failed: dict[str, KraftError], make: Callable[[], Any]) -> None:
    try:
        found[name] = make()
    except KraftError as error:
        failed[name] = error


def _quorum(client: Client, answer: Mapping[str, Any]) -> Quorum:
    partition = answer["topics"][0]["partitions"][0]
    error = client.error("DescribeQuorum", partition["error_code"], partition["error_message"])
    if error:
        raise error
    return responses.quorum(partition)


def quorum_at(client: Client, address: str, seconds: float = ANSWER_SECONDS) -> Quorum:
    """Return the quorum as the active controller at `address` sees it. Raises ApiError if another one leads."""
    request = client.request("DescribeQuorumRequest", topics=METADATA_LOG)
    return _quorum(client, checked(client, "DescribeQuorum", client.send(address, request, seconds)))


def endpoints(client: Client) -> dict[int, dict[str, str]]:
    """Return voter -> listener -> ``host:port``, as recorded by the quorum after each start (KIP-853)."""
    request = client.request("DescribeQuorumRequest", topics=METADATA_LOG)
    answer = checked(client, "DescribeQuorum", client.send(client.reach(), request, ANSWER_SECONDS))
    known = {
        one["node_id"]: {each["name"]: host_port(each["host"], each["port"]) for each in one["listeners"]}
        for one in answer["nodes"]
    }
    return {one.node_id: known.get(one.node_id, {}) for one in _quorum(client, answer).voters}


def controllers_without(client: Client, listeners: Collection[str]) -> tuple[int, ...]:
    """Return the voters for which the quorum does not have all of these `listeners`."""
    return tuple(one for one, known in endpoints(client).items() if not set(listeners) <= known.keys())


def controllers_elsewhere(client: Client, addresses: Mapping[int, str]) -> tuple[int, ...]:
    """Return the voters of `addresses` (node id -> ``host:port``) that the quorum does not have there."""
    found = {one: set(map(normal_host_port, known.values())) for one, known in endpoints(client).items()}
    return tuple(one for one in found if one in addresses and normal_host_port(addresses[one]) not in found[one])


def min_insync(client: Client, address: str, topics: Iterable[Topic], seconds: float) -> dict[str, int]:
    """Return each topic's min.insync.replicas in effect, resolved by the broker (topic, cluster, broker, default).

    Requested in portions of TOPICS_AT_ONCE, each with its own `seconds`. Raises the error of the first refused topic.
    """
    names = [topic.name for topic in topics]
    portions = [names[start : start + TOPICS_AT_ONCE] for start in range(0, len(names), TOPICS_AT_ONCE)]
    requests = [[(TOPIC_RESOURCE, name, [MIN_INSYNC]) for name in portion] for portion in portions]
    asked = [Question(address, client.request("DescribeConfigsRequest", resources=one)) for one in requests]
    found: dict[str, int] = {}
    for answer in client.send_all(asked, seconds) if asked else ():
        data = described(client, answer)
        found.update((name, int(value)) for name, value in responses.config_values(data, MIN_INSYNC).items())
    return found


def described(client: Client, answer: Answer) -> dict[str, Any]:
    """Return DescribeConfigs' answer. Raises the first error in it, except of topics that are gone by now."""
    data = checked(client, "DescribeConfigs", answer)
    for one in data["results"]:
        error = client.error(f"DescribeConfigs of {one['resource_name']}", one["error_code"], None)
        if error and one["error_code"] != UNKNOWN_TOPIC:
            raise error
    return data


def log_dirs(
    client: Client, brokers: Iterable[Broker], seconds: float, partitions: Mapping[str, list[int]] | None = None
) -> tuple[LogDir, ...]:
    """Return the log directories of every unfenced broker, each requested at its own address.

    Sizes and numbers of replicas count only `partitions` (topic → partitions) if they are given.
    """
    found: list[LogDir] = []
    for broker, answer in _log_dir_answers(client, brokers, seconds, partitions):
        found += responses.log_dirs(broker.node_id, checked(client, "DescribeLogDirs", answer), LOG_DIR_ERRORS)
    return tuple(found)


def _log_dir_answers(
    client: Client, brokers: Iterable[Broker], seconds: float, partitions: Mapping[str, list[int]] | None = None
) -> list[tuple[Broker, Answer]]:
    topics = None if partitions is None else list(partitions.items())
    asked = [broker for broker in brokers if not broker.fenced]
    request = [Question(one.address, client.request("DescribeLogDirsRequest", topics=topics)) for one in asked]
    return list(zip(asked, client.send_all(request, seconds)))


def _add_disks(
    client: Client, brokers: Iterable[Broker], seconds: float, found: dict[str, Any], failed: dict[str, KraftError]
) -> None:
    """Add the log dirs of the brokers that answer, and the bytes of each topic on them; the others are one error."""
    dirs: list[LogDir] = []
    sizes: dict[str, int] = {}
    errors: list[KraftError] = []
    for broker, answer in _log_dir_answers(client, brokers, seconds):
        try:
            seen = checked(client, "DescribeLogDirs", answer)
        except KraftError as error:
            errors.append(error)
            continue
        dirs += responses.log_dirs(broker.node_id, seen, LOG_DIR_ERRORS)
        for name, size in responses.topic_bytes(seen):
            sizes[name] = sizes.get(name, 0) + size
    found.update(log_dirs=tuple(dirs), topic_bytes=sizes)
    if errors:
        more = f"; and {len(errors) - NAMED_REASONS} more brokers" if len(errors) > NAMED_REASONS else ""
        kind = LateError if all(map(is_late, errors)) else ToolError
        failed["log_dirs"] = kind("; ".join(map(str, errors[:NAMED_REASONS])) + more)


def software() -> dict[str, Any]:
    return {"client_software_name": "kraftwright", "client_software_version": "1", "min_version": 3}


FIRST_ROUND: dict[str, Part] = {
    "topics": Part(
        "MetadataRequest",
        {"topics": None, "allow_auto_topic_creation": False},
        lambda _, answer: responses.topics(answer),
    ),
    "features": Part("ApiVersionsRequest", software(), lambda _, answer: responses.features(answer)),
    "reassignments": Part(
        "ListPartitionReassignmentsRequest",
        {"topics": None, "timeout_ms": 3000},
        lambda _, answer: responses.reassignments(answer),
    ),
    "quorum": Part("DescribeQuorumRequest", {"topics": METADATA_LOG}, _quorum),
}


def through_current_broker(
    client: Client, parts: Collection[str], seconds: float = ANSWER_SECONDS, largest_delay_ms: int = LARGEST_DELAY_MS
) -> Snapshot:
    """Run `observe` through a broker that has caught up with the metadata log; `parts` include the quorum.

    Topics and replicas in sync are those that the broker has read from that log, and a paused one shows old ones. If
    the first to answer is not known to be caught up, another one is queried. If none is, topics are unanswered.
    """
    place = client.reach()
    snapshot = observe(client, parts, place, seconds)
    if snapshot.quorum is None or snapshot.quorum.leader_id == NO_NODE:
        return snapshot
    current = current_brokers(snapshot, largest_delay_ms)
    if normal_host_port(place) in {normal_host_port(address) for address in current}:
        return snapshot
    if current:
        return observe(client, parts, client.reach(current), seconds)
    text = f"no broker that serves has caught up with the metadata log to {largest_delay_ms} ms"
    return dataclasses.replace(snapshot, topics=None, unanswered={**snapshot.unanswered, "topics": text})


def current_brokers(snapshot: Snapshot, largest_delay_ms: int = LARGEST_DELAY_MS) -> tuple[str, ...]:
    """Return addresses of the unfenced brokers that have caught up with the metadata log, as its leader sees it."""
    quorum = snapshot.quorum
    listed = (*quorum.voters, *quorum.observers) if quorum else ()
    up = {one.node_id for one in listed if caught_up(one, largest_delay_ms)}
    return tuple(one.address for one in snapshot.brokers if one.node_id in up and not one.fenced)


@dataclasses.dataclass
class Patience:
    """Seconds for each part: more after each snapshot in which one was late."""

    seconds: float = ANSWER_SECONDS
    leader: LeaderWatch = dataclasses.field(default_factory=LeaderWatch)

    def observe(self, client: Client, parts: Collection[str], largest_delay_ms: int) -> Outcome[Snapshot]:
        """Run `through_current_broker` once; return its outcome."""
        observe_once = functools.partial(through_current_broker, client, parts, self.seconds, largest_delay_ms)
        seen = outcome(lambda: self.leader.seen(observe_once()))
        if isinstance(seen, Unknown) or (isinstance(seen, Known) and seen.value.unanswered):
            self.seconds = min(2 * self.seconds, LONGEST_ANSWER_SECONDS)
        return seen


def patiently(
    client: Client, parts: Collection[str], seconds: float, answer_seconds: float = ANSWER_SECONDS
) -> Snapshot:
    """Repeat `observe` until every part is answered; after `seconds` return the last snapshot."""
    deadline = time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        snapshot = until_answered(lambda: observe(client, parts, seconds=answer_seconds), max(0.0, left))
        if not snapshot.unanswered or time.monotonic() >= deadline:
            return snapshot
        time.sleep(PAUSE)
