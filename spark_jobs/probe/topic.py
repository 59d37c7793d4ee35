"""The probe's own topic: made before it starts, removed when every record is accounted for."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from spark_jobs.errors import UnreachableError
from spark_jobs.native import Complaints, native_options, require_cluster
from spark_jobs.probe.settings import ProbeSettings

#: A broker that has passed a request on to a controller which then dies waits for it for request.timeout.ms (30 s), and
#: what comes after that request waits, too.
SECONDS = 90.0
#: After this time another broker is tried: until it is fenced, a broker that has just died is still listed.
ATTEMPT_SECONDS = 5.0
#: Whatever the cluster's defaults are: what they delete would be called lost.
KEPT = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
SILENCE = (
    KafkaError._TIMED_OUT,
    KafkaError._TRANSPORT,
    KafkaError._DESTROY_BROKER,  # while it waited, the client heard of other brokers
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NOT_CONTROLLER,
)


class ProbeTopic:
    """Queries the cluster as an ordinary client does."""

    def __init__(self, settings: ProbeSettings) -> None:
        self._settings = settings
        self._complaints = Complaints()
        self._named = native_options(settings.everywhere, settings.client_options, self._complaints)

    def answers(self, seconds: float) -> bool:
        """Check whether any broker answers within ``seconds``. UsageError for one of another cluster."""
        try:
            metadata = AdminClient(self._named).list_topics(timeout=seconds)
        except KafkaException:
            return False
        require_cluster(metadata, self._settings.cluster_id, self._settings.everywhere)
        return True

    def make(self) -> int:
        """Make the topic with as many replicas as there are brokers, up to the setting; how many it has.

        With three replicas a record is acknowledged by two at least, and one broker may be down.
        """
        for replicas in range(self._settings.replication_factor, 0, -1):
            config = {"min.insync.replicas": str(max(1, replicas - 1)), **KEPT}
            new = NewTopic(self._settings.topic, self._settings.partitions, replicas, config=config)
            refused = (KafkaError.INVALID_REPLICATION_FACTOR,) if replicas > 1 else ()
            made = partial(AdminClient.create_topics, new_topics=[new])
            if self._asked("made", made, refused) not in refused:
                break
        return replicas

    def remove(self) -> None:
        """Remove the topic; one that is gone is as good."""
        removed = partial(AdminClient.delete_topics, topics=[self._settings.topic])
        self._asked("removed", removed, (KafkaError.UNKNOWN_TOPIC_OR_PART,))

    def _asked(self, what: str, ask: Callable[..., dict[str, Any]], known: Collection[int]) -> int:
        """Try one client after the other until there is an answer; 0, or the one of the ``known`` codes that came."""
        deadline, silent = time.monotonic() + SECONDS, False
        while True:
            admin = AdminClient(self._named)
            answers = ask(admin, operation_timeout=ATTEMPT_SECONDS, request_timeout=ATTEMPT_SECONDS)
            try:
                answers[self._settings.topic].result()
            except KafkaException as error:
                code = int(error.args[0].code())
                if code in known or (silent and code == KafkaError.TOPIC_ALREADY_EXISTS):  # by an unanswered attempt
                    return code
                if code not in SILENCE or time.monotonic() >= deadline:
                    raise self._unreachable(admin, what, error) from None
                silent = True
            else:
                return 0

    def _unreachable(self, admin: AdminClient, what: str, error: KafkaException) -> UnreachableError:
        admin.poll(0)
        return UnreachableError(
            f"topic {self._settings.topic} cannot be {what}: {error.args[0].str()}; {self._complaints}"
        )
