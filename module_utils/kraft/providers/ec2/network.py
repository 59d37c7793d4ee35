"""Makes what the plan found missing of VPC, subnets, way to the internet, key pair and security group."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.providers.ec2.account import code_of
from ansible.module_utils.kraft.providers.ec2.model import OWN_GROUP, Current, Desired, Rule
from ansible.module_utils.kraft.providers.ec2.plan import Plan
from ansible.module_utils.kraft.providers.ec2.routes import own_table
from ansible.module_utils.kraft.providers.ec2.waiting import Aws, NotShownError

DESCRIPTION = "Kafka nodes of one cluster"
ANYWHERE = "0.0.0.0/0"


def tagged(kind: str, tags: Mapping[str, str]) -> dict[str, Any]:
    """Return tags as a creating call takes them."""
    return {"ResourceType": kind, "Tags": as_tags(tags)}


def as_tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def token(*parts: object) -> str:
    """Return a client token: the same call with the same parts has one effect."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:48]


def build(aws: Aws, wanted: Desired, found: Current, made: Plan) -> None:
    """Build the network; each thing gets its tags in the call that makes it."""
    vpc_id = made.vpc_id or _vpc(aws, wanted)
    subnets = [_subnet(aws, wanted, vpc_id, *each) for each in made.subnets]
    if made.route:
        own = {each.id for each in found.subnets if each.owned} - set(found.vpc.associated if found.vpc else ())
        _route(aws, wanted, found, vpc_id, [*sorted(own), *subnets])
    if made.make_key:
        key = {"KeyName": wanted.key, "PublicKeyMaterial": wanted.public_key.encode()}
        _first(aws, "import_key_pair", wanted.key, **key, TagSpecifications=[tagged("key-pair", wanted.own_tags)])
    if made.group:
        _group(aws, wanted, made, vpc_id)


def _first(aws: Aws, operation: str, what: str, **asked: Any) -> Any:
    """Return AWS's answer. A name that is taken, and was not seen before, was taken a moment ago."""
    try:
        return aws.call(operation, what, **asked)
    except aws.client.exceptions.ClientError as error:
        if code_of(error).endswith(".Duplicate"):
            raise NotShownError(f"{what}, which was made a moment ago") from None
        raise


def _vpc(aws: Aws, wanted: Desired) -> str:
    tags = {**wanted.own_tags, "Name": wanted.cluster}
    vpc = aws.once("create_vpc", "a VPC", CidrBlock=wanted.vpc_cidr, TagSpecifications=[tagged("vpc", tags)])
    return str(vpc["Vpc"]["VpcId"])


def _subnet(aws: Aws, wanted: Desired, vpc_id: str, zone: str, cidr: str) -> str:
    tags = {**wanted.own_tags, "Name": f"{wanted.cluster}-{zone}"}
    asked = {
        "VpcId": vpc_id,
        "AvailabilityZone": zone,
        "CidrBlock": cidr,
        "TagSpecifications": [tagged("subnet", tags)],
    }
    return str(aws.call("create_subnet", f"VPC {vpc_id}", **asked)["Subnet"]["SubnetId"])


def _route(aws: Aws, wanted: Desired, found: Current, vpc_id: str, subnets: list[str]) -> None:
    """Make the subnets' route to the internet. They get their table last, so that a next run goes on here."""
    gateway, tags = _gateway(aws, wanted, found, vpc_id), {**wanted.own_tags, "Name": wanted.cluster}
    aws.call("modify_vpc_attribute", f"VPC {vpc_id}", VpcId=vpc_id, EnableDnsHostnames={"Value": True})
    there = table = own_table(found)
    if not table:
        asked = {"VpcId": vpc_id, "TagSpecifications": [tagged("route-table", tags)], "ClientToken": token(vpc_id)}
        table = aws.call("create_route_table", f"VPC {vpc_id}", **asked)["RouteTable"]["RouteTableId"]
    if not (there and found.vpc and found.vpc.default_route):
        route = {"RouteTableId": table, "DestinationCidrBlock": ANYWHERE, "GatewayId": gateway}
        aws.call("create_route", f"route table {table} or gateway {gateway}", **route)
    for subnet in subnets:
        what = f"subnet {subnet} or route table {table}"
        aws.call("associate_route_table", what, RouteTableId=table, SubnetId=subnet)


def _gateway(aws: Aws, wanted: Desired, found: Current, vpc_id: str) -> str:
    if found.vpc and found.vpc.gateway:
        return found.vpc.gateway
    gateway = next(iter(found.free_gateways), "")
    if not gateway:
        tags = tagged("internet-gateway", {**wanted.own_tags, "Name": wanted.cluster})
        answer = aws.once("create_internet_gateway", "a gateway", TagSpecifications=[tags])
        gateway = answer["InternetGateway"]["InternetGatewayId"]
    what = f"gateway {gateway} or VPC {vpc_id}"
    aws.call("attach_internet_gateway", what, InternetGatewayId=gateway, VpcId=vpc_id)
    return str(gateway)


def _group(aws: Aws, wanted: Desired, made: Plan, vpc_id: str) -> None:
    """Ensure the security group; old rules go before new ones come, so that a full group can change."""
    group = made.group_id
    if not group:
        asked = {"GroupName": wanted.group_name, "Description": DESCRIPTION, "VpcId": vpc_id}
        tags = [tagged("security-group", {**wanted.own_tags, "Name": wanted.group_name})]
        what = f"security group {wanted.group_name} of VPC {vpc_id}"
        group = _first(aws, "create_security_group", what, **asked, TagSpecifications=tags)["GroupId"]
    for operation, rules in (
        ("revoke_security_group_ingress", made.remove),
        ("authorize_security_group_ingress", made.add),
        ("update_security_group_rule_descriptions_ingress", made.reword),
    ):
        if rules:
            permissions = [permission(each, group) for each in rules]
            aws.call(operation, f"security group {group}", GroupId=group, IpPermissions=permissions)


def permission(rule: Rule, own_group: str) -> dict[str, Any]:
    """Return a rule in EC2's form; without ports if the protocol has none."""
    ports = {} if rule.protocol == "all" else {"FromPort": rule.first, "ToPort": rule.last}
    protocol = "-1" if rule.protocol == "all" else rule.protocol
    return {"IpProtocol": protocol, **ports, **_source(rule, own_group)}


def _source(rule: Rule, own_group: str) -> dict[str, Any]:
    said = {"Description": rule.reason} if rule.reason else {}
    source = own_group if rule.source == OWN_GROUP else rule.source
    account = {"UserId": rule.account} if rule.account else {}
    if source.startswith("pl-"):
        return {"PrefixListIds": [{"PrefixListId": source, **said}]}
    if source.startswith("sg-"):
        return {"UserIdGroupPairs": [{"GroupId": source, **account, **said}]}
    if ":" in source:
        return {"Ipv6Ranges": [{"CidrIpv6": source, **said}]}
    return {"IpRanges": [{"CidrIp": source, **said}]}
