"""The rehearsal itself, inside of its network: start, register, finalise, add and remove a broker."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.client import ApiError, Client
from ansible.module_utils.kraft.cluster.retry import PAUSE, until_answered
from ansible.module_utils.kraft.cluster.snapshot import Feature, Snapshot
from ansible.module_utils.kraft.errors import KraftError, RefusedError, ToolError, UnreachableError
from ansible.module_utils.kraft.operations.features.admin import FeatureAdmin
from ansible.module_utils.kraft.operations.features.departures import ranged
from ansible.module_utils.kraft.operations.rehearsal.processes import Process
from ansible.module_utils.kraft.operations.rehearsal.records import Metadata, Registration

REQUEST_SECONDS = 15.0
SHOWN_SECONDS = 60.0  #: until every node shows what was finalised
REGISTERED_SECONDS = 60.0  #: until every started controller is registered again
AWAY = "away"  #: rule of the hint at brokers that do not run; in a rehearsal none of them does
#: Kafka's refusal of a level that a registered node does not support.
BARRED = re.compile(r"(Broker|Controller) (\d+) only supports")
TOPIC_RESOURCE, SET = 2, 0
HARMLESS = ("retention.ms", SET, "604800000")  #: a change of a topic that is validated and not made
ASKED_TOPICS = 20


class RehearsedFeatures(FeatureAdmin):
    """Only the broker of the rehearsal runs; the others count as registered."""

    def __init__(self, client: Client, controllers: Mapping[int, str], broker_id: int) -> None:
        super().__init__(client, SHOWN_SECONDS, controllers)
        self._broker_id = broker_id

    def cluster(self) -> Snapshot:
        seen = super().cluster()
        brokers = tuple(dataclasses.replace(one, fenced=one.node_id != self._broker_id) for one in seen.brokers)
        return dataclasses.replace(seen, brokers=brokers)


@dataclasses.dataclass(frozen=True)
class Attempt:
    """A try to finalise: the steps, or Kafka's and our refusals."""

    steps: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()


class Trial:
    """`controllers`: node id -> address; `inventory`: ids of its brokers; `broker_id`: of the new broker."""

    def __init__(
        self,
        client: Client,
        controllers: Mapping[int, str],
        metadata: Metadata,
        inventory: Collection[int],
        broker_id: int,
    ) -> None:
        self._client, self._controllers, self._metadata = client, controllers, metadata
        self._inventory, self._broker_id = inventory, broker_id
        self._features = RehearsedFeatures(client, controllers, broker_id)

    def wait_until_ready(self, processes: Iterable[Process], seconds: float) -> Snapshot:
        """Return the cluster once it has a leader and the new broker. Raises ToolError if a node ends."""
        deadline, last = time.monotonic() + seconds, "no answer yet"
        while time.monotonic() < deadline:
            for one in processes:
                one.refuse_if_ended()
            try:
                seen = gather.observe(self._client, ("features", "quorum"))
                if any(one.node_id == self._broker_id and not one.fenced for one in seen.brokers):
                    if not seen.unanswered:
                        return seen
                    last = "; ".join(seen.unknown)
            except KraftError as error:
                last = str(error)
            time.sleep(PAUSE)
        logs = "\n".join(f"node {one.node_id}: {one.last_errors()}" for one in processes)
        raise ToolError(f"the nodes of the rehearsal form no cluster within {seconds:g} s: {last}\n{logs}")

    def register_brokers(self) -> list[int]:
        """Register each broker of the inventory as its restart with the new release would; return their ids."""
        features = self._features.observe()[1][self._broker_id]
        known = {one: self._metadata.brokers[one] for one in self._inventory if one in self._metadata.brokers}
        for node_id, registration in known.items():
            until_answered(lambda: self._register(node_id, registration, features), REQUEST_SECONDS)  # noqa: B023
        return sorted(known)

    def _register(self, node_id: int, before: Registration, features: Iterable[Feature]) -> None:
        """With its incarnation, so that no replica moves."""
        kind = "BrokerRegistrationRequest"
        request = self._client.request(
            kind,
            broker_id=node_id,
            cluster_id=self._features.cluster().cluster_id,
            incarnation_id=before.incarnation_id,
            listeners=[
                self._client.struct(kind, "Listener", name=name, host=host, port=port, security_protocol=protocol)
                for name, host, port, protocol in before.listeners
            ],
            features=[self._client.struct(kind, "Feature", **ranged(one)) for one in features],
            rack=before.rack,
            log_dirs=list(before.log_dirs),
            previous_broker_epoch=before.epoch,
        )
        self._ask("BrokerRegistration", request)

    def leader(self) -> str:
        """Return the address of the active controller."""
        node_id = self._features.cluster().controller_id
        if node_id not in self._controllers:
            raise UnreachableError(f"the active controller ({node_id}) is not known")
        return self._controllers[node_id]

    def _ask(self, what: str, request: Any, address: str = "") -> Mapping[str, Any]:
        """Return the answer of the active controller. Raises ApiError for an error in it."""
        answer = self._client.send(address or self.leader(), request, REQUEST_SECONDS)
        return gather.checked(self._client, what, answer)

    def finalise(self, wanted: Mapping[str, int]) -> Attempt:
        """Finalise as finalize_upgrade.yml does; its refusals instead of its errors."""
        deadline = time.monotonic() + REGISTERED_SECONDS
        while True:
            done = until_answered(lambda: self._attempt(wanted), REQUEST_SECONDS)
            barring = barred_by(done.refusals)
            if barring is None or barring not in {("Controller", one) for one in self._controllers}:
                return done
            if time.monotonic() >= deadline:
                raise ToolError(f"controller {barring[1]} was not registered again: {done.refusals[0]}")
            time.sleep(PAUSE)

    def _attempt(self, wanted: Mapping[str, int]) -> Attempt:
        try:
            made = self._features.planned(wanted, allow_downgrade=False)
            self._features.apply(made)
        except RefusedError as error:
            kept = [one for one in error.problems if getattr(one, "rule", "") != AWAY]
            return Attempt(refusals=tuple(map(str, kept)))
        except ApiError:
            raise
        except ToolError as error:
            return Attempt(refusals=(str(error),))
        return Attempt(steps=tuple(made.steps()))

    def finalise_without(self, wanted: Mapping[str, int], ghosts: Collection[int]) -> list[dict[str, Any]]:
        """Return each attempt, with the broker of `ghosts` whose registration was removed before it."""
        attempts: list[dict[str, Any]] = []
        removed: int | None = None
        while True:
            done = self.finalise(wanted)
            attempts.append({"without": removed, "steps": list(done.steps), "refusals": list(done.refusals)})
            barring = barred_by(done.refusals)
            if barring is None or barring[0] != "Broker" or barring[1] not in ghosts or barring[1] == removed:
                return attempts
            removed = barring[1]
            self.unregister(removed)

    def unregister(self, broker_id: int, address: str = "") -> None:
        """Remove the registration of a broker. `address`: of the active controller, once the new broker has stopped."""
        self._ask("UnregisterBroker", self._client.request("UnregisterBrokerRequest", broker_id=broker_id), address)

    def levels(self) -> dict[str, int]:
        """Return feature -> finalised level."""
        return {one.name: one.level for one in self._features.observe()[1][self._broker_id]}

    def refused_topics(self, names: Iterable[str]) -> dict[str, str]:
        """Return topic -> Kafka's refusal of any change of its settings."""
        found = {}
        for name in sorted(names)[:ASKED_TOPICS]:
            resource = (TOPIC_RESOURCE, name, [HARMLESS])
            request = self._client.request("IncrementalAlterConfigsRequest", resources=[resource], validate_only=True)
            answer = self._client.send(self.leader(), request, REQUEST_SECONDS)
            for one in answer["responses"]:
                error = self._client.error("IncrementalAlterConfigs", one["error_code"], one.get("error_message"))
                if error:
                    found[name] = f"{error.name}: {error.detail}"
        return found


def barred_by(refusals: Iterable[str]) -> tuple[str, int] | None:
    """Return kind and id of the node that Kafka names as the obstacle."""
    named = next(filter(None, map(BARRED.search, refusals)), None)
    return (named[1], int(named[2])) if named else None


def timed(seconds: dict[str, float], name: str, work: Callable[[], Any]) -> Any:
    """Return the result of `work`, and add the time that it took to `seconds`."""
    began = time.monotonic()
    try:
        return work()
    finally:
        seconds[name] = round(time.monotonic() - began, 1)
