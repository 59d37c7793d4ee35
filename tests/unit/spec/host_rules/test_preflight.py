"""Every rule of preflight: one thing is broken on otherwise fit hosts, and its problem is what comes out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.node.run_lock.lock import Record
from ansible.module_utils.kraft.spec import host_rules
from ansible.module_utils.kraft.spec.host_rules import cross_host, network
from ansible.module_utils.kraft.spec.host_rules.subject import Desired

from tests.unit.problems import worded
from tests.unit.spec.host_rules.scene import CLUSTER_ID, LOGS, NAMES, Scene, empty_log_dir, formatted_log_dir
from tests.wording_files import Wording

Break = Callable[[Scene], Any]


#: Severity, rule, host, variable and value.
Told = tuple[str, str, str, str, Any]


def told(scene: Scene, accepted: tuple[str, ...] = ()) -> list[Told]:
    found = host_rules.check(scene.subject(), accepted)
    assert all(problem.remedy for problem in found)
    return [(each.severity, each.rule, each.host, each.variable, each.value) for each in found]


@pytest.mark.parametrize("state", ["fresh", "formatted", "living"])
def test_fit_hosts_have_no_problem(state: str) -> None:
    scene = Scene()
    if state != "fresh":
        scene.format(foreign_files=[])
    if state == "living":
        scene.format(lived=["__cluster_metadata-0/quorum-state"], partitions=40)
        for name in NAMES:
            scene.facts_of(name)["service"]["pid"] = 77
            scene.facts_of(name)["ports"] = [
                {"port": 9092, "address": "10.0.0.1", "pid": 77, "process": "java kafka.Kafka"}
            ]
            scene.facts_of(name)["reach"] = dict.fromkeys(scene.facts_of(name)["reach"], "open")
    assert told(scene) == []


def java(version: str | None, **more: Any) -> Break:
    major = int(version.split(".")[0]) if version else None
    found = {"home": "/usr/lib/jvm/x", "path": "/usr/bin/java", "version": version, "major": major}
    return lambda scene: scene.facts_of("k1").update(java=found, **more)


def returned(scene: Scene) -> None:
    """The data of a cluster that was destroyed, or whose machines were replaced, before Kafka's user is there again."""
    scene.format(foreign_files=["meta.properties (987)"], orphan_uid=987)
    for name in NAMES:
        scene.facts_of(name)["user"].update(exists=False, uid=None, group=None, groups=[], shell=None)


def deployed(protocol: str, purpose: str, pid: int) -> Break:
    """Deploy k2 with another protocol; k1 runs, or no node."""

    def act(scene: Scene) -> None:
        scene.format(lived=["__cluster_metadata-0/quorum-state"])
        found = {"name": "X", "address": "k2:1", "protocol": protocol, "purpose": purpose}
        scene.facts_of("k2")["deployed"]["listeners"] = [found]
        scene.facts_of("k1")["service"]["pid"] = pid

    return act


def on_the_way(phase: str, **connections: list[str]) -> Break:
    """k2 has old and secured listeners, the run is in `phase`, and `connections` come to k2's ports p9092 and so on."""

    def act(scene: Scene) -> None:
        scene.format(lived=["__cluster_metadata-0/quorum-state"])
        old = {"name": "OPEN", "address": "k2:9192", "bind": "k2:9192", "protocol": "PLAINTEXT", "purpose": "client"}
        between = {"name": "OLD", "address": "k2:9193", "bind": "k2:9193", "protocol": "PLAINTEXT", "purpose": "client"}
        scene.facts_of("k2")["deployed"].update(listeners=[old, between], migration="switch", old_inter_broker="OLD")
        scene.facts_of("k2")["connections"] = {port[1:]: found for port, found in connections.items()}
        scene.cluster["migration"] = phase

    return act


def foreign_authority(pid: int, **found: Any) -> Break:
    """Let k2 trust an authority that this machine does not have; k1 runs, or no node."""

    def act(scene: Scene) -> None:
        scene.format(lived=["__cluster_metadata-0/quorum-state"])
        scene.facts_of("k2")["steps"] = {"certificate": {"changed": True, "foreign": True, **found}}
        scene.nodes["k2"]["certificate"] = {"authority": "/srv/tls", "host_key": "/etc/pki/node.key"}
        scene.facts_of("k1")["service"]["pid"] = pid

    return act


def no_java(family: str, given: str = "", javas: tuple[int, ...] = ()) -> Break:
    def act(scene: Scene) -> None:
        system = {"family": family, "distribution": "nixos", "version": "", "package_manager": ""}
        scene.facts_of("k1").update(
            java=None, os=system, javas=[{"home": f"/jvm/{each}", "major": each} for each in javas]
        )
        scene.wanted["k1"] = Desired(java_home=given)

    return act


def heap(mb: int, memory: int) -> Break:
    def act(scene: Scene) -> None:
        scene.nodes["k1"]["heap_mb"] = mb
        scene.facts_of("k1")["memory_mb"] = memory

    return act


def facts(**changed: Any) -> Break:
    return lambda scene: scene.facts_of("k1").update(**changed)


def logs(**found: Any) -> Break:
    return lambda scene: scene.logs("k1", **found)


def place(name: str, **found: Any) -> Break:
    return lambda scene: scene.facts_of("k1")["paths"][name].update(**found)


def many_partitions(scene: Scene) -> None:
    """The maps are enough for 11,723 partitions."""
    scene.facts_of("k1").update(sysctl={"vm.max_map_count": {"value": "300000", "writable": False}})
    scene.wanted["k1"] = Desired(partition_budget=20000)


MAPS = {"vm.max_map_count": {"value": "65530", "writable": False}}

MACHINE: dict[str, tuple[Break, list[Told]]] = {
    "no become": (facts(privileged=False), [("error", "not_root", "k1", "", None)]),
    "no systemd": (facts(systemd=False), [("error", "no_systemd", "k1", "", None)]),
    "old java": (
        java("11.0.2"),
        [("error", "old_java", "k1", "kafka_java_home", "11.0.2")],
    ),
    "mute java": (java(None), [("error", "unknown_java", "k1", "kafka_java_home", "/usr/lib/jvm/x")]),
    "java that the role installs": (no_java("Debian"), []),
    "java that nobody installs": (
        no_java(""),
        [("error", "no_java", "k1", "kafka_java_home", None)],
    ),
    "given java that is not there": (
        no_java("Debian", given="/opt/jdk"),
        [("error", "no_java", "k1", "kafka_java_home", "/opt/jdk")],
    ),
    "heap over memory": (
        heap(4096, 4000),
        [("error", "heap_too_large", "k1", "kafka_heap_size", "4096m")],
    ),
    "heap over half": (
        heap(4096, 6000),
        [("error", "heap_over_half", "k1", "kafka_heap_size", "4096m")],
    ),
    "heap of exactly half": (heap(4096, 8191), []),
    "few files": (
        facts(limits={"nofile_hard": 20000}),
        [("warning", "few_open_files", "k1", "kafka_nofile_limit", 20000)],
    ),
    "few maps": (
        facts(sysctl=MAPS),
        [("warning", "few_memory_maps", "k1", "kafka_host_partition_budget", "65530")],
    ),
    "maps for fewer partitions": (
        many_partitions,
        [("warning", "few_memory_maps", "k1", "kafka_host_partition_budget", "300000")],
    ),
    "no such kernel setting": (facts(sysctl={}), []),
    "a node that was taken out": (facts(removed=True), [("error", "removed_node", "k1", "", None)]),
}

OLD = "/old/logs"


def used(path: str, replicas: int = 0, read: bool = True, **found: Any) -> Break:
    """Deploy k1 with one more log dir; with `found` it is still desired, with these facts."""

    def act(scene: Scene) -> None:
        scene.format()
        names = [f"t-{number}" for number in range(min(replicas, 5))]
        old = {"read": read, "replicas": replicas, "named": names}
        scene.facts_of("k1")["used_log_dirs"] = {LOGS: {"read": True, "replicas": 9, "named": ["t-0"]}, path: old}
        if found:
            scene.nodes["k1"]["log_dirs"] = [LOGS, path]
            scene.facts_of("k1")["log_dirs"][path] = empty_log_dir(path, mount="/old", **found)

    return act


def reordered(*roles: str, **found: Any) -> Break:
    """Put k1's metadata log into LOGS; another log dir, with these facts, is the first now."""

    def act(scene: Scene) -> None:
        scene.format(lived=["__cluster_metadata-0/quorum-state", "t-0"])
        scene.nodes["k1"].update(log_dirs=[OLD, LOGS], metadata_log_dir=OLD, roles=list(roles))
        scene.facts_of("k1")["log_dirs"][OLD] = empty_log_dir(OLD, mount="/old", **found)

    return act


def emptied(*roles: str, in_use: bool = False, registered: bool = True, **asked: Any) -> Break:
    """The one log dir of k1 is empty, while the others run. `in_use`: the node was deployed with it on this machine."""

    def act(scene: Scene) -> None:
        scene.format("k2", "k3", lived=["__cluster_metadata-0/quorum-state", "t-0"])
        scene.nodes["k1"]["roles"] = list(roles)
        scene.facts_of("k1")["used_log_dirs"] = {LOGS: {"read": True, "replicas": 0, "named": []}} if in_use else {}
        scene.wanted["k1"] = Desired(**asked)
        known = [Broker(at, name, 19092, fenced=at == 1) for at, name in enumerate(NAMES, 1)]
        voters = tuple(Replica(at, "", 9, 0, 1, 1, 0) for at in (2, 3))
        scene.snapshot = Snapshot(CLUSTER_ID, tuple(known if registered else known[1:]), quorum=Quorum(2, 1, 9, voters))

    return act


DISK: dict[str, tuple[Break, list[Told]]] = {
    "only log dir of a broker empty that was in use": (
        emptied("broker", in_use=True),
        [("error", "log_dir_lost", "k1", "kafka_log_dirs", LOGS)],
    ),
    "broker of the running cluster on a blank machine": (
        emptied("broker"),
        [("error", "log_dir_lost", "k1", "kafka_log_dirs", None)],
    ),
    "broker that is replaced": (emptied("broker", replaced=True), []),
    "broker that joins": (emptied("broker", added=True, registered=False), []),
    "broker that joins under the id of another": (
        emptied("broker", added=True),
        [("error", "log_dir_lost", "k1", "kafka_log_dirs", None)],
    ),
    "controller of the running cluster on a blank machine": (
        emptied("broker", "controller"),
        [("error", "voter_lost_its_log", "k1", "kafka_log_dirs", LOGS)],
    ),
    "metadata log of a broker in what is no longer the first log dir": (
        reordered("broker"),
        [("error", "metadata_log_misplaced", "k1", "kafka_log_dirs", OLD)],
    ),
    "metadata log of a controller in what is no longer the first log dir": (
        reordered("broker", "controller"),
        [
            ("error", "voter_lost_its_log", "k1", "kafka_log_dirs", OLD),
            ("error", "metadata_log_misplaced", "k1", "kafka_log_dirs", OLD),
        ],
    ),
    "log dirs of a broker in another order": (
        reordered("broker", state="formatted", cluster_id=CLUSTER_ID, node_id=1, has_meta=True, lived=["t-1"]),
        [("error", "metadata_log_misplaced", "k1", "kafka_log_dirs", OLD)],
    ),
    "log dir left out with replicas": (
        used(OLD, 12),
        [("error", "log_dir_dropped", "k1", "kafka_log_dirs", OLD)],
    ),
    "log dir left out empty": (used(OLD), []),
    "log dir left out and not to be read": (
        used(OLD, read=False),
        [("error", "log_dir_dropped_unread", "k1", "kafka_log_dirs", OLD)],
    ),
    "log dir empty that was in use": (
        used(OLD, state="empty"),
        [("error", "log_dir_lost", "k1", "kafka_log_dirs", OLD)],
    ),
    "log dir gone that was in use": (
        used(OLD, state="absent"),
        [("error", "log_dir_lost", "k1", "kafka_log_dirs", OLD)],
    ),
    "somebody's empty directory": (
        logs(owner="postgres"),
        [("error", "log_dir_taken", "k1", "kafka_log_dirs", "/data/logs")],
    ),
    "root's empty directory": (logs(owner="root"), []),
    "memory": (
        logs(fstype="tmpfs"),
        [("error", "log_dir_in_memory", "k1", "kafka_log_dirs", "tmpfs")],
    ),
    "network": (
        logs(fstype="nfs4"),
        [("error", "log_dir_on_network", "k1", "kafka_log_dirs", "nfs4")],
    ),
    "network by fuse": (
        logs(fstype="fuse.sshfs"),
        [("error", "log_dir_on_network", "k1", "kafka_log_dirs", "fuse.sshfs")],
    ),
    "read-only": (
        logs(options=["ro"]),
        [("error", "log_dir_read_only", "k1", "kafka_log_dirs", "/data/logs")],
    ),
    "noexec, which data does not mind": (logs(options=["rw", "noexec"]), []),
    "full": (logs(free_mb=63), [("error", "log_dir_full", "k1", "kafka_log_dirs", 63)]),
    "scarce": (logs(free_mb=4000), [("error", "log_dir_scarce", "k1", "kafka_log_dirs", 4000)]),
    "scarce while living": (
        lambda scene: scene.format(free_mb=4000),
        [
            ("warning", "log_dir_scarce", "k1", "kafka_log_dirs", 4000),
            ("warning", "log_dir_scarce", "k2", "kafka_log_dirs", 4000),
            ("warning", "log_dir_scarce", "k3", "kafka_log_dirs", 4000),
        ],
    ),
    "no inodes": (
        logs(free_inodes=12),
        [("error", "log_dir_no_inodes", "k1", "kafka_log_dirs", 12)],
    ),
    "no fixed number of inodes": (logs(free_inodes=-1), []),
    "wrong owner": (
        lambda scene: scene.format(foreign_files=["meta.properties (root)"]),
        [
            ("error", "log_dir_wrong_owner", "k1", "kafka_log_dirs", "/data/logs"),
            ("error", "log_dir_wrong_owner", "k2", "kafka_log_dirs", "/data/logs"),
            ("error", "log_dir_wrong_owner", "k3", "kafka_log_dirs", "/data/logs"),
        ],
    ),
    "files of an account that is gone": (returned, []),
    "files of an account that is gone beside a user of another uid": (
        lambda scene: scene.format("k2", foreign_files=["meta.properties (987)"], orphan_uid=987),
        [("error", "log_dir_wrong_owner", "k2", "kafka_log_dirs", "/data/logs")],
    ),
    "empty directory of an account that is gone": (logs(state="empty", owner="987"), []),
    "closed way": (
        logs(closed_by="/data"),
        [("error", "log_dir_closed", "k1", "kafka_log_dirs", "/data/logs")],
    ),
    "root of an ext4": (
        logs(blockers=["lost+found"]),
        [("error", "log_dir_is_mount_root", "k1", "kafka_log_dirs", "/data/logs")],
    ),
    "obstacle": (
        lambda scene: scene.format("k1", "k2", "k3", blockers=["backup"]),
        [
            ("error", "log_dir_obstacle", "k1", "kafka_log_dirs", "/data/logs"),
            ("error", "log_dir_obstacle", "k2", "kafka_log_dirs", "/data/logs"),
            ("error", "log_dir_obstacle", "k3", "kafka_log_dirs", "/data/logs"),
        ],
    ),
    "install dir is a link": (
        facts(install_dir={"kind": "link", "target": "/opt/kafka_2.13-3.9.0", "occupied": []}),
        [("error", "install_dir_taken", "k1", "kafka_install_dir", "/opt/kafka")],
    ),
    "install dir is taken": (
        facts(install_dir={"kind": "directory", "target": "", "occupied": ["bin", "libs"]}),
        [("error", "install_dir_taken", "k1", "kafka_install_dir", "/opt/kafka")],
    ),
    "install dir read-only": (
        place("install_dir", options=["ro"]),
        [("error", "install_dir_read_only", "k1", "kafka_install_dir", "/opt/kafka")],
    ),
    "install dir noexec": (
        place("install_dir", options=["rw", "noexec"]),
        [("error", "install_dir_noexec", "k1", "kafka_install_dir", "/opt/kafka")],
    ),
    "install dir full": (
        place("install_dir", free_mb=100),
        [("error", "install_dir_full", "k1", "kafka_install_dir", "/opt/kafka")],
    ),
    "tmp noexec": (
        place("tmp", options=["rw", "noexec"]),
        [("error", "tmp_noexec", "k1", "kafka_jvm_options", "/scratch")],
    ),
}


def port(number: int, address: str, pid: int = 5) -> Break:
    process = "java kafka.Kafka" if pid else ""
    return facts(ports=[{"port": number, "address": address, "pid": pid, "process": process}])


def name(whose: str, *addresses: str, error: str = "") -> Break:
    return lambda scene: scene.facts_of("k1")["names"].update({whose: {"addresses": list(addresses), "error": error}})


def answer(text: str, listens: bool = False, age: float = 3600) -> Break:
    """k1 reaches k2 no more; k2 `listens`, for this number of seconds at most."""

    def act(scene: Scene) -> None:
        scene.facts_of("k1")["reach"]["k2:9093"] = text
        if listens:
            scene.facts_of("k2")["service"]["age"] = age
            scene.format()
            scene.facts_of("k3")["reach"]["k2:9093"] = "open"
            scene.facts_of("k2")["service"]["pid"] = 9
            scene.facts_of("k2")["ports"] = [{"port": 9093, "address": "10.0.0.2", "pid": 9, "process": "java"}]

    return act


NETWORK: dict[str, tuple[Break, list[Told]]] = {
    "port taken": (
        port(9092, "0.0.0.0"),  # noqa: S104
        [("error", "port_taken", "k1", "kafka_listeners", 9092)],
    ),
    "port taken on the same address": (
        port(9093, "10.0.0.1"),
        [("error", "port_taken", "k1", "kafka_listeners", 9093)],
    ),
    "port taken by a hidden process": (
        port(9093, "::", pid=0),
        [("error", "port_taken", "k1", "kafka_listeners", 9093)],
    ),
    "port taken on another address": (port(9092, "127.0.0.1"), []),
    "address of another machine": (
        facts(binds={"k1": "Cannot assign requested address"}),
        [("error", "foreign_bind", "k1", "kafka_listeners", "k1")],
    ),
    "name that does not resolve": (
        name("k2", error="Name or service not known"),
        [("error", "unresolved_name", "k1", "kafka_address", "k2")],
    ),
    "own name on loopback": (
        name("k1", "127.0.1.1"),
        [("error", "loopback_name", "k1", "kafka_address", "k1")],
    ),
    "other's name on loopback": (
        name("k3", "127.0.0.1", "::1"),
        [("error", "loopback_name", "k1", "kafka_address", "k3")],
    ),
    "no way": (
        answer("no answer within 2 s"),
        [("error", "unreachable_port", "k1", "kafka_listeners", "k2:9093")],
    ),
    "refused by a node that started between two looks": (answer("refused", listens=True, age=20), []),
    "refused by a firewall": (
        answer("refused", listens=True),
        [("error", "unreachable_port", "k1", "kafka_listeners", "k2:9093")],
    ),
}


def moved(bind: str, advertised: str = "old:9093") -> Break:
    """k2 refuses at its address of the inventory; its process is bound to `bind`, and advertises another one."""

    def act(scene: Scene) -> None:
        answer("refused", listens=True)(scene)
        scene.facts_of("k3")["reach"]["k2:9093"] = "refused"
        scene.facts_of("k2")["ports"] = [{"port": 9093, "address": bind, "pid": 9, "process": "java"}]
        scene.facts_of("k2")["deployed"]["listeners"] = [
            {"name": "CONTROLLER", "address": advertised, "protocol": "PLAINTEXT", "purpose": "controller"}
        ]

    return act


REFUSED_BY_K2 = [("error", "unreachable_port", name, "kafka_listeners", "k2:9093") for name in ("k1", "k3")]

#: A node that gets another address listens there only after its restart.
MOVED: dict[str, tuple[Break, list[Told]]] = {
    "still bound to the old address": (moved("10.0.0.99"), []),
    "bound to any address": (moved("0.0.0.0"), REFUSED_BY_K2),  # noqa: S104
    "bound to the new address": (moved("10.0.0.2"), REFUSED_BY_K2),
    "behind an address that it advertises already": (moved("10.0.0.99", "k2:9093"), REFUSED_BY_K2),
}


def unseen(
    who: str,
    *,
    left_out: bool = False,
    roles: tuple[str, ...] = ("broker", "controller"),
    wanted: Desired = Desired(),  # noqa: B008 - frozen
) -> Break:
    def act(scene: Scene) -> None:
        scene.format()
        scene.nodes[who]["roles"] = list(roles)
        scene.facts[who] = None
        scene.wanted[who] = wanted
        scene.left_out |= {who} if left_out else set()

    return act


def locked(who: str) -> Break:
    """Another run has the lock of `who`."""

    def act(scene: Scene) -> None:
        unseen(who)(scene)
        scene.holders[who] = Record("pc-4711-1f6c2d90", "ann@pc", "pc", "", "4711 12", "2026-11-21T20:59:42Z")

    return act


def living(**found: Any) -> Break:
    """Format the nodes; k2 has these facts."""

    def act(scene: Scene) -> None:
        scene.format()
        scene.facts_of("k2").update(found)

    return act


def clock(**offsets: list[float]) -> Break:
    return lambda scene: [scene.facts_of(name).update(clock_offset=offset) for name, offset in offsets.items()]


def wiped(scene: Scene) -> None:
    scene.format(lived=["__cluster_metadata-0/quorum-state"])
    scene.facts_of("k3")["log_dirs"][LOGS] = empty_log_dir(LOGS)


def fresh_with_one_unknown(scene: Scene) -> None:
    scene.facts["k3"] = None


def unsynchronised(one_kernel: bool) -> Break:
    def act(scene: Scene) -> None:
        for each in NAMES:
            scene.facts_of(each)["clock_synchronised"] = False
            scene.facts_of(each)["boot_id"] = "boot" if one_kernel else each

    return act


TOGETHER: dict[str, tuple[Break, list[Told]]] = {
    "host that another run holds": (locked("k2"), [("error", "host_locked", "k2", "", None)]),
    "dead host": (unseen("k2"), [("error", "unreachable_host", "k2", "", None)]),
    "controller left out": (
        unseen("k2", left_out=True),
        [("error", "controller_left_out", "k2", "", None)],
    ),
    "broker left out": (
        unseen("k2", left_out=True, roles=("broker",)),
        [("warning", "broker_left_out", "k2", "", None)],
    ),
    "broker left out, and to be replaced": (
        unseen("k2", left_out=True, roles=("broker",), wanted=Desired(replaced=True)),
        [("error", "named_left_out", "k2", "", None)],
    ),
    "broker left out, and to be restarted": (
        unseen("k2", left_out=True, roles=("broker",), wanted=Desired(restarted=True)),
        [("error", "named_left_out", "k2", "", None)],
    ),
    "one machine twice": (
        lambda scene: scene.facts_of("k3").update(place=scene.facts_of("k1")["place"], hostname="k1"),
        [("error", "same_machine", "k3", "ansible_host", "k1")],
    ),
    "place unknown": (lambda scene: [scene.facts_of(each).update(place="") for each in NAMES], []),
    "clock ahead": (
        clock(k2=[7.0, 8.0]),
        [("error", "clock_skew", "k2", "", 6.7)],
    ),
    "clocks that may be right": (clock(k2=[1.2, 2.2]), []),
    "clocks of nobody": (
        unsynchronised(one_kernel=False),
        [
            ("warning", "clock_unsynchronised", "k1", "", None),
            ("warning", "clock_unsynchronised", "k2", "", None),
            ("warning", "clock_unsynchronised", "k3", "", None),
        ],
    ),
    "clocks of one kernel": (unsynchronised(one_kernel=True), []),
    "wiped voter": (
        wiped,
        [("error", "voter_lost_its_log", "k3", "kafka_log_dirs", "/data/logs")],
    ),
    "new quorum with a dead host": (
        fresh_with_one_unknown,
        [
            ("error", "unreachable_host", "k3", "", None),
            ("error", "voter_needs_all_peers", "k1", "kafka_log_dirs", "/data/logs"),
            ("error", "voter_needs_all_peers", "k2", "kafka_log_dirs", "/data/logs"),
        ],
    ),
    "other form of quorum": (
        living(quorum="static"),
        [("error", "quorum_form", "k2", "kafka_quorum", "dynamic")],
    ),
    "form of quorum without data": (facts(quorum="static"), []),
    "older release": (
        living(current_release="4.5.0"),
        [("error", "release_older", "k2", "kafka_version", "4.4.0")],
    ),
    "protocol between nodes that run": (
        deployed("SSL", "inter_broker", pid=77),
        [("error", "protocol_changes", "k2", "kafka_listeners[INTERNAL].protocol", "PLAINTEXT")],
    ),
    "run while a migration is half done": (
        on_the_way("switch"),
        [("warning", "migration_unfinished", name, "kafka_listeners", "switch") for name in NAMES],
    ),
    "client on a listener that is about to be closed": (
        on_the_way("close", p9192=["10.9.9.9", "10.0.0.1"], p9193=["10.9.9.9"]),
        [("error", "old_connections", "k2", "kafka_listeners[OPEN]", 9192)],
    ),
    "nodes alone on a listener that is about to be closed": (on_the_way("close", p9192=["10.0.0.1", "10.0.0.3"]), []),
    "client on a listener that stays": (on_the_way("", p9192=["10.9.9.9"]), []),
    "protocol between nodes that are all stopped": (deployed("SSL", "controller", pid=0), []),
    "authority that was lost while nodes run": (
        foreign_authority(pid=77),
        [("error", "foreign_authority", "k2", "kafka_tls.directory", "/srv/tls")],
    ),
    "authority that was lost while all are stopped": (foreign_authority(pid=0), []),
    "key on the host of another certificate": (
        foreign_authority(pid=0, key_fault="The key does not belong to the provided certificate"),
        [("error", "certificate_key", "k2", "kafka_tls.key_on_host", "/etc/pki/node.key")],
    ),
    "protocol for clients": (deployed("SSL", "client", pid=77), []),
    "newer release": (living(current_release="4.2.1"), []),
    "older patch": (living(current_release="4.3.9"), []),
    "foreign cluster": (
        lambda scene: scene.format("k1", cluster_id="q1Sh-9_ISia_zwGINzRvyQ"),
        [("error", "foreign_cluster_id", "k1", "kafka_cluster_id", "q1Sh-9_ISia_zwGINzRvyQ")],
    ),
}

CASES = {**MACHINE, **DISK, **NETWORK, **MOVED, **TOGETHER}


@pytest.mark.parametrize("case", CASES)
def test_each_fault_is_one_problem(case: str) -> None:
    act, expected = CASES[case]
    assert told(broken(act)) == expected


def broken(act: Break) -> Scene:
    scene = Scene()
    act(scene)
    return scene


def test_wording(wording: Wording) -> None:
    acts = [act for act, _ in CASES.values()] + [
        lambda scene, second=second: two_dirs(scene, **second) for second in SHARED
    ]
    wording(each for act in acts for each in worded(host_rules.check(broken(act).subject())))


def test_all_problems_of_all_hosts_are_told_at_once() -> None:
    scene = Scene()
    facts(systemd=False)(scene)
    wiped(scene)
    scene.facts_of("k2")["limits"]["nofile_hard"] = 20000
    scene.logs("k2", fstype="nfs")
    assert [(severity, rule, host) for severity, rule, host, *_ in told(scene)] == [
        ("error", "voter_lost_its_log", "k3"),
        ("error", "no_systemd", "k1"),
        ("error", "log_dir_on_network", "k2"),
        ("warning", "few_open_files", "k2"),
    ]


@pytest.mark.parametrize("rule", ["heap_over_half", "log_dir_on_network", "log_dir_scarce", "clock_skew"])
def test_risk_is_a_warning_where_it_is_accepted_or_in_a_test_cluster(rule: str) -> None:
    for profile, accepted, severity in (
        ("production", (), "error"),
        ("production", (rule,), "warning"),
        ("test", (), "warning"),
    ):
        scene = Scene(profile=profile)
        heap(4096, 6000)(scene)
        logs(fstype="nfs", free_mb=4000)(scene)
        clock(k2=[7.0, 8.0])(scene)
        found = {each.rule: each.severity for each in host_rules.check(scene.subject(), accepted)}
        assert found[rule] == severity


def test_remedy_names_a_java_that_is_there() -> None:
    scene = Scene()
    no_java("Debian", given="/opt/jdk", javas=(25, 11))(scene)
    remedy = host_rules.check(scene.subject())[0].remedy
    assert "kafka_java_home: /jvm/25" in remedy
    assert "/jvm/11" not in remedy


def two_dirs(scene: Scene, **second: Any) -> None:
    scene.nodes["k1"]["log_dirs"] = [LOGS, "/more/logs"]
    scene.facts_of("k1")["log_dirs"]["/more/logs"] = empty_log_dir("/more/logs", **{"mount": "/more", **second})


SHARED: tuple[dict[str, Any], ...] = ({"mount": "/data"}, {"real_path": LOGS})


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({}, []),
        (SHARED[0], [("error", "disk_shared", "k1", "kafka_log_dirs", "/more/logs")]),
        (SHARED[1], [("error", "log_dirs_are_one", "k1", "kafka_log_dirs", "/more/logs")]),
    ],
)
def test_log_dirs_that_share_something_are_told(second: dict[str, Any], expected: list[Told]) -> None:
    scene = Scene()
    two_dirs(scene, **second)
    assert told(scene) == expected


def dirs_on_one_disk(scene: Scene, free_mb: int, **second: Any) -> list[Told]:
    two_dirs(scene, **{"mount": "/data", "free_mb": free_mb, **second})
    scene.logs("k1", free_mb=free_mb)
    return [each for each in told(scene) if each[1].startswith("log_dir_")]


@pytest.mark.parametrize(
    ("free", "expected"), [(6144, None), (6143, "log_dir_scarce"), (128, "log_dir_scarce"), (127, "log_dir_full")]
)
def test_free_space_of_a_disk_counts_once_for_all_log_dirs_on_it(free: int, expected: str | None) -> None:
    found = [("error", expected, "k1", "kafka_log_dirs", free)] if expected else []
    assert dirs_on_one_disk(Scene(), free) == found


def test_a_device_that_is_mounted_twice_is_one_and_quotas_of_directories_are_not() -> None:
    twice = {"mount": "/more", "device": "/dev/vdb"}
    assert dirs_on_one_disk(Scene(), 5500, **twice) == [("error", "log_dir_scarce", "k1", "kafka_log_dirs", 5500)]
    assert dirs_on_one_disk(Scene(), 5500, mount="/more", device="/dev/vdc") == []
    assert dirs_on_one_disk(Scene(), 5500, total_mb=9000) == []


def test_a_new_log_dir_beside_a_living_one_counts_with_it() -> None:
    scene = Scene()
    scene.format()
    assert dirs_on_one_disk(scene, 5500) == [("error", "log_dir_scarce", "k1", "kafka_log_dirs", 5500)]


def test_inodes_of_a_disk_count_once() -> None:
    scene = Scene()
    scene.logs("k1", free_inodes=1999)
    found = dirs_on_one_disk(scene, 90000, free_inodes=1999)
    assert found == [("error", "log_dir_no_inodes", "k1", "kafka_log_dirs", 1999)]


def test_separate_metadata_dir_may_share_a_disk_and_is_named_by_its_variable() -> None:
    scene = Scene()
    scene.nodes["k1"]["metadata_log_dir"] = "/data/meta"
    scene.facts_of("k1")["log_dirs"]["/data/meta"] = empty_log_dir("/data/meta", free_mb=4000)
    assert told(scene) == [("error", "log_dir_scarce", "k1", "kafka_metadata_log_dir", 4000)]


def test_disk_that_is_mounted_later_is_judged_later_and_makes_the_node_unknown_to_a_format() -> None:
    scene = Scene()
    scene.wanted["k1"] = dataclasses.replace(
        Desired(), disks=({"device": "/dev/vdb", "mount": "/data", "fstype": "xfs"},)
    )
    scene.logs("k1", mount="/", fstype="tmpfs", free_mb=10)
    assert told(scene) == []
    subject = scene.subject()
    assert [each["known"] for each in cross_host.peers_for_storage(subject)] == [False, True, True]
    assert [each["known"] for each in cross_host.peers_for_storage(subject, predict=True)] == [True, True, True]
    assert cross_host.awaits_disk(subject.hosts[0])
    scene.logs("k1", mount="/data")
    assert not cross_host.awaits_disk(scene.subject().hosts[0])


def test_root_of_a_disk_that_will_be_ext4_is_refused_before_it_is_made() -> None:
    scene = Scene()
    disks = ({"device": "/dev/vdb", "mount": LOGS, "fstype": "ext4"},)
    scene.wanted["k1"] = dataclasses.replace(Desired(), disks=disks)
    scene.logs("k1", mount="/")
    assert told(scene)[0] == ("error", "log_dir_is_mount_root", "k1", "kafka_log_dirs", LOGS)


def test_peers_carry_what_shows_that_a_node_has_lived() -> None:
    scene = Scene()
    scene.format("k1", lived=["__cluster_metadata-0/quorum-state", "orders-0", "orders-1"])
    scene.facts_of("k2")["service"]["pid"] = 4711
    scene.facts["k3"] = None
    assert cross_host.peers_for_storage(scene.subject()) == [
        {
            "host": "k1",
            "node_id": 1,
            "known": True,
            "lived": ["/data/logs/__cluster_metadata-0/quorum-state"],
        },
        {"host": "k2", "node_id": 2, "known": True, "lived": ["process 4711"]},
        {"host": "k3", "node_id": 3, "known": False, "lived": []},
    ]


def test_questions_ask_each_host_for_its_own_ports_and_the_ways_to_the_others() -> None:
    scene = Scene()
    scene.nodes["k2"]["listeners"][0].update(bind="0.0.0.0", advertised={"host": "203.0.113.7", "port": 9095})  # noqa: S104
    desired = {"cluster": scene.cluster, "nodes": scene.nodes}
    assert network.questions(desired, "k2") == {
        "log_dirs": [LOGS],
        "ports": [9092, 9093, 19092],
        "resolve": ["k1", "k2", "k3"],
        "bind": ["k2"],
        "reach": ["k1:19092", "k1:9093", "k3:19092", "k3:9093"],
    }


def test_the_port_of_another_role_is_asked_for_and_refused_where_it_is_taken() -> None:
    scene = broken(port(9404, "127.0.0.1"))
    scene.nodes["k1"]["contributed_ports"] = {"kafka_contribution_metrics": [9404]}
    assert 9404 in network.questions({"cluster": scene.cluster, "nodes": scene.nodes}, "k1")["ports"]
    assert told(scene) == [("error", "port_taken", "k1", "kafka_contribution_metrics", 9404)]


@pytest.mark.parametrize(("bind", "meets"), [("FD00:0::1", True), ("fd00::2", False)])
def test_an_address_is_the_same_however_it_is_written(bind: str, meets: bool) -> None:
    assert network.collides({"names": {}}, bind, "fd00::1") is meets


@pytest.mark.parametrize(("process", "rules"), [("prometheus-node", []), ("nginx", ["port_taken"])])
def test_a_port_beside_kafka_is_taken_unless_by_who_shall_have_it(process: str, rules: list[str]) -> None:
    scene = broken(port(9100, "127.0.0.1"))
    for facts in scene.facts_of("k1")["ports"]:
        facts["process"] = process
    scene.nodes["k1"]["contributed_ports"] = {"kafka_contribution_collector": [9100]}
    scene.nodes["k1"]["contributed_processes"] = {"kafka_contribution_collector": "prometheus-node node_exporter"}
    assert [each[1] for each in told(scene)] == rules


@pytest.mark.parametrize(
    ("family", "binary", "there", "rules"),
    [
        ("Debian", "/usr/bin/prometheus-node-exporter", False, []),
        ("RedHat", "/usr/bin/prometheus-node-exporter", False, ["exporter_package"]),
        ("RedHat", "/usr/bin/prometheus-node-exporter", True, []),
        ("RedHat", "/opt/kafka/node_exporter/1.9.1/node_exporter", False, []),
        ("RedHat", "", False, []),
    ],
)
def test_a_node_exporter_that_no_package_brings_is_refused(
    family: str, binary: str, there: bool, rules: list[str]
) -> None:
    scene = Scene()
    scene.facts_of("k1")["os"] = {**scene.facts_of("k1")["os"], "family": family}
    scene.facts_of("k1")["steps"] = {"collector": {"changed": True, "exporter": there}}
    scene.nodes["k1"]["collector"] = {"exporter": {"binary": binary} if binary else {}}
    found = [("error", rule, "k1", "kafka_collector_exporter", "distribution") for rule in rules]
    assert told(scene) == found


BEHIND = {"name": "collector", "address": "k1", "port": 9100, "user": "prometheus", "behind": ""}


def proxied(stunnel: str, program: bool, address: str) -> Scene:
    """Break a node whose own node_exporter is to get a proxy."""
    scene = broken(port(9100, address))
    for found in scene.facts_of("k1")["ports"]:
        found["process"] = "node_exporter"
    scene.facts_of("k1")["steps"] = {"metrics_proxy": {"changed": True, "program": program}}
    scene.nodes["k1"] |= {"metrics_proxy": {"directory": "/tls", "proxies": [BEHIND]}, "stunnel": stunnel}
    return scene


@pytest.mark.parametrize(("stunnel", "program"), [("present", True), ("distribution", False)])
def test_a_proxy_whose_program_is_there_or_can_be_brought_is_fine(stunnel: str, program: bool) -> None:
    assert told(proxied(stunnel, program, "127.0.0.1")) == []


def test_a_proxy_that_no_one_can_bring_is_refused() -> None:
    expected = ("error", "stunnel_missing", "k1", "kafka_metrics_stunnel", "present")
    assert told(proxied("present", False, "127.0.0.1")) == [expected]


def test_a_node_exporter_in_the_place_of_its_proxy_is_refused() -> None:
    assert told(proxied("present", True, "")) == [("error", "exporter_exposed", "k1", "kafka_collector_exporter", 9100)]


def test_the_address_of_another_role_is_asked_for_and_refused_where_the_host_has_none_such() -> None:
    scene = broken(facts(binds={"10.9.9.9": "Cannot assign requested address"}))
    scene.nodes["k1"]["contributed_addresses"] = {"kafka_contribution_metrics": ["10.9.9.9"]}
    assert "10.9.9.9" in network.questions({"cluster": scene.cluster, "nodes": scene.nodes}, "k1")["bind"]
    assert told(scene) == [("error", "foreign_bind", "k1", "kafka_contribution_metrics", "10.9.9.9")]


@pytest.mark.parametrize(
    ("answer", "said"),
    [("open", ""), ("refused", "connection refused"), ("no answer within 2 s", "no answer within 2 s")],
)
def test_a_node_that_asks_an_issuer_for_keys_reaches_it(answer: str, said: str) -> None:
    server = "id.example.org:443"
    scene = broken(facts(reach={server: answer}))
    scene.nodes["k1"]["key_servers"] = [{"listener": "SSO", "server": server}]
    assert server in network.questions({"cluster": scene.cluster, "nodes": scene.nodes}, "k1")["reach"]
    at = ("k1", "kafka_listeners[SSO].oauth.jwks", server)
    assert told(scene) == ([("error", "issuer_unreachable", *at)] if said else [])
    assert [problem.message.endswith(said) for problem in host_rules.check(scene.subject())] == ([True] if said else [])


def test_nodes_need_not_reach_what_only_clients_use() -> None:
    scene = Scene()
    for listener in scene.nodes["k2"]["listeners"]:
        listener.update(advertised={"host": "203.0.113.7", "port": listener["port"]})
    desired = {"cluster": scene.cluster, "nodes": scene.nodes}
    asked = network.questions(desired, "k1")["reach"]
    assert [where for where in asked if where.startswith("203.")] == ["203.0.113.7:19092", "203.0.113.7:9093"]


def test_storage_of_every_host_is_planned_with_its_own_identity() -> None:
    scene = Scene(quorum="static", initial_controllers="")
    scene.facts_of("k2")["log_dirs"][LOGS] = formatted_log_dir(LOGS, 3)
    assert [each for each in told(scene) if "k2" in each] == [("error", "foreign_node_id", "k2", "kafka_node_id", 3)]


def test_a_proxy_of_ours_that_is_to_go_has_not_taken_the_port() -> None:
    scene = broken(port(9404, "10.0.0.1"))
    for found in scene.facts_of("k1")["ports"]:
        found["process"] = "stunnel4"
    scene.nodes["k1"]["contributed_ports"] = {"kafka_contribution_metrics": [9404]}
    scene.facts_of("k1")["steps"] = {"metrics_proxy": {"changed": True, "program": True, "pids": [5]}}
    assert told(scene) == []
    scene.facts_of("k1")["steps"]["metrics_proxy"]["pids"] = [6]
    assert [each[1] for each in told(scene)] == ["port_taken"]
