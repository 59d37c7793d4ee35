"""Desired and current state as plain data and back, since modules take and return plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.providers.ec2.model import (
    Current,
    CurrentAddress,
    CurrentGroup,
    CurrentInstance,
    CurrentKey,
    CurrentPlacement,
    CurrentSubnet,
    CurrentVolume,
    CurrentVpc,
    Desired,
    Node,
    Rule,
    Volume,
)

Data = Mapping[str, Any]


def desired(data: Data) -> Desired:
    """Restore a Desired from ``dataclasses.asdict``."""
    nodes = [{**each, "volumes": tuple(Volume(**volume) for volume in each["volumes"])} for each in data["nodes"]]
    return Desired(
        **{
            **_with_tuples(data, "subnet_ids"),
            "nodes": tuple(Node(**_with_tuples(each, "roles")) for each in nodes),
            "rules": _rules(data["rules"]),
        }
    )


def current(data: Data) -> Current:
    """Restore a Current from ``dataclasses.asdict``."""
    vpc = data["vpc"]
    groups = [{**each, "rules": _rules(each["rules"]), "egress": _rules(each["egress"])} for each in data["groups"]]
    return Current(
        **{
            **_with_tuples(data, "zones", "vpcs", "free_gateways"),
            "vpc": CurrentVpc(**_with_tuples(vpc, "cidrs", "tables", "associated")) if vpc else None,
            "subnets": tuple(CurrentSubnet(**each) for each in data["subnets"]),
            "groups": tuple(CurrentGroup(**each) for each in groups),
            "volumes": tuple(CurrentVolume(**each) for each in data["volumes"]),
            "instances": tuple(_instance(each) for each in data["instances"]),
            "ended": tuple(_instance(each) for each in data["ended"]),
            "addresses": tuple(CurrentAddress(**each) for each in data["addresses"]),
            "keys": tuple(CurrentKey(**each) for each in data["keys"]),
            "placement": CurrentPlacement(**data["placement"]) if data["placement"] else None,
        }
    )


def _instance(data: Data) -> CurrentInstance:
    return CurrentInstance(**_with_tuples(data, "group_ids", "perishable"))


def _rules(given: list[Data]) -> tuple[Rule, ...]:
    return tuple(Rule(**each) for each in given)


def _with_tuples(data: Data, *names: str) -> dict[str, Any]:
    return {**data, **{name: tuple(data[name]) for name in names}}
