"""Removes what a cluster has on EC2, in the order that AWS needs, and looks until nothing of it is left."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ansible.module_utils.kraft.problem import errors
from ansible.module_utils.kraft.providers.ec2.account import AccountError, code_of
from ansible.module_utils.kraft.providers.ec2.launch import await_end
from ansible.module_utils.kraft.providers.ec2.machines import keep_disks
from ansible.module_utils.kraft.providers.ec2.model import Current, Desired
from ansible.module_utils.kraft.providers.ec2.observe import observe, question_for
from ansible.module_utils.kraft.providers.ec2.plan import kept_devices
from ansible.module_utils.kraft.providers.ec2.removal import Removal, foreign_refusals, removal, removal_lines
from ansible.module_utils.kraft.providers.ec2.waiting import UNKNOWN, Aws, NotShownError

ROUNDS = 5  # VPCs of one cluster that are removed one after the other
GONE = "Gateway.NotAttached"  # the only code for a thing that is gone that does not end as the others do
BUSY = ("DependencyViolation", "VolumeInUse", "InvalidIPAddress.InUse", "InvalidGroup.InUse")


def remove(aws: Aws, wanted: Desired, delete_data: bool, hosts: Collection[str] = ()) -> None:
    """Remove the cluster, or only the machines of `hosts`; raises NotShownError with the remaining things.

    Before each round raises AccountError if things of others would go: the plan was made before the lock was taken.
    """
    question = question_for(wanted)
    for _ in range(ROUNDS):
        found = observe(aws.client, aws.ssm, question)
        if wrong := errors(foreign_refusals(wanted, found, delete_data, hosts)):
            raise AccountError("; ".join(map(str, wrong)))
        gone = removal(found, delete_data, hosts)
        if gone == Removal():
            return
        _machines(aws, gone, found)
        _things(aws, gone)
        _network(aws, gone)
    raise NotShownError("; ".join(removal_lines(found, gone)))


def _machines(aws: Aws, gone: Removal, found: Current) -> None:
    """Terminate the machines first: they hold disks, addresses and groups."""
    if not gone.instances:
        return
    for machine in found.instances:
        if machine.id in gone.instances and (devices := kept_devices(machine)):
            keep_disks(aws, machine.id, devices)
    for each in gone.instances:
        _take(aws, "modify_instance_attribute", InstanceId=each, DisableApiTermination={"Value": False})
    aws.client.terminate_instances(InstanceIds=list(gone.instances))
    await_end(aws, gone.instances)


def _things(aws: Aws, gone: Removal) -> None:
    for each in gone.addresses:
        _take(aws, "release_address", AllocationId=each)
    for each in gone.volumes:
        _take(aws, "delete_volume", VolumeId=each)
    for each in gone.groups:
        _take(aws, "delete_security_group", GroupId=each)
    for each in gone.key_pairs:
        _take(aws, "delete_key_pair", KeyName=each)


def _network(aws: Aws, gone: Removal) -> None:
    """Remove the network. The subnets go first: AWS keeps one with machines of others, whose route stays then, too."""
    for each in gone.subnets:
        _take(aws, "delete_subnet", SubnetId=each)
    for table in gone.tables:
        for each in _associations(aws, table):
            _take(aws, "disassociate_route_table", AssociationId=each)
        _take(aws, "delete_route_table", RouteTableId=table)
    if gone.gateway:
        _take(aws, "detach_internet_gateway", InternetGatewayId=gone.gateway, VpcId=gone.vpc)
        _take(aws, "delete_internet_gateway", InternetGatewayId=gone.gateway)
    for each in gone.free_gateways:
        _take(aws, "delete_internet_gateway", InternetGatewayId=each)
    if gone.vpc:
        _take(aws, "delete_vpc", VpcId=gone.vpc)


def _associations(aws: Aws, table: str) -> list[str]:
    """Return the ids of a route table's associations; none if the table is gone."""
    try:
        found = aws.one("describe_route_tables", "RouteTables", RouteTableIds=[table]) or {}
    except aws.client.exceptions.ClientError as error:
        if not code_of(error).endswith(UNKNOWN):
            raise
        return []
    return [each["RouteTableAssociationId"] for each in found.get("Associations") or []]


def _take(aws: Aws, operation: str, **asked: Any) -> None:
    """Remove one thing. One that is still in use is waited for; one that is gone is fine."""
    last: list[Exception] = []

    def attempt() -> bool:
        try:
            getattr(aws.client, operation)(**asked)
        except aws.client.exceptions.ClientError as error:
            if code_of(error).endswith(UNKNOWN) or code_of(error) == GONE:
                return True
            if code_of(error) not in BUSY:
                raise
            last[:] = [error]
            return False
        return True

    _until(aws, attempt, last)


def _until(aws: Aws, attempt: Callable[[], bool], last: list[Exception]) -> None:
    try:
        aws.shown("", attempt)
    except NotShownError:
        raise last[0] from None
