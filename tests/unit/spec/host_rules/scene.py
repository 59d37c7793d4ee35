"""Three healthy combined nodes, as wanted and as found; tests break one thing at a time."""

from __future__ import annotations

import copy
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.node.identity import Disk, Identity
from ansible.module_utils.kraft.node.run_lock.lock import Record
from ansible.module_utils.kraft.spec.host_rules.subject import Desired, Host, Subject

CLUSTER_ID = "nq3DoF4lQiqcqPnYvYPP7g"
DIRECTORY_IDS = ("rXm2TCBFTkSSLm9uM1CErA", "07R5amHmR32VDA6jHkGbTA", "MvDxzVmcRsaTz33bUuRU6A")
NAMES = ("k1", "k2", "k3")
LOGS = "/data/logs"
PORTS = {"CLIENT": (9092, "client"), "INTERNAL": (19092, "inter_broker"), "CONTROLLER": (9093, "controller")}

VOTERS = ",".join(f"{at}@{name}:9093:{DIRECTORY_IDS[at - 1]}" for at, name in enumerate(NAMES, 1))
CLUSTER = {
    "name": "orders",
    "cluster_id": CLUSTER_ID,
    "version": "4.4.0",
    "quorum": "dynamic",
    "profile": "production",
    "initial_controllers": VOTERS,
    "install_dir": "/opt/kafka",
    "node_listeners": [],
    "controllers": [{"node_id": at, "address": f"{name}:9093"} for at, name in enumerate(NAMES, 1)],
}


#: Deployed state of a node without a migration of its security.
NOT_MIGRATED: dict[str, Any] = {"authorizer": "", "migration": "", "opened": [], "old_inter_broker": ""}


def listener(name: str, host: str) -> dict[str, Any]:
    port, purpose = PORTS[name]
    advertised = {"host": host, "port": port}
    protocol = {"protocol": "PLAINTEXT", "purpose": purpose}
    return {"name": name, "port": port, **protocol, "bind": host, "advertised": advertised}


def node(at: int) -> dict[str, Any]:
    """The entry of ``kafka_desired`` of the node number `at`."""
    return {
        "node_id": at,
        "roles": ["broker", "controller"],
        "log_dirs": [LOGS],
        "metadata_log_dir": LOGS,
        "directory_id": DIRECTORY_IDS[at - 1],
        "heap_mb": 4096,
        "jvm_options": ["-XX:+UseZGC"],
        "contributed_ports": {},
        "contributed_processes": {},
        "contributed_addresses": {},
        "listeners": [listener(name, NAMES[at - 1]) for name in PORTS],
    }


def disk(path: str, **found: Any) -> dict[str, Any]:
    """A directory on a good disk."""
    good = {
        "path": path,
        "real_path": path,
        "device": "/dev/vdb",
        "mount": "/data",
        "fstype": "xfs",
        "options": ["rw", "noatime"],
        "free_mb": 90000,
        "total_mb": 100000,
        "free_inodes": 10_000_000,
        "mount_root": False,
        "closed_by": "",
        "owner": "",
        "group": "",
        "mode": "",
    }
    return {**good, **found}


def empty_log_dir(path: str, **found: Any) -> dict[str, Any]:
    content: dict[str, Any] = {
        "state": "empty",
        "cluster_id": "",
        "node_id": None,
        "directory_id": "",
        "lived": [],
        "unknown": [],
        "blockers": [],
        "has_meta": False,
        "bootstrap_ok": False,
        "partitions": 0,
        "detail": "",
        "foreign_files": [],
        "orphan_uid": None,
    }
    return {**disk(path), **content, **found}


def formatted_log_dir(path: str, at: int, **found: Any) -> dict[str, Any]:
    identity = {"cluster_id": CLUSTER_ID, "node_id": at, "directory_id": DIRECTORY_IDS[at - 1]}
    made = {"state": "formatted", "has_meta": True, "bootstrap_ok": True, **identity}
    return {**empty_log_dir(path), **made, **found}


def host_facts(at: int) -> dict[str, Any]:
    """Return the facts of `kafka_host_info` for a fresh, fit host."""
    others = [name for name in NAMES if name != NAMES[at - 1]]
    return {
        "os": {"family": "Debian", "distribution": "debian", "version": "12", "package_manager": "apt"},
        "cpus": 4,
        "memory_mb": 16000,
        "java": {"home": "/usr/lib/jvm/java-17", "path": "/usr/bin/java", "version": "17.0.15", "major": 17},
        "javas": [{"home": "/usr/lib/jvm/java-17", "major": 17}],
        "limits": {"nofile_hard": 1048576},
        "sysctl": {"vm.max_map_count": {"value": "65530", "writable": True}},
        "systemd": True,
        "privileged": True,
        "user": {
            "name": "kafka",
            "exists": True,
            "uid": 998,
            "group": "kafka",
            "groups": ["kafka"],
            "shell": "/usr/sbin/nologin",
        },
        "group": {"name": "kafka", "exists": True, "gid": 998},
        "login": {"name": "ops", "uid": 1000, "gid": 1000},
        "hostname": NAMES[at - 1],
        "machine_id": f"machine-{at}",
        "boot_id": f"boot-{at}",
        "place": f"boot-{at}:4026531833",
        "time": 1_800_000_000.0,
        "clock_synchronised": True,
        "clock_offset": [-0.4, 0.3],
        "log_dirs": {LOGS: empty_log_dir(LOGS)},
        "paths": {"install_dir": disk("/opt/kafka", mount="/"), "tmp": disk("/scratch", mount="/")},
        "install_dir": {"kind": "absent", "target": "", "occupied": []},
        "releases": {},
        "current_release": None,
        "current_release_age": None,
        "quorum": None,
        "deployed": {"node_id": "", "roles": [], "listeners": [], "voters": [], **NOT_MIGRATED},
        "identity": Identity(deployed=False).as_facts(),
        "connections": {},
        "service": {"pid": 0, "active": False, "age": 0.0},
        "ports": [],
        "names": {name: {"addresses": [f"10.0.0.{NAMES.index(name) + 1}"], "error": ""} for name in NAMES},
        "binds": {NAMES[at - 1]: ""},
        "reach": {f"{name}:{port}": "refused" for name in others for port, _ in PORTS.values()},
    }


class Scene:
    """A cluster to break: ``facts[name]`` and ``nodes[name]`` are plain dictionaries."""

    def __init__(self, **cluster: Any) -> None:
        self.cluster = {**CLUSTER, **cluster}
        self.nodes = {name: node(at) for at, name in enumerate(NAMES, 1)}
        self.facts: dict[str, dict[str, Any] | None] = {name: host_facts(at) for at, name in enumerate(NAMES, 1)}
        self.wanted = dict.fromkeys(NAMES, Desired())
        self.left_out: set[str] = set()
        self.snapshot: Snapshot | None = None
        self.silence = ""
        self.holders: dict[str, Record] = {}

    def facts_of(self, name: str) -> dict[str, Any]:
        facts = self.facts[name]
        assert facts is not None
        return facts

    def logs(self, name: str, **found: Any) -> None:
        """Change what was found of the log dir of `name`."""
        self.facts_of(name)["log_dirs"][LOGS].update(found)

    def format(self, *names: str, **found: Any) -> None:
        for name in names or NAMES:
            self.facts_of(name)["log_dirs"][LOGS] = formatted_log_dir(LOGS, NAMES.index(name) + 1, **found)

    def deploy(self, *names: str) -> None:
        """A node with the log dir of the inventory, on each of `names`; on all without any."""
        for name in names or NAMES:
            at = NAMES.index(name) + 1
            self.format(name)
            self.holds(name, Disk(LOGS, True, CLUSTER_ID, at, DIRECTORY_IDS[at - 1]))

    def holds(self, name: str, *disks: Disk, **found: Any) -> None:
        """Set the identity found on `name`: a node that is deployed with these log dirs."""
        self.facts_of(name)["identity"] = Identity(**{"deployed": True, "disks": disks, **found}).as_facts()

    def subject(self) -> Subject:
        hosts = [
            Host(
                name,
                self.nodes[name],
                copy.deepcopy(self.facts[name]),
                self.wanted[name],
                name not in self.left_out,
                holder=self.holders.get(name),
            )
            for name in self.nodes
        ]
        return Subject(tuple(hosts), self.cluster, self.snapshot, self.silence)
