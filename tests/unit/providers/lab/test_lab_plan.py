"""Plan of a lab, by its present state."""

from __future__ import annotations

import dataclasses
from itertools import islice
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.providers.lab import plan as lab
from ansible.module_utils.kraft.providers.lab.inventory import inventory_refusals, inventory_text

from tests.unit.problems import values
from tests.wording_files import Wording

WANTED = lab.Desired(name="try", hosts=("a", "b", "c"), image="image:2", state_dir="/state of/try")
NET = "10.89.5.0/24"


def host(last: int, running: bool = True, image: str = "image:2") -> lab.Host:
    return lab.Host(address=f"10.89.5.{last}", running=running, image=image)


def whole(**changes: lab.Host) -> lab.Current:
    hosts = {"a": host(11), "b": host(12), "c": host(13), **changes}
    return lab.Current(subnet=NET, hosts=hosts, keys=True)


def test_a_new_lab_gets_a_network_and_addresses_in_order() -> None:
    plan = lab.plan(WANTED, lab.Current(taken=("10.89.0.0/24",)))
    assert plan.make_network
    assert plan.subnet == "10.89.1.0/24"
    assert plan.create == ("a", "b", "c")
    assert plan.addresses == {"a": "10.89.1.11", "b": "10.89.1.12", "c": "10.89.1.13"}


def test_a_whole_lab_needs_nothing() -> None:
    plan = lab.plan(WANTED, whole())
    assert (plan.make_network, plan.create, plan.start, plan.outdated) == (False, (), (), ())


def test_a_stopped_host_is_started_and_not_made_again() -> None:
    plan = lab.plan(WANTED, whole(b=host(12, running=False)))
    assert (plan.create, plan.start) == ((), ("b",))


def test_a_host_of_an_older_image_is_named_and_left_alone() -> None:
    plan = lab.plan(WANTED, whole(c=host(13, image="image:1")))
    assert (plan.create, plan.start, plan.outdated) == ((), (), ("c",))


def test_a_host_of_another_release_has_the_image_of_that_release() -> None:
    wanted = dataclasses.replace(WANTED, releases={"b": "trixie"})
    assert [lab.run_command(wanted, one, "10.89.5.12")[-1] for one in "ab"] == ["image:2", "image:2-trixie"]
    assert lab.plan(wanted, whole()).outdated == ("b",)
    assert lab.plan(wanted, whole(b=host(12, image="image:2-trixie"))).outdated == ()


def test_a_disk_is_a_volume_of_the_host_in_a_file_of_the_lab() -> None:
    wanted = dataclasses.replace(WANTED, disks={"b": {"/data": "2G", "/more": "512M"}})
    first, second = lab.disks(wanted, "b")
    assert first == lab.Disk("try-b-disk1", "/state of/try/b-disk1.img", "/data", "2G")
    assert lab.disks(wanted, "a") == []
    command = lab.run_command(wanted, "b", "10.89.5.12")
    assert {"try-b-disk1:/data", f"{second.volume}:/more"} <= set(command)
    made = lab.volume_command("try", first)
    assert {"kraftwright.lab=try", "type=ext4", "o=loop", "device=/state of/try/b-disk1.img"} <= set(made)


def test_a_lab_that_was_killed_half_way_is_completed() -> None:
    found = lab.Current(subnet=NET, hosts={"b": host(12)}, keys=True)
    plan = lab.plan(WANTED, found)
    assert plan.create == ("a", "c")
    assert plan.addresses == {"a": "10.89.5.11", "b": "10.89.5.12", "c": "10.89.5.13"}


def test_addresses_stay_when_hosts_come_before_or_go() -> None:
    grown = dataclasses.replace(WANTED, hosts=("new", "c", "a"))
    assert lab.plan(grown, whole()).addresses == {"new": "10.89.5.14", "c": "10.89.5.13", "a": "10.89.5.11"}


REFUSED: list[tuple[dict[str, Any], dict[str, Any], set[str]]] = [
    ({"name": "Try_1"}, {}, {"Try_1"}),
    ({"hosts": ("a", "a")}, {}, {"a", "kafka_lab_hosts"}),
    ({"options": {"z": ["--memory=1g"]}}, {}, {"kafka_lab_options", "z", "kafka_lab_hosts"}),
    ({"releases": {"z": "trixie"}}, {}, {"kafka_lab_releases", "z", "kafka_lab_hosts"}),
    ({"disks": {"z": {"/data": "2G"}}}, {}, {"kafka_lab_disks", "z", "kafka_lab_hosts"}),
    ({"disks": {"a": None}}, {}, {"kafka_lab_disks", "a", "None"}),
    ({"disks": {"a": "/data"}}, {}, {"kafka_lab_disks", "a", "/data"}),
    ({"disks": {"a": {9: "2G"}}}, {}, {"kafka_lab_disks", "a", "9"}),
    ({"disks": {"a": {"data": "2G"}}}, {}, {"kafka_lab_disks", "a", "data"}),
    ({"disks": {"a": {"/data/": "2G"}}}, {}, {"kafka_lab_disks", "a", "/data/"}),
    ({"disks": {"a": {"/data:ro": "2G"}}}, {}, {"kafka_lab_disks", "a", "/data:ro"}),
    ({"disks": {"a": {"/data": "2GB"}}}, {}, {"kafka_lab_disks", "a", "2GB"}),
    ({"disks": {"a": {"/data": "15M"}}}, {}, {"kafka_lab_disks", "a", "15M"}),
    ({}, {"foreign_network": True}, {"podman", "network", "try"}),
    ({}, {"hosts": {"a": host(11)}, "subnet": NET}, {"keys", "of/try"}),
    ({}, {"hosts": {"a": lab.Host("", True, "i")}, "keys": True}, {"a", "address"}),
    ({"subnet": "10.1.1.1/24"}, {}, {"kafka_lab_subnet", "10.1.1.1/24"}),
    ({"subnet": "10.1.1.0/24"}, {"subnet": NET}, {NET, "kafka_lab_subnet"}),
    ({"subnet": "10.1.1.0/24"}, {"taken": ("10.0.0.0/8",)}, {"kafka_lab_subnet", "10.1.1.0/24", "use"}),
]


def refusals(wanted: dict[str, Any], found: dict[str, Any]) -> list[str]:
    return lab.lab_refusals(dataclasses.replace(WANTED, **wanted), dataclasses.replace(lab.Current(), **found))


@pytest.mark.parametrize(("wanted", "found", "told"), REFUSED)
def test_refuses(wanted: dict[str, Any], found: dict[str, Any], told: set[str]) -> None:
    (problem,) = refusals(wanted, found)
    assert told <= values(problem)


def test_the_sentences_of_refusals(wording: Wording) -> None:
    wording(line for wanted, found, _ in REFUSED for line in refusals(wanted, found))


def test_accepts_what_is_new_and_what_is_whole() -> None:
    assert lab.lab_refusals(WANTED, lab.Current()) == []
    assert lab.lab_refusals(WANTED, whole()) == []
    assert lab.lab_refusals(dataclasses.replace(WANTED, subnet=NET), whole()) == []


def test_all_mistakes_are_told_at_once() -> None:
    wanted = dataclasses.replace(WANTED, name="-", hosts=("a", "a", "B"), subnet="none")
    assert len(lab.lab_refusals(wanted, lab.Current())) == 4


def test_an_address_that_podman_holds_for_another_container_is_told_from_other_errors() -> None:
    held = "Error: IPAM error: requested ip address 10.89.0.12 is already allocated to container ID 38e6f4"
    assert lab.leased(held) == "10.89.0.12"
    assert lab.leased("Error: subnet 10.89.0.0/24 is already used on the host") == ""


def test_a_host_moves_past_addresses_that_are_taken_or_refused() -> None:
    wanted = lab.Desired("demo", ("one", "two", "three"), "image:2", "/state", subnet="10.89.7.0/28")
    plan = lab.plan(wanted, lab.Current())
    assert lab.moved(plan, "one", {"10.89.7.11"}).addresses == {**plan.addresses, "one": "10.89.7.14"}
    assert lab.moved(plan, "one", {"10.89.7.11", "10.89.7.14"}).addresses["one"] == ""


def test_routes_are_read_as_the_kernel_writes_them() -> None:
    table = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
tun0\t0000590A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
"""
    assert lab.routes(table) == ("10.89.0.0/16", "192.0.2.0/24")


def test_a_vpn_that_has_all_of_ten_is_not_disturbed() -> None:
    assert next(lab.free_subnets(["10.0.0.0/8"])) == "172.30.0.0/24"


def test_free_subnets_overlap_with_nothing_taken() -> None:
    taken = ["10.89.0.128/25", "10.89.2.0/23"]
    assert list(islice(lab.free_subnets(taken), 2)) == ["10.89.1.0/24", "10.89.4.0/24"]


def test_a_host_is_asked_for_by_label_address_and_name() -> None:
    wanted = dataclasses.replace(WANTED, memory="2g", options={"b": ["--volume=/srv:/data"]})
    command = " ".join(lab.run_command(wanted, "b", "10.89.5.12"))
    for part in (
        "--name try-b --hostname b",
        "--label kraftwright.lab=try --label kraftwright.host=b --label kraftwright.address=10.89.5.12",
        "--network try --ip 10.89.5.12 --network-alias b",
        "--restart always",
        "--memory 2g --volume=/srv:/data image:2",
    ):
        assert part in command
    assert "--memory" not in lab.run_command(WANTED, "b", "10.89.5.12")


def test_a_lab_may_have_an_ipv6_network_of_any_size() -> None:
    plan = lab.plan(dataclasses.replace(WANTED, subnet="fd00:77::/64"), lab.Current(taken=("10.89.0.0/24",)))
    assert next(iter(plan.addresses.values())) == "fd00:77::b"
    assert "--ip6 fd00:77::b" in " ".join(lab.run_command(WANTED, "b", "fd00:77::b"))
    held = "Error: IPAM error: requested ip address fd00:77::b is already allocated to container ID 38e6f4"
    assert lab.leased(held) == "fd00:77::b"


def test_the_inventory_parses_and_trusts_only_the_labs_own_known_hosts() -> None:
    one = yaml.safe_load(inventory_text(WANTED, {"a": "10.89.5.11"}))["all"]["hosts"]["a"]
    assert one["ansible_host"] == "10.89.5.11"
    assert one["ansible_ssh_private_key_file"] == "/state of/try/id_ed25519"
    assert '-o UserKnownHostsFile="/state of/try/known_hosts"' in one["ansible_ssh_common_args"]
    assert "StrictHostKeyChecking=yes" in one["ansible_ssh_common_args"]


def test_known_hosts_has_every_host_by_address_and_name() -> None:
    line = lab.known_hosts({"a": "10.89.5.11", "b": "10.89.5.12"}, "ssh-ed25519 AAAA comment")
    assert line == "10.89.5.11,10.89.5.12,a,b ssh-ed25519 AAAA\n"


def test_an_inventory_that_was_not_written_for_the_lab_is_left_alone() -> None:
    own = inventory_text(WANTED, {"a": "10.89.5.11"})
    other = inventory_text(dataclasses.replace(WANTED, name="try-2"), {})
    for text, written, removed in (("", 0, 0), (own, 0, 0), (other, 0, 1), ("all: {hosts: {mine: {}}}", 1, 1)):
        assert len(inventory_refusals("hosts.yml", text)) == written
        assert len(inventory_refusals("hosts.yml", text, WANTED.name)) == removed
