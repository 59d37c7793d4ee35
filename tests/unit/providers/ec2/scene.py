"""A cluster of three nodes on EC2, wanted and found, to be changed by a test."""

from __future__ import annotations

import dataclasses
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.model import OWN_GROUP, Current, Desired, Node, Rule, Volume

HOSTS = ("kafka1", "kafka2", "kafka3")
ZONES = ("eu-central-1a", "eu-central-1b", "eu-central-1c")
MOUNT = "/srv/kafka/data1"
GROUP = "sg-00000000"
NETWORK = ("vpc-1", "subnet-0", "subnet-1", "subnet-2", GROUP, "igw-1", "rtb-1", "orders")
CLUSTER_ID = "b3JkZXJzLW9yZGVycy1vcg"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0wPnTTfpTkYHZEgbi5p7AXtbQ1bIRdJw6pXvVQcX6v"
RULES = (
    Rule(22, 22, "203.0.113.10/32"),
    Rule(9092, 9092, "10.40.0.0/16"),
    Rule(19092, 19092, OWN_GROUP),
    Rule(19093, 19093, OWN_GROUP),
)


def listener(name: str, port: int, purpose: str, protocol: str = "PLAINTEXT") -> dict[str, Any]:
    return {"name": name, "port": port, "purpose": purpose, "protocol": protocol}


def nodes(*controller_ports: int, protocol: str = "PLAINTEXT") -> list[dict[str, Any]]:
    """Return combined nodes, each with a different controller port."""
    return [
        {
            "contributed_ports": {},
            "listeners": [
                listener("CLIENT", 9092, "client", protocol),
                listener("INTERNAL", 19092, "inter_broker"),
                listener("CONTROLLER", port, "controller"),
            ],
        }
        for port in controller_ports or (19093, 19093, 19093)
    ]


def node(at: int, **more: Any) -> Node:
    given = {"volumes": (Volume(MOUNT, 100),), **more}
    return Node(HOSTS[at], at + 1, ("broker", "controller"), ZONES[at], "m6i.large", **given)


def wanted(**more: Any) -> Desired:
    given: dict[str, Any] = {
        "cluster": "orders",
        "cluster_id": CLUSTER_ID,
        "region": "eu-central-1",
        "nodes": tuple(map(node, range(3))),
        "rules": RULES,
        "image": "ami-1",
        "public_key": KEY,
    }
    return Desired(**{**given, **more})


def instance(at: int, **more: Any) -> model.CurrentInstance:
    given: dict[str, Any] = {
        "id": f"i-{at + 1}",
        "host": HOSTS[at],
        "node_id": str(at + 1),
        "state": "running",
        "zone": ZONES[at],
        "instance_type": "m6i.large",
        "private_ip": f"10.40.{at}.11",
        "group_ids": (GROUP,),
    }
    return model.CurrentInstance(**{**given, **more})


def volume(at: int, **more: Any) -> model.CurrentVolume:
    given: dict[str, Any] = {
        "id": f"vol-{at + 1}",
        "host": HOSTS[at],
        "mount": MOUNT,
        "zone": ZONES[at],
        "size": 100,
        "iops": 3000,
        "throughput": 125,
        "instance_id": f"i-{at + 1}",
        "device": "/dev/sdf",
    }
    return model.CurrentVolume(**{**given, **more})


def tags() -> dict[str, dict[str, str]]:
    """Resource id -> its tags."""
    own = {model.CLUSTER: "orders", model.CLUSTER_ID: CLUSTER_ID}
    machines = {f"i-{at + 1}": {**wanted().node_tags(node(at)), model.DISK + MOUNT: f"vol-{at + 1}"} for at in range(3)}
    return {**dict.fromkeys((*NETWORK, "vol-1", "vol-2", "vol-3"), own), **machines}


def nothing(**more: Any) -> Current:
    """An account without anything of the cluster."""
    return Current(zones=ZONES, image_id="ami-1", root_device="/dev/xvda", **more)


def everything(**more: Any) -> Current:
    """The cluster as it was wanted."""
    rules = tuple(dataclasses.replace(r, source=GROUP) if r.source == OWN_GROUP else r for r in RULES)
    given: dict[str, Any] = {
        "vpc": model.CurrentVpc(
            "vpc-1",
            ("10.40.0.0/16",),
            owned=True,
            gateway="igw-1",
            tables=("rtb-1",),
            default_route="igw-1",
            associated=("subnet-0", "subnet-1", "subnet-2"),
        ),
        "vpcs": ("vpc-1",),
        "subnets": tuple(
            model.CurrentSubnet(f"subnet-{at}", "vpc-1", zone, f"10.40.{at}.0/24", owned=True)
            for at, zone in enumerate(ZONES)
        ),
        "groups": (
            model.CurrentGroup(
                GROUP, "kafka-brokers-orders", "vpc-1", rules, owned=True, egress=(Rule(-1, -1, "0.0.0.0/0", "all"),)
            ),
        ),
        "volumes": tuple(map(volume, range(3))),
        "instances": tuple(map(instance, range(3))),
        "keys": (model.CurrentKey("orders", KEY, owned=True), model.CurrentKey("somebody")),
        "tags": tags(),
    }
    return nothing(**{**given, **more})
