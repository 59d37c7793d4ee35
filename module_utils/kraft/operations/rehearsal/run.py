"""A rehearsal from its parameters to its result: unpack, enter the network, try, measure."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.rehearsal import isolation, nodes, records, settings
from ansible.module_utils.kraft.operations.rehearsal.processes import Launcher, unpack_libraries
from ansible.module_utils.kraft.operations.rehearsal.trial import Trial, timed

START_SECONDS = 240.0  #: a busy machine needs minutes for four JVMs
WHOLE_SECONDS = 900.0


def rehearsed(given: Mapping[str, Any]) -> nodes.Rehearsed:
    """Return the cluster from the module's parameter."""
    return nodes.Rehearsed(
        given["cluster_id"],
        given["quorum"],
        given["listener"],
        tuple(
            nodes.Controller(one["node_id"], one["address"], one["directory_id"] or "") for one in given["controllers"]
        ),
        tuple(given["broker_ids"]),
        tuple(given["addresses"]),
    )


class Rehearsal:
    """One rehearsal. `params`: of the module ``kafka_rehearsal``."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self._params, self._cluster = params, rehearsed(params["cluster"])
        copied = sorted(one for one in Path(params["directory"]).iterdir() if one.is_file())
        self._log = {one.name: one.read_bytes() for one in copied}
        self._metadata = records.metadata(self._log)
        self._work = Path(params["directory"]) / "nodes"
        self._seconds: dict[str, float] = {}

    def __call__(self) -> dict[str, Any]:
        """Return the result. Leaves no process behind, and the directory to its owner."""
        shutil.rmtree(self._work, ignore_errors=True)  # of a run that was killed
        self._work.mkdir(mode=0o700)
        libraries = str(self._work / "libs")
        jars = timed(
            self._seconds,
            "unpack",
            lambda: unpack_libraries(self._params["archive"], self._params["checksum"], libraries),
        )
        launcher = Launcher(self._params["java"], tuple(jars), self._work, self._cluster)
        try:
            return isolation.isolated(lambda: self._inside(launcher), WHOLE_SECONDS)
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def _inside(self, launcher: Launcher) -> dict[str, Any]:
        isolation.loopback()
        isolation.refuse_if_reachable(self._cluster.addresses)
        known = nodes.hosts(self._cluster)
        hosts_file = self._work / "hosts"
        hosts_file.write_text(nodes.hosts_file(known))
        isolation.take_addresses(known.values(), str(hosts_file))
        broker_id = nodes.broker_id(self._cluster, [*self._metadata.brokers, *self._metadata.controllers])
        address = nodes.broker_address(self._cluster)
        with Client({"bootstrap_servers": [address], "python_path": self._params["python_path"]}) as client:
            addresses = {one.node_id: one.address for one in self._cluster.controllers}
            trial = Trial(client, addresses, self._metadata, self._cluster.brokers, broker_id)
            controllers = [launcher.controller(one, self._log) for one in self._cluster.controllers]
            broker = launcher.broker(broker_id, address)
            timed(self._seconds, "start", lambda: trial.wait_until_ready([*controllers, broker], START_SECONDS))
            for one in controllers:
                one.refuse_if_cut(self._log)
            found = self._tried(trial)
            leader = trial.leader()
            broker.end()
            trial.unregister(broker_id, leader)
        return {**found, "added_broker": broker_id, "seconds": self._seconds, **self._copied()}

    def _tried(self, trial: Trial) -> dict[str, Any]:
        before = trial.levels()
        registered = trial.register_brokers()
        unknown = settings.unknown(self._metadata.settings, self._params["known_settings"])
        topics = [name for kind, name in unknown if kind == "topic"]
        ghosts = sorted(set(self._metadata.brokers) - set(self._cluster.brokers))
        attempts = timed(self._seconds, "finalise", lambda: trial.finalise_without(self._params["features"], ghosts))
        return {
            "before": before,
            "attempts": attempts,
            "after": trial.levels(),
            "registered_brokers": registered,
            "ghost_brokers": [{"node_id": one, **self._range(self._metadata.brokers[one].features)} for one in ghosts],
            "unknown_settings": [
                {"kind": kind, "name": name, "settings": names} for (kind, name), names in unknown.items()
            ],
            "refused_topics": trial.refused_topics(topics),
        }

    @staticmethod
    def _range(features: records.Ranges) -> dict[str, int]:
        low, high = features.get("metadata.version", (0, 0))
        return {"minimum": low, "maximum": high}

    def _copied(self) -> dict[str, Any]:
        ids = {one.node_id for one in self._cluster.controllers}
        left = sorted(set(self._metadata.controllers) - ids)
        return {
            "topics": len(self._metadata.topics),
            "copied_bytes": sum(map(len, self._log.values())),
            "ghost_controllers": [{"node_id": one, **self._range(self._metadata.controllers[one])} for one in left],
        }


def refuse_unless_supported(params: Mapping[str, Any]) -> None:
    """Raise RefusedError for what would fail later."""
    if not shutil.which(params["java"]):
        raise RefusedError([f"{params['java']}: no Java on this machine -> install Java 17 or newer"])
    if not params["cluster"]["controllers"]:
        raise RefusedError(["the inventory has no controller"])
