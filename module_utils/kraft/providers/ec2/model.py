"""What is wanted on EC2 and what is there, as values. Nothing here decides."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

#: Tags by which everything of a cluster is found again. The first says whose a thing is: nothing without it is touched.
CLUSTER = "kraftwright_cluster"
CLUSTER_ID = "kraftwright_cluster_id"
HOST = "kraftwright_host"
NODE_ID = "kraftwright_node_id"
ROLES = "kraftwright_roles"
MOUNT = "kraftwright_mount"

#: Source of a rule: the cluster's own group, whatever its id.
OWN_GROUP = "own group"

NO_ADDRESS = "none"
ASSIGNED = "assigned"
ELASTIC = "elastic"


def group_name(cluster: str) -> str:
    """Name of a cluster's security group."""
    return f"kafka-brokers-{cluster}"


@dataclasses.dataclass(frozen=True, order=True)
class Rule:
    """Ports that a source may reach. ``protocol``: tcp, udp, icmp ... or all; ports of those that have none are -1.

    ``source``: CIDR, id of a security group or prefix list, or OWN_GROUP. ``reason`` does not tell rules apart.
    """

    first: int
    last: int
    source: str
    protocol: str = "tcp"
    reason: str = dataclasses.field(default="", compare=False)

    def __str__(self) -> str:
        ports = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        what = self.protocol if self.first < 0 else f"{self.protocol} {ports}"
        return f"{what} from {self.source}"


@dataclasses.dataclass(frozen=True)
class Volume:
    """A data disk as it is wanted; sizes in GiB, throughput in MiB/s. ``device``: name that it is attached under."""

    mount: str
    size: int
    device: str
    iops: int = 3000
    throughput: int = 125
    kms_key: str = ""


@dataclasses.dataclass(frozen=True)
class Node:
    """One machine as it is wanted."""

    host: str
    node_id: int
    roles: tuple[str, ...]
    zone: str
    instance_type: str
    volumes: tuple[Volume, ...] = ()
    private_ip: str = ""


@dataclasses.dataclass(frozen=True)
class Desired:
    """Everything of one cluster. An empty ``vpc_id``: a VPC of its own; no ``subnet_ids``: subnets of its own."""

    cluster: str
    cluster_id: str
    region: str
    nodes: tuple[Node, ...]
    rules: tuple[Rule, ...] = ()
    vpc_id: str = ""
    vpc_cidr: str = "10.40.0.0/16"
    subnet_ids: tuple[str, ...] = ()
    image: str = ""
    key_name: str = ""
    public_key: str = ""
    public_addresses: str = NO_ADDRESS

    @property
    def group_name(self) -> str:
        return group_name(self.cluster)

    @property
    def key(self) -> str:
        """Name of the key pair: a given one, or one of the cluster's own."""
        return self.key_name or self.cluster


@dataclasses.dataclass(frozen=True)
class CurrentVpc:
    """A VPC with all its IPv4 and IPv6 CIDRs, and whether traffic can leave it."""

    id: str
    cidrs: tuple[str, ...]
    owned: bool = False
    gateway: str = ""
    tables: tuple[str, ...] = ()  #: route tables of the cluster's own
    routed: bool = False


@dataclasses.dataclass(frozen=True)
class CurrentSubnet:
    id: str
    vpc_id: str
    zone: str
    cidr: str
    owned: bool = False


@dataclasses.dataclass(frozen=True)
class CurrentGroup:
    id: str
    name: str
    vpc_id: str
    rules: tuple[Rule, ...] = ()
    owned: bool = False


@dataclasses.dataclass(frozen=True)
class CurrentVolume:
    id: str
    host: str
    mount: str
    zone: str
    size: int
    iops: int = 0
    throughput: int = 0
    instance_id: str = ""
    device: str = ""


@dataclasses.dataclass(frozen=True)
class CurrentInstance:
    id: str
    host: str
    node_id: str
    state: str
    zone: str
    instance_type: str = ""
    private_ip: str = ""
    public_ip: str = ""
    group_ids: tuple[str, ...] = ()
    devices: Mapping[str, str] = dataclasses.field(default_factory=dict)  #: device name -> volume id


@dataclasses.dataclass(frozen=True)
class CurrentAddress:
    id: str
    host: str
    public_ip: str
    instance_id: str = ""


@dataclasses.dataclass(frozen=True)
class Current:
    """What the account has of the cluster, and what was asked for by id. ``zones``: those that can be used.

    ``cluster_ids``: resource id (a key pair's name) -> cluster id in its tags, of all that carries the cluster's name.
    """

    zones: tuple[str, ...] = ()
    vpc: CurrentVpc | None = None
    subnets: tuple[CurrentSubnet, ...] = ()
    groups: tuple[CurrentGroup, ...] = ()
    volumes: tuple[CurrentVolume, ...] = ()
    instances: tuple[CurrentInstance, ...] = ()
    addresses: tuple[CurrentAddress, ...] = ()
    keys: tuple[str, ...] = ()
    own_keys: tuple[str, ...] = ()
    image_id: str = ""
    root_device: str = ""
    cluster_ids: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def foreign(self, cluster_id: str) -> dict[str, str]:
        """Resources of a cluster of the same name with another id, or with none (empty)."""
        return {each: found for each, found in self.cluster_ids.items() if found != cluster_id}


def found_from_dict(data: Mapping[str, Any]) -> Current:
    """What ``dataclasses.asdict`` made of a Current, as values again."""
    vpc = data["vpc"]
    groups = [{**each, "rules": tuple(Rule(**rule) for rule in each["rules"])} for each in data["groups"]]
    instances = [{**each, "group_ids": tuple(each["group_ids"])} for each in data["instances"]]
    return Current(
        zones=tuple(data["zones"]),
        vpc=CurrentVpc(**{**vpc, "cidrs": tuple(vpc["cidrs"]), "tables": tuple(vpc["tables"])}) if vpc else None,
        subnets=tuple(CurrentSubnet(**each) for each in data["subnets"]),
        groups=tuple(CurrentGroup(**each) for each in groups),
        volumes=tuple(CurrentVolume(**each) for each in data["volumes"]),
        instances=tuple(CurrentInstance(**each) for each in instances),
        addresses=tuple(CurrentAddress(**each) for each in data["addresses"]),
        keys=tuple(data["keys"]),
        own_keys=tuple(data["own_keys"]),
        image_id=data["image_id"],
        root_device=data["root_device"],
        cluster_ids=data["cluster_ids"],
    )
