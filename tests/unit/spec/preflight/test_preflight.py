"""Every rule of preflight: one thing is broken on otherwise fit hosts, and its message is what comes out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from ansible.module_utils.kraft.spec import preflight
from ansible.module_utils.kraft.spec.preflight import network, together
from ansible.module_utils.kraft.spec.preflight.subject import Wanted

from tests.unit.spec.preflight.scene import LOGS, NAMES, Scene, empty_log_dir, formatted_log_dir

Break = Callable[[Scene], Any]


def told(scene: Scene, accepted: tuple[str, ...] = ()) -> list[str]:
    """Severity and sentence of each problem, without the remedy."""
    found = preflight.check(scene.subject(), accepted)
    assert all(problem.remedy for problem in found)
    return [f"{each.severity}: {str(each).split(' -> ', maxsplit=1)[0]}" for each in found]


@pytest.mark.parametrize("state", ["fresh", "formatted", "living"])
def test_fit_hosts_have_no_problem(state: str) -> None:
    scene = Scene()
    if state != "fresh":
        scene.format(strangers=[])
    if state == "living":
        scene.format(lived=["__cluster_metadata-0/quorum-state"], partitions=40)
        for name in NAMES:
            scene.of(name)["service"]["pid"] = 77
            scene.of(name)["ports"] = [{"port": 9092, "address": "10.0.0.1", "pid": 77, "process": "java kafka.Kafka"}]
            scene.of(name)["reach"] = dict.fromkeys(scene.of(name)["reach"], "open")
    assert told(scene) == []


def java(version: str | None, **more: Any) -> Break:
    major = int(version.split(".")[0]) if version else None
    found = {"home": "/usr/lib/jvm/x", "path": "/usr/bin/java", "version": version, "major": major}
    return lambda scene: scene.of("k1").update(java=found, **more)


def no_java(family: str, given: str = "", javas: tuple[int, ...] = ()) -> Break:
    def act(scene: Scene) -> None:
        system = {"family": family, "distribution": "nixos", "version": "", "package_manager": ""}
        scene.of("k1").update(java=None, os=system, javas=[{"home": f"/jvm/{each}", "major": each} for each in javas])
        scene.wanted["k1"] = Wanted(java_home=given)

    return act


def heap(mb: int, memory: int) -> Break:
    def act(scene: Scene) -> None:
        scene.nodes["k1"]["heap_mb"] = mb
        scene.of("k1")["memory_mb"] = memory

    return act


def facts(**changed: Any) -> Break:
    return lambda scene: scene.of("k1").update(**changed)


def logs(**found: Any) -> Break:
    return lambda scene: scene.logs("k1", **found)


def place(name: str, **found: Any) -> Break:
    return lambda scene: scene.of("k1")["paths"][name].update(**found)


MAPS = {"vm.max_map_count": {"value": "65530", "writable": False}}

MACHINE: dict[str, tuple[Break, list[str]]] = {
    "no become": (facts(privileged=False), ["error: k1: the tasks do not run as root"]),
    "no systemd": (facts(systemd=False), ["error: k1: systemd does not run on it"]),
    "old java": (
        java("11.0.2"),
        ["error: k1: kafka_java_home: /usr/bin/java is Java 11.0.2, Kafka 4 needs 17 or newer"],
    ),
    "mute java": (java(None), ["error: k1: kafka_java_home: /usr/bin/java does not tell its version"]),
    "java that the role installs": (no_java("Debian"), []),
    "java that nobody installs": (
        no_java(""),
        ["error: k1: kafka_java_home: there is no Java, and no package of nixos is known"],
    ),
    "given java that is not there": (
        no_java("Debian", given="/opt/jdk"),
        ["error: k1: kafka_java_home: there is no /opt/jdk/bin/java"],
    ),
    "heap over memory": (
        heap(4096, 4000),
        ["error: k1: kafka_heap_size: a heap of 4096 MiB does not fit into 4000 MiB of memory"],
    ),
    "heap over half": (
        heap(4096, 6000),
        ["error: k1: kafka_heap_size: a heap of 4096 MiB takes more than half of 6000 MiB of memory"],
    ),
    "heap of exactly half": (heap(4096, 8191), []),
    "few files": (
        facts(limits={"nofile_hard": 20000}),
        [
            "warning: k1: kafka_nofile_limit: the host can give a service 20000 open files, 100000 are wanted;"
            " Kafka gets 20000"
        ],
    ),
    "few maps": (
        facts(sysctl=MAPS),
        [
            "warning: k1: kafka_host_partition_budget: vm.max_map_count is 65530 and cannot be set here;"
            " 4000 partitions need 262144"
        ],
    ),
    "no such kernel setting": (facts(sysctl={}), []),
}

DISK: dict[str, tuple[Break, list[str]]] = {
    "somebody's empty directory": (
        logs(owner="postgres"),
        ["error: k1: kafka_log_dirs: /data/logs is empty and belongs to postgres"],
    ),
    "root's empty directory": (logs(owner="root"), []),
    "memory": (
        logs(fstype="tmpfs"),
        ["error: k1: kafka_log_dirs: /data/logs lies on /data (tmpfs), which a reboot empties"],
    ),
    "network": (
        logs(fstype="nfs4"),
        ["error: k1: kafka_log_dirs: /data/logs lies on /data (nfs4), a network filesystem"],
    ),
    "network by fuse": (
        logs(fstype="fuse.sshfs"),
        ["error: k1: kafka_log_dirs: /data/logs lies on /data (fuse.sshfs), a network filesystem"],
    ),
    "read-only": (
        logs(options=["ro"]),
        ["error: k1: kafka_log_dirs: /data/logs lies on /data (xfs), which is mounted read-only"],
    ),
    "noexec, which data does not mind": (logs(options=["rw", "noexec"]), []),
    "full": (logs(free_mb=63), ["error: k1: kafka_log_dirs: /data/logs has 63 MiB free of 100000 MiB"]),
    "scarce": (logs(free_mb=4000), ["error: k1: kafka_log_dirs: /data/logs has 4000 MiB free of 100000 MiB"]),
    "scarce while living": (
        lambda scene: scene.format(free_mb=4000),
        [f"warning: {name}: kafka_log_dirs: /data/logs has 4000 MiB free of 100000 MiB" for name in NAMES],
    ),
    "no inodes": (
        logs(free_inodes=12),
        ["error: k1: kafka_log_dirs: /data, where /data/logs lies, has 12 inodes left"],
    ),
    "no fixed number of inodes": (logs(free_inodes=-1), []),
    "wrong owner": (
        lambda scene: scene.format(strangers=["meta.properties (root)"]),
        [
            f"error: {name}: kafka_log_dirs: /data/logs holds files that do not belong to kafka: meta.properties (root)"
            for name in NAMES
        ],
    ),
    "closed way": (
        logs(closed_by="/data"),
        ["error: k1: kafka_log_dirs: user kafka may not pass /data on the way to /data/logs"],
    ),
    "root of an ext4": (
        logs(blockers=["lost+found"]),
        [
            "error: k1: kafka_log_dirs: /data/logs is the root of a filesystem with a directory lost+found, which Kafka"
            " does not start beside"
        ],
    ),
    "obstacle": (
        lambda scene: scene.format("k1", "k2", "k3", blockers=["backup"]),
        [
            f"error: {name}: kafka_log_dirs: /data/logs holds directories that are no partitions: backup;"
            " Kafka does not start"
            for name in NAMES
        ],
    ),
    "install dir is a link": (
        facts(install_dir={"kind": "link", "target": "/opt/kafka_2.13-3.9.0", "occupied": []}),
        ["error: k1: kafka_install_dir: /opt/kafka is a link to /opt/kafka_2.13-3.9.0, not a directory of ours"],
    ),
    "install dir is taken": (
        facts(install_dir={"kind": "directory", "target": "", "occupied": ["bin", "libs"]}),
        ["error: k1: kafka_install_dir: /opt/kafka holds another installation (bin, libs)"],
    ),
    "install dir read-only": (
        place("install_dir", options=["ro"]),
        ["error: k1: kafka_install_dir: /opt/kafka lies on /, mounted read-only"],
    ),
    "install dir noexec": (
        place("install_dir", options=["rw", "noexec"]),
        ["error: k1: kafka_install_dir: /opt/kafka lies on /, mounted noexec: Kafka's tools cannot be run from there"],
    ),
    "install dir full": (
        place("install_dir", free_mb=100),
        ["error: k1: kafka_install_dir: /opt/kafka has 100 MiB free, a release needs 256"],
    ),
    "tmp noexec": (
        place("tmp", options=["rw", "noexec"]),
        [
            "error: k1: kafka_jvm_options: /scratch is mounted noexec:"
            " the JVM unpacks the libraries for zstd and snappy there"
        ],
    ),
}


def port(number: int, address: str, pid: int = 5) -> Break:
    process = "java kafka.Kafka" if pid else ""
    return facts(ports=[{"port": number, "address": address, "pid": pid, "process": process}])


def name(whose: str, *addresses: str, error: str = "") -> Break:
    return lambda scene: scene.of("k1")["names"].update({whose: {"addresses": list(addresses), "error": error}})


def answer(text: str, listens: bool = False) -> Break:
    def act(scene: Scene) -> None:
        scene.of("k1")["reach"]["k2:9093"] = text
        if listens:
            scene.format()
            scene.of("k3")["reach"]["k2:9093"] = "open"
            scene.of("k2")["service"]["pid"] = 9
            scene.of("k2")["ports"] = [{"port": 9093, "address": "10.0.0.2", "pid": 9, "process": "java"}]

    return act


NETWORK: dict[str, tuple[Break, list[str]]] = {
    "port taken": (
        port(9092, "0.0.0.0"),  # noqa: S104
        ["error: k1: kafka_listeners: listener CLIENT: port 9092 is taken by java kafka.Kafka (pid 5) on 0.0.0.0:9092"],
    ),
    "port taken on the same address": (
        port(9093, "10.0.0.1"),
        [
            "error: k1: kafka_listeners: listener CONTROLLER: port 9093 is taken"
            " by java kafka.Kafka (pid 5) on 10.0.0.1:9093"
        ],
    ),
    "port taken by a hidden process": (
        port(9093, "::", pid=0),
        [
            "error: k1: kafka_listeners: listener CONTROLLER: port 9093 is taken"
            " by a process that we may not see on [::]:9093"
        ],
    ),
    "port taken on another address": (port(9092, "127.0.0.1"), []),
    "address of another machine": (
        facts(binds={"k1": "Cannot assign requested address"}),
        ["error: k1: kafka_listeners: cannot listen on k1: Cannot assign requested address"],
    ),
    "name that does not resolve": (
        name("k2", error="Name or service not known"),
        ["error: k1: kafka_address: cannot resolve k2 (Name or service not known)"],
    ),
    "own name on loopback": (
        name("k1", "127.0.1.1"),
        ["error: k1: kafka_address: resolves k1, its own name, to loopback (127.0.1.1)"],
    ),
    "other's name on loopback": (
        name("k3", "127.0.0.1", "::1"),
        ["error: k1: kafka_address: resolves k3, another node, to loopback (127.0.0.1, ::1)"],
    ),
    "no way": (
        answer("no answer within 2 s"),
        ["error: k1: kafka_listeners: cannot reach k2 at k2:9093: no answer within 2 s"],
    ),
    "refused by a firewall": (
        answer("refused", listens=True),
        ["error: k1: kafka_listeners: cannot reach k2 at k2:9093: connection refused although the node listens there"],
    ),
}


def unseen(who: str, *, left_out: bool = False, roles: tuple[str, ...] = ("broker", "controller")) -> Break:
    def act(scene: Scene) -> None:
        scene.format()
        scene.nodes[who]["roles"] = list(roles)
        scene.facts[who] = None
        scene.left_out |= {who} if left_out else set()

    return act


def living(**found: Any) -> Break:
    """Formatted nodes, of which k2 has something of its own."""

    def act(scene: Scene) -> None:
        scene.format()
        scene.of("k2").update(found)

    return act


def clock(**offsets: list[float]) -> Break:
    return lambda scene: [scene.of(name).update(clock_offset=offset) for name, offset in offsets.items()]


def wiped(scene: Scene) -> None:
    scene.format(lived=["__cluster_metadata-0/quorum-state"])
    scene.of("k3")["log_dirs"][LOGS] = empty_log_dir(LOGS)


def fresh_with_one_unknown(scene: Scene) -> None:
    scene.facts["k3"] = None


def unsynchronised(one_kernel: bool) -> Break:
    def act(scene: Scene) -> None:
        for each in NAMES:
            scene.of(each)["clock_synchronised"] = False
            scene.of(each)["boot_id"] = "boot" if one_kernel else each

    return act


TOGETHER: dict[str, tuple[Break, list[str]]] = {
    "dead host": (unseen("k2"), ["error: k2: could not be looked at"]),
    "controller left out": (
        unseen("k2", left_out=True),
        ["error: k2: is a controller and left out of this run (--limit)"],
    ),
    "broker left out": (
        unseen("k2", left_out=True, roles=("broker",)),
        ["warning: k2: is left out of this run (--limit): it was not looked at and stays as it is"],
    ),
    "one machine twice": (
        lambda scene: scene.of("k3").update(place=scene.of("k1")["place"], hostname="k1"),
        ["error: k3: ansible_host: is the same machine as k1 (k1)"],
    ),
    "place unknown": (lambda scene: [scene.of(each).update(place="") for each in NAMES], []),
    "clock ahead": (
        clock(k2=[7.0, 8.0]),
        ["error: k2: its clock is at least 6.7 s ahead of k1's"],
    ),
    "clocks that may be right": (clock(k2=[1.2, 2.2]), []),
    "clocks of nobody": (
        unsynchronised(one_kernel=False),
        [f"warning: {name}: nothing keeps its clock synchronised" for name in NAMES],
    ),
    "clocks of one kernel": (unsynchronised(one_kernel=True), []),
    "wiped voter": (
        wiped,
        [
            "error: k3: kafka_log_dirs: /data/logs has no metadata log, but the cluster has lived:"
            " k1 (/data/logs/__cluster_metadata-0/quorum-state); k2 (/data/logs/__cluster_metadata-0/quorum-state)."
            " Formatted anew, this voter could help to elect a leader that misses committed records"
        ],
    ),
    "new quorum with a dead host": (
        fresh_with_one_unknown,
        [
            "error: k3: could not be looked at",
            "error: k1: kafka_log_dirs: /data/logs would begin a new quorum, but nobody looked at the disks of k3",
            "error: k2: kafka_log_dirs: /data/logs would begin a new quorum, but nobody looked at the disks of k3",
        ],
    ),
    "other form of quorum": (
        living(quorum="static"),
        ["error: k2: kafka_quorum: is configured for a static quorum, the inventory says dynamic: no voter is found"],
    ),
    "form of quorum without data": (facts(quorum="static"), []),
    "older release": (
        living(current_release="4.4.0"),
        ["error: k2: kafka_version: is older than 4.4.0, which the node has: it does not read what that has finalized"],
    ),
    "newer release": (living(current_release="4.2.1"), []),
    "older patch": (living(current_release="4.3.9"), []),
    "foreign cluster": (
        lambda scene: scene.format("k1", cluster_id="q1Sh-9_ISia_zwGINzRvyQ"),
        [
            "error: k1: kafka_cluster_id: /data/logs belongs to cluster id q1Sh-9_ISia_zwGINzRvyQ,"
            " the inventory says nq3DoF4lQiqcqPnYvYPP7g"
        ],
    ),
}

CASES = {**MACHINE, **DISK, **NETWORK, **TOGETHER}


@pytest.mark.parametrize("case", CASES)
def test_problem_is_told_in_these_words(case: str) -> None:
    act, expected = CASES[case]
    scene = Scene()
    act(scene)
    assert told(scene) == expected


def test_all_problems_of_all_hosts_are_told_at_once() -> None:
    scene = Scene()
    facts(systemd=False)(scene)
    wiped(scene)
    scene.of("k2")["limits"]["nofile_hard"] = 20000
    scene.logs("k2", fstype="nfs")
    assert [each.split(":")[0:2] for each in told(scene)] == [
        ["error", " k3"],
        ["error", " k1"],
        ["error", " k2"],
        ["warning", " k2"],
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
        found = {each.rule: each.severity for each in preflight.check(scene.subject(), accepted)}
        assert found[rule] == severity


def test_remedy_names_a_java_that_is_there() -> None:
    scene = Scene()
    no_java("Debian", given="/opt/jdk", javas=(25, 11))(scene)
    assert preflight.check(scene.subject())[0].remedy == (
        "set kafka_java_home: /jvm/25, or unset kafka_java_home to have it installed from the distribution"
    )


def two_dirs(scene: Scene, **second: Any) -> None:
    scene.nodes["k1"]["log_dirs"] = [LOGS, "/more/logs"]
    scene.of("k1")["log_dirs"]["/more/logs"] = empty_log_dir("/more/logs", **{"mount": "/more", **second})


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({}, []),
        ({"mount": "/data"}, ["error: k1: kafka_log_dirs: /more/logs and /data/logs lie on one filesystem (/data)"]),
        (
            {"real_path": LOGS},
            ["error: k1: kafka_log_dirs: /more/logs and /data/logs are the same directory (/data/logs)"],
        ),
    ],
)
def test_log_dirs_that_share_something_are_told(second: dict[str, Any], expected: list[str]) -> None:
    scene = Scene()
    two_dirs(scene, **second)
    assert told(scene) == expected


def test_separate_metadata_dir_may_share_a_disk_and_is_named_by_its_variable() -> None:
    scene = Scene()
    scene.nodes["k1"]["metadata_log_dir"] = "/data/meta"
    scene.of("k1")["log_dirs"]["/data/meta"] = empty_log_dir("/data/meta", free_mb=4000)
    assert told(scene) == ["error: k1: kafka_metadata_log_dir: /data/meta has 4000 MiB free of 100000 MiB"]


def test_disk_that_is_mounted_later_is_judged_later_and_makes_the_node_unknown_to_a_format() -> None:
    scene = Scene()
    scene.wanted["k1"] = dataclasses.replace(
        Wanted(), disks=({"device": "/dev/vdb", "mount": "/data", "fstype": "xfs"},)
    )
    scene.logs("k1", mount="/", fstype="tmpfs", free_mb=10)
    assert told(scene) == []
    subject = scene.subject()
    assert [each["known"] for each in together.peers_for_storage(subject)] == [False, True, True]
    assert [each["known"] for each in together.peers_for_storage(subject, predict=True)] == [True, True, True]
    assert together.awaits_disk(subject.hosts[0])
    scene.logs("k1", mount="/data")
    assert not together.awaits_disk(scene.subject().hosts[0])


def test_root_of_a_disk_that_will_be_ext4_is_refused_before_it_is_made() -> None:
    scene = Scene()
    disks = ({"device": "/dev/vdb", "mount": LOGS, "fstype": "ext4"},)
    scene.wanted["k1"] = dataclasses.replace(Wanted(), disks=disks)
    scene.logs("k1", mount="/")
    assert told(scene)[0].startswith("error: k1: kafka_log_dirs: /data/logs is the root of a filesystem with")


def test_peers_carry_what_shows_that_a_node_has_lived() -> None:
    scene = Scene()
    scene.format("k1", lived=["__cluster_metadata-0/quorum-state", "orders-0", "orders-1"])
    scene.of("k2")["service"]["pid"] = 4711
    scene.facts["k3"] = None
    assert together.peers_for_storage(scene.subject()) == [
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


def test_nodes_need_not_reach_what_only_clients_use() -> None:
    scene = Scene()
    for listener in scene.nodes["k2"]["listeners"]:
        listener.update(advertised={"host": "203.0.113.7", "port": listener["port"]})
    desired = {"cluster": scene.cluster, "nodes": scene.nodes}
    asked = network.questions(desired, "k1")["reach"]
    assert [where for where in asked if where.startswith("203.")] == ["203.0.113.7:19092", "203.0.113.7:9093"]


def test_storage_of_every_host_is_planned_with_its_own_identity() -> None:
    scene = Scene(quorum="static", initial_controllers="")
    scene.of("k2")["log_dirs"][LOGS] = formatted_log_dir(LOGS, 3)
    assert [each for each in told(scene) if "k2" in each] == [
        "error: k2: kafka_node_id: /data/logs belongs to node id 3, the inventory says 2"
    ]
