"""Registrations of controllers that left: find them, renew them, take them away."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import ANSWER_SECONDS, Client
from ansible.module_utils.kraft.cluster.departed import Registered, departed, doubtful, running
from ansible.module_utils.kraft.cluster.gather import checked, endpoints
from ansible.module_utils.kraft.cluster.snapshot import Feature, Snapshot
from ansible.module_utils.kraft.errors import RefusedError, UnreachableError
from ansible.module_utils.kraft.problem import Problem

CONTROLLERS = 2  #: DescribeCluster's endpoint type (KIP-919)
GONE = "BrokerIdNotRegistered"  #: Kafka's error for a controller, too
LISTENER = "CONTROLLER"  #: of a quorum that names no listeners
PLAINTEXT = 0
REQUEST_SECONDS = 15.0


def registered(client: Client, address: str, seconds: float = ANSWER_SECONDS) -> tuple[Registered, ...]:
    """Return all registered controllers, as the controller at `address` has read them, by id."""
    request = client.request("DescribeClusterRequest", endpoint_type=CONTROLLERS)
    answer = checked(client, "DescribeCluster", client.send(address, request, seconds))
    found = (Registered(one["broker_id"], one["host"], one["port"]) for one in answer["brokers"])
    return tuple(sorted(found, key=lambda one: one.node_id))


class Departures:
    """`addresses`: node id -> controller listener (``host:port``) of each controller of the inventory."""

    def __init__(self, client: Client, addresses: Mapping[int, str]) -> None:
        self._client, self._addresses = client, addresses

    def registered(self, snapshot: Snapshot) -> tuple[Registered, ...]:
        """Return all registered controllers, by the active controller. Raises UnreachableError."""
        return registered(self._client, self._leader(snapshot), REQUEST_SECONDS)

    def find_departed(self, snapshot: Snapshot) -> tuple[Registered, ...]:
        """Return those that left; none if no controller is reachable. Raises RefusedError for one that still runs.

        Raises UnreachableError while that is not known.
        """
        if not self._addresses:
            return ()
        found = departed(self.registered(snapshot), snapshot, self._addresses)
        node_ids = [one.node_id for one in found]
        alive = running(node_ids, snapshot)
        if alive:
            remedy = "stop it, or add its host to the inventory"
            raise RefusedError([Problem("controller_runs", f"{one} and is in no inventory", remedy) for one in alive])
        if unknown := doubtful(node_ids, snapshot):
            raise UnreachableError("; ".join(unknown))
        return found

    def renew(self, found: Collection[Registered], snapshot: Snapshot, features: Collection[Feature]) -> None:
        """Register each again, with what the nodes of the cluster support (KIP-919, ControllerRegistration).

        The listeners have the names of the active controller's: by these Kafka lists who is registered.
        """
        kind = "ControllerRegistrationRequest"
        names = sorted(endpoints(self._client).get(snapshot.controller_id, {})) if found else []
        for one in found:
            where = {"host": one.host, "port": one.port, "security_protocol": PLAINTEXT}
            request = self._client.request(
                kind,
                controller_id=one.node_id,
                incarnation_id=uuid.uuid4(),
                zk_migration_ready=False,
                listeners=[self._client.struct(kind, "Listener", name=name, **where) for name in names or [LISTENER]],
                features=[self._client.struct(kind, "Feature", **ranged(each)) for each in features],
            )
            self._done("ControllerRegistration", self._client.send(self._leader(snapshot), request, REQUEST_SECONDS))

    def unregister(self, node_ids: Iterable[int]) -> None:
        """Take registrations away (KIP-1312); one that is gone already is as good."""
        for node_id in node_ids:
            request = self._client.request("UnregisterControllerRequest", controller_id=node_id)
            self._done("UnregisterController", self._client.send(self._client.reach(), request, REQUEST_SECONDS))

    def _done(self, what: str, answer: Mapping[str, Any]) -> None:
        error = self._client.error(what, answer["error_code"], answer.get("error_message"))
        if error and error.name != GONE:
            raise error

    def _leader(self, snapshot: Snapshot) -> str:
        if snapshot.controller_id not in self._addresses:
            raise UnreachableError(f"the active controller ({snapshot.controller_id}) is not in the inventory")
        return self._addresses[snapshot.controller_id]


def ranged(feature: Feature) -> dict[str, Any]:
    """Return a feature in the form of a registration."""
    return {
        "name": feature.name,
        "min_supported_version": feature.minimum,
        "max_supported_version": feature.maximum,
    }
