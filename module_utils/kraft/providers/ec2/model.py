"""The desired and the current state on EC2, as values. Nothing here decides."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

#: Tags by which everything of a cluster is found again. The first names the owner: nothing without it is touched.
CLUSTER = "kraftwright_cluster"
CLUSTER_ID = "kraftwright_cluster_id"
HOST = "kraftwright_host"
NODE_ID = "kraftwright_node_id"
ROLES = "kraftwright_roles"
MOUNT = "kraftwright_mount"
DISK = "kraftwright_disk:"  # on an instance, a mount behind it: id of the volume there, which the inventory reads
USER_DATA = "kraftwright_user_data"  # on an instance, from its launch: digest of its user data
KEY = "kraftwright_key"  # on an instance, from its launch: digest of the public key that its login has
OURS = "kraftwright_"  # how these tags begin

OWN_GROUP = "own group"  # source of a rule: the cluster's own, whatever its id

NO_ADDRESS = "none"
ASSIGNED = "assigned"
ELASTIC = "elastic"


def group_name(cluster: str) -> str:
    """Name of a cluster's security group."""
    return f"kafka-brokers-{cluster}"


@dataclasses.dataclass(frozen=True, order=True)
class Rule:
    """Ports that a source may reach. ``protocol``: tcp, udp, icmp ... or all; ports of those that have none are -1.

    ``source``: CIDR, id of a security group or prefix list, or OWN_GROUP. ``account``: owner of the group, if that is
    another account. ``reason``, ``account`` and ``peering`` do not distinguish rules.
    """

    first: int
    last: int
    source: str
    protocol: str = "tcp"
    reason: str = dataclasses.field(default="", compare=False)
    account: str = dataclasses.field(default="", compare=False)
    peering: str = dataclasses.field(default="", compare=False)  #: state of the peering to the group's VPC

    def __str__(self) -> str:
        ports = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        what = self.protocol if self.first < 0 else f"{self.protocol} {ports}"
        return f"{what} from {self.account}{'/' if self.account else ''}{self.source}"


@dataclasses.dataclass(frozen=True)
class Volume:
    """A data disk as it is wanted; sizes in GiB, throughput in MiB/s."""

    mount: str
    size: int
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
    partition: int = 0  #: of the placement group; 0: AWS chooses one


@dataclasses.dataclass(frozen=True)
class Desired:
    """Everything of one cluster. An empty ``vpc_id``: a new VPC; no ``subnet_ids``: new subnets."""

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
    root_size: int = 20  #: GiB
    protection: bool = False
    monitoring: bool = False
    tags: Mapping[str, str] = dataclasses.field(default_factory=dict)  #: those that the inventory adds
    instance_profile: str = ""  #: name or ARN
    placement_group: str = ""
    user_data: str = ""

    @property
    def group_name(self) -> str:
        return group_name(self.cluster)

    @property
    def own_tags(self) -> dict[str, str]:
        """Return tags of everything that is made."""
        return {**self.tags, CLUSTER: self.cluster, CLUSTER_ID: self.cluster_id}

    def node_tags(self, node: Node) -> dict[str, str]:
        """Return tags of a machine, those of its disks aside."""
        name = f"{self.cluster}-{node.host}"
        own = {HOST: node.host, NODE_ID: str(node.node_id), ROLES: ",".join(node.roles)}
        return {**self.own_tags, **own, "Name": name}

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
    tables: tuple[str, ...] = ()  #: route tables of the cluster's own, then others of its subnets
    default_route: str = ""  #: where the first of these sends 0.0.0.0/0; empty: nowhere
    associated: tuple[str, ...] = ()  #: subnets that have one of these tables


@dataclasses.dataclass(frozen=True)
class CurrentSubnet:
    id: str
    vpc_id: str
    zone: str
    cidr: str  #: empty: a subnet without IPv4
    owned: bool = False
    free: int | None = None  #: addresses that are left; None: not known
    foreign_table: str = ""  #: route table of others that it names; empty: the cluster's, or the VPC's main one
    foreign_route: str = ""  #: target of that table's route to the internet; empty: it has none


@dataclasses.dataclass(frozen=True)
class CurrentGroup:
    id: str
    name: str
    vpc_id: str
    rules: tuple[Rule, ...] = ()
    owned: bool = False
    egress: tuple[Rule, ...] = ()


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
    state: str = "in-use"
    created: str = ""  #: ISO 8601
    snapshot: str = ""  #: id of the snapshot that it was made of
    kms_key: str = ""
    kind: str = "gp3"
    encrypted: bool = True

    def __str__(self) -> str:
        origin = f"made of {self.snapshot}" if self.snapshot else "made empty"
        held = f"on {self.instance_id} as {self.device}" if self.instance_id else "attached to nothing"
        return f"{self.id} ({self.state}, {origin} on {self.created or 'an unknown day'}, {self.zone}, {held})"


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
    created: str = ""  #: ISO 8601
    reason: str = ""  #: why it is in its state, in AWS's words
    tokens: str = "required"  #: IMDSv2: required or optional
    monitoring: bool = False
    protected: bool | None = None  #: None: not asked
    subnet_id: str = ""
    root: str = ""  #: id of its root disk
    root_size: int = 0  #: GiB; 0: not known
    root_type: str = ""
    instance_profile: str = ""  #: ARN
    placement_group: str = ""
    partition: int = 0
    vpc_id: str = ""
    elastic: bool = False  #: its public address is an Elastic IP
    perishable: tuple[str, ...] = ()  #: disks that AWS deletes with it, the root disk aside

    def __str__(self) -> str:
        return f"{self.id} ({self.state}, launched on {self.created or 'an unknown day'}, {self.zone})"


@dataclasses.dataclass(frozen=True)
class CurrentAddress:
    id: str
    host: str
    public_ip: str
    instance_id: str = ""
    association: str = ""  #: id of its association with an interface
    interface: str = ""  #: network interface that has it, of a machine or of something else

    def __str__(self) -> str:
        return f"{self.public_ip} ({self.id}, on {self.instance_id or self.interface or 'no machine'})"


@dataclasses.dataclass(frozen=True)
class CurrentKey:
    """A key pair. ``text``: type and body of its public half; empty if AWS does not give it."""

    name: str
    text: str = ""
    owned: bool = False


@dataclasses.dataclass(frozen=True)
class CurrentPlacement:
    """A placement group. ``strategy``: cluster, spread or partition; ``state``: available, or AWS still works on it."""

    name: str
    state: str = "available"
    strategy: str = ""
    partitions: int = 0


@dataclasses.dataclass(frozen=True)
class Current:
    """The account's things of the cluster, and those requested by id. ``zones``: those that can be used.

    ``tags``: resource id (a key pair's name) -> its tags, for all with the cluster's name. ``vpcs``: their ids.
    ``types``: instance type -> architectures. ``sources``: group or prefix list -> its number of rules. None: unknown.
    """

    zones: tuple[str, ...] = ()
    vpc: CurrentVpc | None = None
    subnets: tuple[CurrentSubnet, ...] = ()
    groups: tuple[CurrentGroup, ...] = ()
    volumes: tuple[CurrentVolume, ...] = ()
    instances: tuple[CurrentInstance, ...] = ()
    ended: tuple[CurrentInstance, ...] = ()  #: machines that AWS still shows for about an hour
    addresses: tuple[CurrentAddress, ...] = ()
    keys: tuple[CurrentKey, ...] = ()
    vpcs: tuple[str, ...] = ()
    free_gateways: tuple[str, ...] = ()  #: internet gateways of the cluster's own that are attached to no VPC
    image_id: str = ""
    root_device: str = ""
    image_owner: str = ""  #: account
    boot: str = ""  #: boot mode of the image, if it has one
    architecture: str = ""  #: of the image
    ena: bool | None = None  #: whether the image has the driver of AWS's network adapter; None: unknown
    traits: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)  #: type -> `observe.traits_of`
    least_root: int = 0  #: GiB that the image's root disk needs; 0: not known
    deprecated: str = ""  #: when the image was or will be deprecated, ISO 8601
    tags: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)
    types: Mapping[str, Sequence[str]] | None = None
    offered: Mapping[str, Sequence[str]] | None = None  #: instance type -> zones that have it
    placement: CurrentPlacement | None = None  #: the placement group that is named; None: none, or not requested
    sources: Mapping[str, int] | None = None
    spare_addresses: int | None = None  #: Elastic IPs that the account can still allocate; None: not requested
    kms_keys: Mapping[str, str] = dataclasses.field(default_factory=dict)  #: name -> `kms.kms_keys`

    @property
    def cluster_ids(self) -> dict[str, str]:
        """Return resource id -> cluster id in its tags; empty if it has none."""
        return {each: named.get(CLUSTER_ID, "") for each, named in self.tags.items()}

    @property
    def own_keys(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.keys if each.owned)

    def key(self, name: str) -> CurrentKey | None:
        return next((each for each in self.keys if each.name == name), None)

    def foreign(self, cluster_id: str) -> dict[str, str]:
        """Return resources of a cluster of the same name with another id, or with none (empty)."""
        return {each: found for each, found in self.cluster_ids.items() if found != cluster_id or not found}
