"""A status of twelve brokers with everything that makes a page hard to read, for tests and for a look at it."""

from __future__ import annotations

import dataclasses
from typing import Any

from ansible.module_utils.kraft.cluster.lags import GroupLag, Lags
from ansible.module_utils.kraft.cluster.snapshot import Broker, Feature, LogDir, Quorum, Snapshot
from ansible.module_utils.kraft.status.certificates import Certificate
from ansible.module_utils.kraft.status.last_change import LastChange, Step
from ansible.module_utils.kraft.status.model import Status
from ansible.module_utils.kraft.status.view import status
from ansible.module_utils.kraft.status.watched import Alert, Filling, Watched

from tests.unit.cluster.snapshots import cluster, partition, quorum, topic, voter
from tests.unit.status.scenes import heard

IDS = range(1, 13)
VOTERS = (1, 2, 3)
AWAY, FENCED, SILENT = 11, 12, 5
CLUSTER_ID = "bW9sZWN1bGUtY2x1c3Rlcg"
GB = 1_000_000_000
LONG_TOPIC = "eu-central-1.payments.settlement.reconciliation-of-card-transactions.retry_after_failure.v2"
UNBROKEN = "PaymentsSettlementReconciliationOfCardTransactionsRetryAfterFailureVersionTwoWithoutAnyDot"
LONG_GROUP = "connect-elasticsearch-sink-of-payments-settlement-reconciliation.production.eu-central-1"
REASON = "2001:db8:85a3::8a2e:370:7334 accepts connections and does not answer"


def host(node_id: int) -> str:
    return f"kafka-broker-{node_id:02}.eu-central-1.messaging.production.example.com"


def roles(node_id: int) -> tuple[str, ...]:
    return ("broker", "controller") if node_id in VOTERS else ("broker",)


def snapshot() -> Snapshot:
    served = [one for one in IDS if one not in (AWAY, FENCED)]
    names = [LONG_TOPIC, UNBROKEN, *(f"orders.{one:02}" for one in range(20))]
    topics = [
        topic(name, *(_partition(number, at, served) for at in range(12 + number % 5)))
        for number, name in enumerate(names)
    ]
    brokers = [Broker(one, f"2001:db8:85a3::8a2e:370:{7300 + one}", 9092, None, one in (AWAY, FENCED)) for one in IDS]
    made = cluster(*topics, brokers=brokers, leader=_quorum())
    dirs = [_log_dir(one, disk) for one in served if one != SILENT for disk in (1, 2)]
    return dataclasses.replace(
        made,
        cluster_id=CLUSTER_ID,
        log_dirs=tuple(dirs),
        topic_bytes={name: (len(names) - number) ** 3 * 7 * GB // 10 for number, name in enumerate(names)},
        features=(Feature("metadata.version", 29, 7, 30), Feature("kraft.version", 1, 0, 1)),
        reassignments=(),
        unanswered={"log_dirs": REASON},
    )


def _quorum() -> Quorum:
    """Brokers without a controller observe; the leader has not heard of the one that is away."""
    observers = tuple(voter(one, None if one == AWAY else 100 * one, 0) for one in IDS if one not in VOTERS)
    return dataclasses.replace(quorum(1, *map(voter, VOTERS)), observers=observers)


def _partition(number: int, at: int, served: list[int]) -> Any:
    replicas = [(number + at + step) % 12 + 1 for step in range(3)]
    return partition(at, replicas, [one for one in replicas if one in served])


def _log_dir(node_id: int, disk: int) -> LogDir:
    path = f"/srv/kafka/data-disk-{disk}/kraft-logs"
    if (node_id, disk) == (7, 2):
        return LogDir(node_id, path, "KAFKA_STORAGE_ERROR: the directory is offline")
    used = (300 + 41 * node_id + 9 * disk) * GB
    return LogDir(node_id, path, "", 1_000 * GB, 1_000 * GB - used - 20 * GB, used, 60 + node_id)


def large_status() -> Status:
    about = {"name": "messaging-production", "cluster_id": CLUSTER_ID}
    about |= {"broker_ids": [*IDS], "controller_ids": [*VOTERS]}  # type: ignore[dict-item]
    desired = {"cluster": about, "nodes": {host(one): {"node_id": one, "roles": roles(one)} for one in IDS}}
    lags = Lags(
        tuple(GroupLag(f"{LONG_GROUP}.{one}", "PreparingRebalance", 9_876_543_210 // one, 96) for one in range(1, 11)),
        1234,
        900,
        (f"group {LONG_GROUP}.10: NotCoordinatorError",),
    )
    answer = {"snapshot": snapshot().to_dict(), "lag": dataclasses.asdict(lags)}
    found = status(desired, {host(one): _looked(one) for one in IDS}, answer, None, "-i inventories/production")
    return dataclasses.replace(found, nodes=tuple(map(_secured, found.nodes)), watched=_watched(), changed=_changed())


def _looked(node_id: int) -> dict[str, Any]:
    if node_id == AWAY:
        return {"machine": {"unreachable": True, "msg": "Connection timed out"}, "view": None}
    service: dict[str, Any] = {
        "pid": 7,
        "installed": True,
        "restarts": 3 * (node_id == 4),
        "age": 86_400.0 * node_id * 7 + 12_000,
    }
    service |= {"heap_bytes": None if node_id == 6 else 6 << 30, "resident_bytes": 7_654_321_098}
    view = {"controllers": [dataclasses.asdict(one) for one in heard(1, ids=VOTERS)], "broker": None}
    return {
        "process": {"running": True, "actions": [], "release": "4.3.1"},
        "kernel": {},
        "service": service,
        "view": view,
    }


def _secured(node: Any) -> Any:
    if node.node_id == AWAY:
        return node
    address = f"{host(node.node_id)}:9093"
    shown = Certificate(address, 396 - 30 * node.node_id, "CN=authority of messaging-production", (address,))
    days = dataclasses.replace(node.figures, certificate_days=shown.days)
    return dataclasses.replace(node, certificates=(shown,), figures=days)


def _watched() -> Watched:
    filling = [Filling(one, f"/srv/kafka/data-disk-{disk}/kraft-logs", 3.0 * one) for one in IDS for disk in (1, 2)]
    filling[2] = dataclasses.replace(filling[2], days=None)
    summary = f"{UNBROKEN} has partitions that are under-replicated"
    alert = Alert("KafkaPartitionsUnderReplicated", "page", summary, "2026-11-25T10:00:00Z")
    return Watched("http://prometheus.messaging.production.example.com:9090", "", True, (alert,), tuple(filling))


def _changed() -> LastChange:
    steps = ("Install the release", "Write the files for the next start", "Restart the nodes of the batch")
    return LastChange(1_795_000_000.0, 1_795_000_123.0, tuple(Step(one, tuple(map(host, IDS))) for one in steps), ())
