"""Ask every broker what it supports, have Kafka judge a change, make it, and see it everywhere."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence

from ansible.module_utils.kraft.cluster import gather, responses
from ansible.module_utils.kraft.cluster.client import ApiError, Client, Question
from ansible.module_utils.kraft.cluster.departed import (
    METADATA_VERSION,
    Registered,
    common,
    held_back_by,
    known_level,
    unregisters,
)
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Feature, Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import ToolError, UnreachableError, refuse
from ansible.module_utils.kraft.operations.features.departures import Departures
from ansible.module_utils.kraft.operations.features.plan import Change, feature_refusals, plan, refused

REQUEST_MS = 15_000
Batches = tuple[tuple[Change, ...], ...]
Supported = dict[int, tuple[Feature, ...]]


@dataclasses.dataclass(frozen=True)
class Plan:
    """``renewed`` and ``dropped``: controllers that left, and whose registration is renewed before or dropped after.

    ``snapshot`` and ``common``: the cluster, and what all its nodes support.
    """

    batches: Batches
    renewed: tuple[Registered, ...]
    dropped: tuple[Registered, ...]
    snapshot: Snapshot
    common: tuple[Feature, ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(one for batch in self.batches for one in batch)

    def steps(self) -> list[str]:
        """Describe the steps."""
        return [
            *(f"renew the registration of controller {one.node_id}, which was removed" for one in self.renewed),
            *map(str, self.changes),
            *(f"remove the registration of controller {one.node_id}, which was removed" for one in self.dropped),
        ]


class FeatureAdmin:
    """`timeout`: seconds to wait for every broker to show what was finalised. `controllers`: see Departures."""

    def __init__(
        self,
        client: Client,
        timeout: float,
        controllers: Mapping[int, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client, self._timeout, self._sleep = client, timeout, sleep
        self._departures = Departures(client, controllers or {})
        self._parts = ("features", "quorum") if controllers else ("features",)

    def cluster(self) -> Snapshot:
        """Return the cluster. Raises UnreachableError while a part of it is unknown."""
        snapshot = gather.observe(self._client, self._parts)
        if snapshot.unanswered:
            raise UnreachableError("; ".join(snapshot.unknown))
        return snapshot

    def observe(self) -> tuple[Snapshot, Supported]:
        """Return the cluster, and broker -> features as each serving broker reports them."""
        snapshot = self.cluster()
        serving = [one for one in snapshot.brokers if not one.fenced]
        question = self._client.request("ApiVersionsRequest", **gather.software())
        given = self._client.send_all([Question(one.address, question) for one in serving])
        read = [responses.features(gather.checked(self._client, "ApiVersions", one)) for one in given]
        return snapshot, {broker.node_id: features for broker, features in zip(serving, read)}

    def planned(self, wanted: Mapping[str, int], allow_downgrade: bool) -> Plan:
        """Return the plan, validated by Kafka. Raises RefusedError with all reasons against it."""
        snapshot, supported = self.observe()
        found = feature_refusals(wanted, supported, allow_downgrade)
        refuse(found)
        batches = plan(wanted, next(iter(supported.values())))
        gone = self._departures.find_departed(snapshot)
        for changes in batches:
            reason = self.update(changes, validate_only=True)
            found += refused(changes, reason, snapshot.brokers) if reason and not held_back_by(reason, gone) else []
        refuse(found)
        after = max(known_level(snapshot), wanted.get(METADATA_VERSION, 0)) if gone else 0
        dropped = gone if unregisters(after) else ()
        return Plan(batches, gone if batches else (), dropped, snapshot, common(supported))

    def apply(self, made: Plan) -> None:
        """Apply the plan, registrations first; the next run continues one that is killed in between."""
        self._departures.renew(made.renewed, made.snapshot, made.common)
        for changes in made.batches:
            reason = self.update(changes)
            if reason:
                raise ToolError(f"Kafka refuses the change that it had validated: {reason}")
        self._await({one.name: one.after for one in made.changes})
        self._departures.unregister([one.node_id for one in made.dropped])

    def update(self, changes: Sequence[Change], validate_only: bool = False) -> str:
        """Return Kafka's refusal, empty if there is none. Raises a retriable error."""
        kind = "UpdateFeaturesRequest"
        updates = [
            self._client.struct(
                kind, "FeatureUpdateKey", feature=one.name, max_version_level=one.after, upgrade_type=one.kind
            )
            for one in changes
        ]
        request = self._client.request(
            kind, timeout_ms=REQUEST_MS, feature_updates=updates, validate_only=validate_only
        )
        answer = self._client.send(self._client.reach(), request, REQUEST_MS / 1000 + 2)
        error = self._client.error("UpdateFeatures", answer["error_code"], answer.get("error_message"))
        if error and error.retriable:
            raise error
        return _words(error)

    def _await(self, wanted: Mapping[str, int]) -> None:
        """Wait until every serving broker shows the new levels. Without one they are not known."""
        stall_timeout = StallTimeout(self._timeout)
        while True:
            _, supported = self.observe()
            late = [
                node_id
                for node_id, features in supported.items()
                if any(wanted.get(one.name, one.level) != one.level for one in features)
            ]
            if supported and not late:
                return
            if not stall_timeout.lasts(tuple(late)):
                raise ToolError(f"finalised, and brokers {late} do not show it after {self._timeout:g} s")
            self._sleep(PAUSE)


def _words(error: ApiError | None) -> str:
    return "" if error is None else f"{error.name}: {error.detail}"
