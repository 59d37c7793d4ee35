"""The probe's own topic: made before it starts, removed when every record is accounted for."""

from __future__ import annotations

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from spark_jobs.errors import UnreachableError
from spark_jobs.native import Complaints, client_config
from spark_jobs.probe.settings import ProbeSettings

SECONDS = 20.0


class ProbeTopic:
    """Asks the cluster as an ordinary client does."""

    def __init__(self, settings: ProbeSettings) -> None:
        self._settings = settings
        self._complaints = Complaints()
        named = client_config(settings.bootstrap_servers, settings.client_options, self._complaints)
        self._admin = AdminClient(named)

    def answers(self, seconds: float) -> bool:
        """Whether any broker answers within ``seconds``."""
        try:
            self._admin.list_topics(timeout=seconds)
        except KafkaException:
            return False
        return True

    def make(self) -> int:
        """Make the topic with as many replicas as there are brokers, up to the setting; how many it has.

        With three replicas a record is acknowledged by two at least, and one broker may be down.
        """
        for replicas in range(self._settings.replication_factor, 0, -1):
            config = {"min.insync.replicas": str(max(1, replicas - 1))}
            new = NewTopic(self._settings.topic, self._settings.partitions, replicas, config=config)
            try:
                self._admin.create_topics([new], operation_timeout=SECONDS, request_timeout=SECONDS)[new.topic].result()
            except KafkaException as error:
                if error.args[0].code() == KafkaError.INVALID_REPLICATION_FACTOR and replicas > 1:
                    continue
                raise self._unreachable("made", error) from None
            break
        return replicas

    def remove(self) -> None:
        """Remove the topic; one that is gone is as good."""
        topic = self._settings.topic
        try:
            self._admin.delete_topics([topic], operation_timeout=SECONDS, request_timeout=SECONDS)[topic].result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise self._unreachable("removed", error) from None

    def _unreachable(self, what: str, error: KafkaException) -> UnreachableError:
        self._admin.poll(0)
        return UnreachableError(
            f"topic {self._settings.topic} cannot be {what}: {error.args[0].str()}; {self._complaints}"
        )
