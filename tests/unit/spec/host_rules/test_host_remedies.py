"""Each remedy of preflight that names no playbook is followed once, by its text; no problem is left."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import pytest
from ansible.module_utils.kraft.spec import host_rules

from tests.unit.spec.host_rules.scene import LOGS, NAMES, Scene, empty_log_dir
from tests.unit.spec.host_rules.test_preflight import CASES, OLD, broken

#: The operator's step. `found`: the groups of the remedy's pattern.
Follow = Callable[..., Any]


def host(**changed: Any) -> Follow:
    return lambda scene, *_: scene.facts_of("k1").update(changed)


def other(**changed: Any) -> Follow:
    return lambda scene, *_: scene.facts_of("k2").update(changed)


def every_log_dir(**changed: Any) -> Follow:
    return lambda scene, *_: [scene.logs(name, **changed) for name in NAMES]


def java(scene: Scene, home: str) -> None:
    scene.facts_of("k1")["java"] = next(
        {**each, "path": f"{home}/bin/java", "version": "17.0.15"}
        for each in scene.facts_of("k1")["javas"]
        if each["home"] == home
    )


def heap(scene: Scene, megabytes: str) -> None:
    scene.nodes["k1"]["heap_mb"] = int(megabytes)


def wanted(**changed: Any) -> Follow:
    def act(scene: Scene, *_: str) -> None:
        scene.wanted["k1"] = dataclasses.replace(scene.wanted["k1"], **changed)

    return act


def node(**changed: Any) -> Follow:
    return lambda scene, *_: scene.nodes["k1"].update(changed)


def place(name: str, **changed: Any) -> Follow:
    return lambda scene, *_: scene.facts_of("k1")["paths"][name].update(changed)


def maps(scene: Scene, needed: str) -> None:
    scene.facts_of("k1")["sysctl"]["vm.max_map_count"]["value"] = needed


def budget(scene: Scene, partitions: str) -> None:
    scene.wanted["k1"] = dataclasses.replace(scene.wanted["k1"], partition_budget=int(partitions))


def moved_log(scene: Scene, path: str) -> None:
    scene.nodes["k1"]["metadata_log_dir"] = path


def directory_below(scene: Scene, path: str) -> None:
    scene.nodes["k1"].update(log_dirs=[path], metadata_log_dir=path)
    scene.facts_of("k1")["log_dirs"][path] = empty_log_dir(path)


def other_port(scene: Scene) -> None:
    at = next(one for one in scene.nodes["k1"]["listeners"] if one["port"] == scene.facts_of("k1")["ports"][0]["port"])
    at["port"] = at["advertised"]["port"] = 9999


def addresses(scene: Scene) -> None:
    """`kafka_address` of every node is an address; what hosts look up and reach follows."""
    for at, name in enumerate(NAMES, 1):
        for one in scene.nodes[name]["listeners"]:
            one["advertised"]["host"] = one["bind"] = f"10.0.0.{at}"
        names = {f"10.0.0.{each}": {"addresses": [f"10.0.0.{each}"], "error": ""} for each in (1, 2, 3)}
        reach = {f"10.0.0.{each}:{port}": "refused" for each in (1, 2, 3) for port in (9092, 19092, 9093) if each != at}
        scene.facts_of(name).update(names=names, reach=reach, binds={f"10.0.0.{at}": ""})


def opened(scene: Scene) -> None:
    scene.facts_of("k1")["reach"]["k2:9093"] = "open"


def version(scene: Scene, release: str) -> None:
    scene.cluster["version"] = release


def quorum(scene: Scene) -> None:
    scene.cluster["quorum"] = "static"


def own_disk(scene: Scene) -> None:
    scene.format("k1")


def answers(scene: Scene) -> None:
    scene.facts["k2"] = Scene().facts["k2"]
    scene.format("k2")


def all_answer(scene: Scene) -> None:
    scene.facts["k3"] = Scene().facts["k3"]


def readable(scene: Scene) -> None:
    scene.facts_of("k1")["used_log_dirs"][OLD] = {"read": True, "replicas": 0, "named": []}


def closing(scene: Scene, _playbook: str) -> None:
    """The last phase of `migrate_security.yml`, without a client on the old listeners."""
    scene.cluster["migration"] = "close"


def stopped(scene: Scene) -> None:
    scene.facts_of("k1")["service"]["pid"] = 0


def own_key(scene: Scene) -> None:
    scene.facts_of("k2")["steps"]["certificate"].pop("key_fault")


def back_in_the_run(scene: Scene) -> None:
    scene.left_out.clear()
    answers(scene)


def broken_lock(scene: Scene, _run: str) -> None:
    scene.holders.clear()
    answers(scene)


def mounted(scene: Scene) -> None:
    scene.facts_of("k1")["log_dirs"][OLD] = {
        **empty_log_dir(OLD),
        "state": "formatted",
        "mount": "/old",
        "has_meta": True,
    }
    scene.facts_of("k1")["log_dirs"][OLD].update(cluster_id=scene.cluster["cluster_id"], node_id=1)


def own_places(scene: Scene) -> None:
    scene.facts_of("k3")["place"] = "boot-3:4026531833"


FOLLOWED: list[tuple[str, str, Follow]] = [
    ("no become", "become: true", host(privileged=True)),
    ("no systemd", "booted with systemd", host(systemd=True)),
    ("old java", r"set kafka_java_home: (\S+)", java),
    ("mute java", r"set kafka_java_home: (\S+)", java),
    ("given java that is not there", "unset kafka_java_home", wanted(java_home="")),
    ("heap over memory", r"set kafka_heap_size to (\d+)m", heap),
    ("heap over half", r"set kafka_heap_size to (\d+)m", heap),
    ("few files", "lower kafka_nofile_limit", wanted(nofile_limit=20000)),
    ("few maps", r"set vm.max_map_count=(\d+)", maps),
    ("maps for fewer partitions", r"lower kafka_host_partition_budget to (\d+)", budget),
    ("a node that was taken out", "delete /opt/kafka/removed", host(removed=False)),
    (
        "metadata log of a broker in what is no longer the first log dir",
        r"set kafka_metadata_log_dir: (\S+),",
        moved_log,
    ),
    ("log dir empty that was in use", "mount its disk", mounted),
    ("somebody's empty directory", f"chown root: {LOGS}", every_log_dir(owner="root")),
    ("memory", "on a disk", every_log_dir(fstype="xfs")),
    ("network", "use a local disk", every_log_dir(fstype="ext4")),
    ("read-only", "remount /data", every_log_dir(options=["rw"])),
    ("full", "use a larger disk", every_log_dir(free_mb=90000)),
    ("scarce", r"at least (\d+) MiB free", lambda scene, free: scene.logs("k1", free_mb=int(free))),
    ("no inodes", "free inodes", every_log_dir(free_inodes=10_000_000)),
    ("wrong owner", f"chown -R kafka: {LOGS}", every_log_dir(foreign_files=[])),
    ("closed way", r"chmod o\+x /data", every_log_dir(closed_by="")),
    ("root of an ext4", r"such as (\S+)", directory_below),
    ("obstacle", "move them out", every_log_dir(blockers=[])),
    ("install dir is a link", "move it away", host(install_dir={"kind": "absent", "target": "", "occupied": []})),
    ("install dir is taken", "move it away", host(install_dir={"kind": "absent", "target": "", "occupied": []})),
    ("install dir read-only", "remount it", place("install_dir", options=["rw"])),
    ("install dir noexec", "remount it with exec", place("install_dir", options=["rw"])),
    ("install dir full", "free space", place("install_dir", free_mb=256)),
    ("tmp noexec", "add -Djava.io.tmpdir", node(jvm_options=["-Djava.io.tmpdir=/opt/kafka/logs"])),
    ("tmp noexec", "remount it with exec", place("tmp", options=["rw"])),
    ("port taken", "stop that process", host(ports=[])),
    ("port taken on the same address", "give the listener another port", other_port),
    ("address of another machine", "an address of the host", host(binds={"k1": ""})),
    ("name that does not resolve", "use addresses in kafka_address", addresses),
    ("own name on loopback", "use addresses in kafka_address", addresses),
    ("other's name on loopback", "use addresses in kafka_address", addresses),
    ("no way", "open the port", opened),
    ("refused by a firewall", "open the port", opened),
    ("host that another run holds", "kafka_break_lock=(.+)", broken_lock),
    ("dead host", "bring the host up", answers),
    ("controller left out", "without --limit", back_in_the_run),
    ("broker left out", "without --limit", back_in_the_run),
    ("broker left out, and to be restarted", "without --limit", back_in_the_run),
    ("one machine twice", "a separate machine", own_places),
    ("clock ahead", "synchronise the clocks", other(clock_offset=[-0.4, 0.3])),
    (
        "clocks of nobody",
        "chrony",
        lambda scene: [scene.facts_of(name).update(clock_synchronised=True) for name in NAMES],
    ),
    ("new quorum with a dead host", "make all nodes reachable", all_answer),
    ("log dir left out and not to be read", "give the host its disk back", readable),
    ("run while a migration is half done", r"playbooks/(migrate_security).yml, which closes", closing),
    ("client on a listener that is about to be closed", "move them to a secured listener", other(connections={})),
    ("authority that was lost while nodes run", "restore the authority's directory", other(steps={})),
    ("authority that was lost while nodes run", "stop all nodes", stopped),
    ("key on the host of another certificate", "put the key of this node's certificate there", own_key),
    ("wiped voter", "attach the disk with the log", lambda scene: scene.format("k3")),
    ("foreign cluster", "attach this cluster's disk", own_disk),
    ("older release", "give kafka_version: ([^;]+)", version),
    ("other form of quorum", "give kafka_quorum: static", quorum),
]


@pytest.mark.parametrize(
    ("case", "offered", "follow"), FOLLOWED, ids=[f"{case}: {offered}" for case, offered, _ in FOLLOWED]
)
def test_a_remedy_for_a_host_is_accepted(case: str, offered: str, follow: Follow) -> None:
    scene = broken(CASES[case][0])
    asked = [one for one in host_rules.check(scene.subject()) if re.search(offered, one.remedy)]
    assert asked
    for found in {match.groups() for one in asked if (match := re.search(offered, one.remedy))}:
        follow(scene, *found)
    assert host_rules.check(scene.subject()) == []


def by_hand() -> dict[str, str]:
    """Rule -> a case with it whose remedy names no playbook."""
    checked = ((case, one) for case, (act, _) in CASES.items() for one in host_rules.check(broken(act).subject()))
    return {one.rule: case for case, one in checked if ".yml" not in one.remedy}


def test_each_rule_whose_remedy_is_done_by_hand_is_followed() -> None:
    followed = {one.rule for case, *_ in FOLLOWED for one in host_rules.check(broken(CASES[case][0]).subject())}
    left = {rule for rule in by_hand() if rule not in followed}
    assert left == set()
