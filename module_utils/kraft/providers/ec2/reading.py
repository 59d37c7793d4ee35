"""From variables to what is wanted on EC2. Pure; values have the types of the role's argument spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.providers.ec2.model import OWN_GROUP, Desired, Node, Volume
from ansible.module_utils.kraft.providers.ec2.rules import SSH, Sources, derive

Data = Mapping[str, Any]
IOPS, THROUGHPUT = 3000, 125
ROOT_SIZE = 20  # GiB
BY_CIDR = "vpc"


def volumes(given: Sequence[Data]) -> tuple[Volume, ...]:
    """Return ``kafka_ec2_volumes`` as values."""
    return tuple(
        Volume(
            mount=each["mount"],
            size=int(each["size"]),
            iops=int(each.get("iops") or IOPS),
            throughput=int(each.get("throughput") or THROUGHPUT),
            kms_key=each.get("kms_key") or "",
        )
        for each in given
    )


def sources(given: Data, inside: Sequence[str]) -> Sources:
    """Convert the permitted sources. `inside`: CIDRs of the VPC."""
    own_cidrs = tuple(each for each in inside if ":" not in each)
    return Sources(
        clients={name: tuple(each) for name, each in (given.get("client_sources") or {}).items()},
        admin=tuple(given.get("admin_sources") or ()),
        monitoring=tuple(given.get("monitoring_sources") or ()),
        exporter_ports=tuple(int(each) for each in given.get("exporter_ports") or ()),
        nodes=own_cidrs if given.get("node_source") == BY_CIDR else (OWN_GROUP,),
        inside=tuple(inside),
        open_listeners=tuple(given.get("accept_world_open") or ()),
        plaintext_listeners=tuple(given.get("accept_plaintext_outside") or ()),
        sessions=bool(given.get("ssm_sessions")),
    )


def wanted(given: Data, desired: Data, hosts: Mapping[str, Data], inside: Sequence[str] = ()) -> Desired:
    """Return the desired state. `given`: the role's variables without ``kafka_ec2_``; `hosts`: those that a host sets.

    `desired` is ``kafka_desired``'s fact. `inside`: CIDRs of the VPC, if it is known.
    """
    cluster, nodes = desired["cluster"], desired["nodes"]
    ports = sorted({int(values.get("ssh_port") or SSH) for values in hosts.values()})
    return Desired(
        cluster=cluster["name"],
        cluster_id=cluster["cluster_id"],
        region=given.get("region") or "",
        nodes=tuple(_node(host, nodes[host], {**given, **values}) for host, values in hosts.items()),
        rules=derive(nodes.values(), sources(given, inside or [given["vpc_cidr"]]), ports),
        vpc_id=given.get("vpc_id") or "",
        vpc_cidr=given["vpc_cidr"],
        subnet_ids=tuple(given.get("subnet_ids") or ()),
        image=given.get("ami") or "",
        key_name=given.get("key_name") or "",
        public_key=given.get("public_key") or "",
        public_addresses=given["public_addresses"],
        root_size=int(given.get("root_volume_size") or ROOT_SIZE),
        protection=bool(given.get("termination_protection")),
        monitoring=bool(given.get("detailed_monitoring")),
        tags={str(key): str(value) for key, value in (given.get("tags") or {}).items()},
        instance_profile=given.get("instance_profile") or "",
        placement_group=given.get("placement_group") or "",
        user_data=given.get("user_data") or "",
    )


def _node(host: str, node: Data, values: Data) -> Node:
    return Node(
        host=host,
        node_id=node["node_id"],
        roles=tuple(node["roles"]),
        zone=values.get("zone") or "",
        instance_type=values["instance_type"],
        volumes=volumes(values.get("volumes") or ()),
        private_ip=values.get("private_ip") or "",
        partition=int(values.get("partition") or 0),
    )
