"""The second client: librdkafka (confluent-kafka), for what needs no JVM. Offsets, leaders, and its option names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, cast

from ansible.module_utils.kraft.client_config import ClientConfig, from_java, host_port, librdkafka
from ansible.module_utils.kraft.errors import RefusedError
from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, ConfigResource, OffsetSpec  # type: ignore[attr-defined]

from spark_jobs.errors import RefusedLoginError, UnreachableError, UsageError

RETRY_SECONDS = 0.1
NO_ID = "A" * 22  # the id 0, from brokers whose topics have none
NOT_YET = {
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError._DESTROY_BROKER,  # while it waited, the client heard of other brokers
}
#: Error codes that explain why a connection fails.
OF_CONNECTIONS = {KafkaError._TRANSPORT, KafkaError._RESOLVE, KafkaError._SSL, KafkaError._AUTHENTICATION}


@dataclass(frozen=True)
class TopicView:
    """A topic as a broker describes it: leader of each partition (null: none) and address of each broker."""

    leaders: Mapping[int, int | None]
    brokers: Mapping[int, str]
    replication_factor: int
    cluster_id: str = ""


@dataclass
class Complaints:
    """Background errors of librdkafka: of each broker the last and most specific one, such as a refusal."""

    last: dict[str, tuple[bool, str]] = field(default_factory=dict)

    def note(self, error: KafkaError) -> None:
        """Note an error (``error_cb``): keep the broker's own sentence (``host:port/id: Connect to … failed: …``).

        After a refusal librdkafka reports a lost connection as well: that does not replace the reason.
        """
        broker, found, reason = error.str().partition(": ")
        if error.code() not in OF_CONNECTIONS:
            return
        name, refused = broker.rpartition("/")[0] or broker, refusal(error)
        if refused or not self.last.get(name, (False, ""))[0]:
            self.last[name] = (bool(refused), refused + (reason if found else error.str()))

    @property
    def refused(self) -> bool:
        """Check whether a broker answered, and one of the two sides refuses the other."""
        return any(refused for refused, _ in self.last.values())

    def __str__(self) -> str:
        return "; ".join(f"{broker}: {said}" for broker, (_, said) in sorted(self.last.items())) or "no answer at all"


def refusal(error: KafkaError) -> str:
    """Describe which side refuses the other, in the words of the modules' client; empty without an answer."""
    text = error.str().lower()
    if error.code() == KafkaError._AUTHENTICATION or ("alert" in text and "certificate" in text):
        return "refuses us: "
    return "we do not trust its certificate: " if "certificate verif" in text or "not trusted" in text else ""


def secured(bootstrap_servers: str, client_options: Mapping[str, str]) -> ClientConfig:
    """Parse the connection from ``client_options``; UsageError for a security option that librdkafka does not have."""
    try:
        return from_java(client_options, bootstrap_servers, inline=True)
    except RefusedError as error:
        raise UsageError([f"client_options: {problem}" for problem in error.problems]) from None


def native_options(
    bootstrap_servers: str, client_options: Mapping[str, str], complaints: Complaints, **more: Any
) -> dict[str, Any]:
    """Return the options of any librdkafka client; its complaints are collected instead of printed."""
    return {
        **librdkafka(secured(bootstrap_servers, client_options)),
        **QUIET,
        "error_cb": complaints.note,
        **more,
    }


def require_cluster(metadata: Any, expected: str, servers: str) -> None:
    """Raise UsageError if ``metadata`` are another cluster's; an empty ``expected`` id is not compared."""
    if expected and metadata.cluster_id != expected:
        found = f"bootstrap_servers: {servers} belong to cluster {metadata.cluster_id}, and {expected} is expected"
        raise UsageError([f"{found}: take the hosts of the other cluster out of the inventory"])


class NativeAdmin:
    """Answers about one topic, each within ``timeout`` seconds; silence is an ``UnreachableError``.

    With ``cluster_id`` a topic of another cluster is not described: UsageError.
    """

    def __init__(
        self, bootstrap_servers: str, client_options: Mapping[str, str], timeout: float, cluster_id: str = ""
    ) -> None:
        self._servers, self._cluster_id = bootstrap_servers, cluster_id
        self._timeout = timeout
        self._complaints = Complaints()
        self._admin = AdminClient(native_options(bootstrap_servers, client_options, self._complaints))

    def describe_topic(self, topic: str) -> TopicView:
        """Return leaders and brokers; never creates the topic."""
        metadata = self._asked(lambda: self._admin.list_topics(timeout=self._timeout))
        require_cluster(metadata, self._cluster_id, self._servers)
        if topic not in metadata.topics:
            raise UsageError(
                [
                    f"topic: {topic} does not exist on {self._servers}, or the login may not describe it: correct the "
                    "name, create the topic, or give the right DESCRIBE"
                ]
            )
        partitions = metadata.topics[topic].partitions.values()
        return TopicView(
            leaders={entry.id: entry.leader if entry.leader >= 0 else None for entry in partitions},
            brokers={broker.id: host_port(broker.host, broker.port) for broker in metadata.brokers.values()},
            replication_factor=min(len(entry.replicas) for entry in partitions),
            cluster_id=metadata.cluster_id or "",
        )

    def identity(self, topic: str) -> tuple[str, int]:
        """Return the topic's id (empty if brokers have none), and its number of partitions (0: it does not exist)."""

        def describe() -> tuple[str, int]:
            futures = self._admin.describe_topics(TopicCollection([topic]), request_timeout=self._timeout)
            try:
                found = futures[topic].result()
            except KafkaException as error:
                if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                    return "", 0
                raise
            topic_id = str(found.topic_id)
            return "" if topic_id == NO_ID else topic_id, len(found.partitions)

        return cast("tuple[str, int]", self._asked(describe))

    def cluster_id(self) -> str:
        """Return the id of the cluster that answers; empty if it gives none."""
        return self._asked(lambda: self._admin.list_topics(timeout=self._timeout)).cluster_id or ""

    def end_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        """Return the offset behind the last decided record of each partition: open transactions end it earlier."""
        return self._offsets(topic, partitions, _LATEST)

    def written_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        """Return the offset behind the last record of each partition, decided or not."""
        return self._offsets(topic, partitions, _LATEST, IsolationLevel.READ_UNCOMMITTED)

    def begin_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        """Return the first offset that each partition still holds."""
        return self._offsets(topic, partitions, _EARLIEST)

    def first_since(self, topic: str, partitions: list[int], epoch_ms: int) -> dict[int, int]:
        """Return the first offset whose record has this timestamp or a later one, of those partitions that have any.

        For records in a format without timestamps there is none.
        """
        found = self._offsets(topic, partitions, OffsetSpec.for_timestamp(epoch_ms))
        return {partition: offset for partition, offset in found.items() if offset >= 0}

    def settings(self, topic: str) -> dict[str, str]:
        """Return the topic's settings, defaults included."""
        resource = ConfigResource(ConfigResource.Type.TOPIC, topic)

        def describe() -> dict[str, str]:
            found = self._admin.describe_configs([resource], request_timeout=self._timeout)[resource].result()
            return {name: entry.value for name, entry in found.items()}

        return cast("dict[str, str]", self._asked(describe))

    def committed(self, group: str, partitions: list[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Return a consumer group's committed offsets in those of `partitions` that have any.

        Raises UnreachableError if the answer has no offset of a partition, but an error.
        """
        request = ConsumerGroupTopicPartitions(group, [TopicPartition(*one) for one in partitions])

        def list_committed() -> dict[tuple[str, int], int]:
            futures = self._admin.list_consumer_group_offsets([request], request_timeout=self._timeout)
            found = futures[group].result().topic_partitions or []
            if refused := [one.error for one in found if one.error]:
                raise KafkaException(refused[0])
            return {(one.topic, one.partition): one.offset for one in found if one.offset >= 0}

        return cast("dict[tuple[str, int], int]", self._asked(list_committed))

    def commit(self, group: str, offsets: Mapping[tuple[str, int], int]) -> str:
        """Set a consumer group's offsets; why that was refused, empty if it was not."""
        wanted = [TopicPartition(topic, partition, offset) for (topic, partition), offset in offsets.items()]
        request = ConsumerGroupTopicPartitions(group, wanted)

        def alter() -> str:
            futures = self._admin.alter_consumer_group_offsets([request], request_timeout=self._timeout)
            try:
                refused = [one.error for one in futures[group].result().topic_partitions or [] if one.error]
            except KafkaException as error:
                refused = [error.args[0]]
            passing = [one for one in refused if one.code() < 0 or one.code() in NOT_YET]
            if passing:
                raise KafkaException(passing[0])
            return str(refused[0].str()) if refused else ""

        return cast("str", self._asked(alter))

    def _offsets(
        self,
        topic: str,
        partitions: list[int],
        which: OffsetSpec,
        isolation: IsolationLevel = IsolationLevel.READ_COMMITTED,
    ) -> dict[int, int]:
        request = {TopicPartition(topic, partition): which for partition in partitions}
        options = {"isolation_level": isolation, "request_timeout": self._timeout}

        def list_offsets() -> dict[int, int]:
            futures = self._admin.list_offsets(request, **options)
            return {entry.partition: _offset_of(future) for entry, future in futures.items()}

        return cast("dict[int, int]", self._asked(list_offsets))

    def _asked(self, question: Callable[[], Any]) -> Any:
        """Return the answer; repeats the question while a broker does not have the leader yet."""
        began = monotonic()
        while True:
            try:
                return question()
            except KafkaException as error:
                cause = error.args[0]
                if cause.code() not in NOT_YET or monotonic() - began > self._timeout:
                    raise self._silence(cause.str(), monotonic() - began) from None
            sleep(RETRY_SECONDS)

    def _silence(self, reason: str, seconds: float) -> UnreachableError:
        self._admin.poll(0)  # hands over the complaints that came in meanwhile
        if self._complaints.refused:
            return RefusedLoginError(f"no access to {self._servers}: {self._complaints}")
        return UnreachableError(f"no answer from {self._servers} within {seconds:.1f} s ({reason}); {self._complaints}")


def _offset_of(future: Any) -> int:
    """Return the requested offset; -1 if the records have no timestamps, and one was requested."""
    try:
        return int(future.result().offset)
    except KafkaException as error:
        if error.args[0].code() == KafkaError.UNSUPPORTED_FOR_MESSAGE_FORMAT:
            return -1
        raise


_LATEST: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]
_EARLIEST: OffsetSpec = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
QUIET = {"log_level": 0, "socket.connection.setup.timeout.ms": 2000, "reconnect.backoff.max.ms": 500}
