"""EC2's answers, as values: against moto, in this process."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from ansible.module_utils.kraft.providers.ec2 import audit, kms, model, refusal_remedies, values
from ansible.module_utils.kraft.providers.ec2.account import advised, explained, refusal
from ansible.module_utils.kraft.providers.ec2.answers import Question
from ansible.module_utils.kraft.providers.ec2.observe import observe
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from moto import mock_aws
from moto.ec2.models.amis import AMIS

REGION = "eu-central-1"
HOST = ("kafka9",)
Clients = tuple[Any, Any]


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-nothing")
    # All answers of moto share a table, which some change while others read it: one call at a time.
    monkeypatch.setattr("ansible.module_utils.kraft.providers.ec2.observe.AT_ONCE", 1)
    with mock_aws():
        yield boto3.client("ec2", region_name=REGION), boto3.client("ssm", region_name=REGION)


def tags(kind: str, **more: str) -> list[dict[str, Any]]:
    given = {model.CLUSTER: "orders", **more}
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in given.items()]}]


def build(ec2: Any) -> tuple[str, str]:
    """A VPC with a subnet, a group, a machine and its disk; ids of machine and group."""
    vpc = ec2.create_vpc(CidrBlock="10.40.0.0/16", TagSpecifications=tags("vpc"))["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(
        VpcId=vpc, CidrBlock="10.40.0.0/24", AvailabilityZone=f"{REGION}a", TagSpecifications=tags("subnet")
    )["Subnet"]["SubnetId"]
    group = ec2.create_security_group(
        GroupName="kafka-brokers-orders", Description="x", VpcId=vpc, TagSpecifications=tags("security-group")
    )["GroupId"]
    for first, last, source in ((9092, 9092, "10.40.0.0/16"), (19092, 19093, "0.0.0.0/0")):
        opened = {"IpProtocol": "tcp", "FromPort": first, "ToPort": last, "IpRanges": [{"CidrIp": source}]}
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[opened])
    image = AMIS[0]["ami_id"]  # moto would take seconds to list them
    machine = ec2.run_instances(
        ImageId=image,
        MinCount=1,
        MaxCount=1,
        SubnetId=subnet,
        SecurityGroupIds=[group],
        TagSpecifications=tags("instance", kraftwright_host="kafka1", kraftwright_node_id="1"),
    )["Instances"][0]["InstanceId"]
    volume = ec2.create_volume(
        AvailabilityZone=f"{REGION}a",
        Size=10,
        VolumeType="gp3",
        TagSpecifications=tags(
            "volume", kraftwright_host="kafka1", kraftwright_mount="/srv/a", kraftwright_cluster_id="an-id"
        ),
    )["VolumeId"]
    ec2.attach_volume(VolumeId=volume, InstanceId=machine, Device="/dev/sdf")
    return machine, group


def test_everything_of_the_cluster_is_seen_and_nothing_else(aws: Clients) -> None:
    ec2, ssm = aws
    machine, group = build(ec2)
    ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=1, TagSpecifications=tags("volume", kraftwright_cluster="x"))
    found = observe(ec2, ssm, Question("orders", hosts=("kafka1", "kafka2"), protection=True))
    assert found.vpc is not None
    assert found.vpc.owned
    assert [each.cidr for each in found.subnets] == ["10.40.0.0/24"]
    assert [(each.id, each.host, each.node_id, each.group_ids) for each in found.instances] == [
        (machine, "kafka1", "1", (group,))
    ]
    assert [(each.mount, each.instance_id, each.device) for each in found.volumes] == [("/srv/a", machine, "/dev/sdf")]
    assert [str(rule) for rule in found.groups[0].rules] == [
        "tcp 9092 from 10.40.0.0/16",
        "tcp 19092-19093 from 0.0.0.0/0",
    ]
    assert f"{REGION}a" in found.zones
    own = {machine, group, found.vpc.id, found.subnets[0].id, found.volumes[0].id}
    assert found.cluster_ids == {**dict.fromkeys(own, ""), found.volumes[0].id: "an-id"}
    assert found.instances[0].protected is False
    assert [each.protected for each in observe(ec2, ssm, Question("orders", protection=True)).instances] == [False]
    assert values.current(dataclasses.asdict(found)) == found
    assert observe(ec2, ssm, Question("orders", hosts=("kafka1",))).zones == ()


def test_a_network_without_tags_is_seen_and_a_disk_that_would_end_with_its_machine(aws: Clients) -> None:
    ec2, ssm = aws
    machine, _ = build(ec2)
    there = observe(ec2, ssm, Question("orders"))
    assert there.vpc is not None
    gateway, free = (ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"] for _ in range(2))
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=there.vpc.id)
    table = ec2.create_route_table(VpcId=there.vpc.id)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=there.subnets[0].id)
    kept = [{"DeviceName": "/dev/sdf", "Ebs": {"DeleteOnTermination": True}}]
    ec2.modify_instance_attribute(InstanceId=machine, BlockDeviceMappings=kept)
    found = observe(ec2, ssm, Question("orders"))
    assert found.vpc is not None
    assert (found.vpc.gateway, found.vpc.tables, found.vpc.associated) == (gateway, (table,), (found.subnets[0].id,))
    assert free not in found.free_gateways
    assert (there.instances[0].perishable, found.instances[0].perishable) == ((), (found.volumes[0].id,))
    assert found.instances[0].vpc_id == found.vpc.id
    assert (found.volumes[0].kind, found.volumes[0].encrypted) == ("gp3", False)


def test_a_subnet_without_ipv4_and_a_network_that_has_left_break_nothing(
    aws: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    ec2, ssm = aws
    build(ec2)
    real = ec2._make_api_call

    def answer(operation: str, asked: dict[str, Any]) -> Any:
        told = real(operation, asked)
        if operation == "DescribeSubnets":
            own = next(each for each in told["Subnets"] if each["CidrBlock"] == "10.40.0.0/24")
            six = {key: value for key, value in own.items() if key != "CidrBlock"}
            told["Subnets"].append({**six, "SubnetId": "subnet-6"})
        if operation == "DescribeVpcs":
            for each in told["Vpcs"]:
                gone = {"CidrBlock": "203.0.113.0/24", "CidrBlockState": {"State": "disassociated"}}
                each["CidrBlockAssociationSet"].append(gone)
        return told

    monkeypatch.setattr(ec2, "_make_api_call", answer)
    found = observe(ec2, ssm, Question("orders"))
    assert {each.cidr for each in found.subnets} == {"10.40.0.0/24", ""}
    assert found.vpc is not None
    assert found.vpc.cidrs == ("10.40.0.0/16",)


def test_volumes_that_have_lost_a_tag_are_seen_and_root_disks_are_not(aws: Clients) -> None:
    ec2, ssm = aws
    build(ec2)
    for more in ({"kraftwright_host": "kafka1"}, {"kraftwright_host": "kafka1", "kraftwright_node_id": "1"}):
        ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=1, TagSpecifications=tags("volume", **more))
    mounts = sorted(each.mount for each in observe(ec2, ssm, Question("orders")).volumes)
    assert mounts == ["", "/srv/a"]


def test_another_cluster_and_an_empty_account_see_nothing(aws: Clients) -> None:
    ec2, ssm = aws
    build(ec2)
    found = observe(ec2, ssm, Question("payments"))
    assert (found.vpc, found.subnets, found.groups, found.volumes, found.instances) == (None, (), (), (), ())


def test_an_image_is_found_by_id_and_by_parameter_or_not_at_all(aws: Clients) -> None:
    ec2, ssm = aws
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]
    assert observe(ec2, ssm, Question("orders", image=image["ImageId"], hosts=HOST)).image_id == image["ImageId"]
    named = "ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
    assert observe(ec2, ssm, Question("orders", image=named, hosts=HOST)).image_id.startswith("ami-")
    assert observe(ec2, ssm, Question("orders", image="ami-00000000", hosts=HOST)).image_id == ""
    assert observe(ec2, ssm, Question("orders", image="ssm:/of/nobody", hosts=HOST)).image_id == ""


def test_what_no_listener_needs_is_exposed_by_the_module(aws: Clients) -> None:
    build(aws[0])
    found = audit.exposed(
        {
            "region": REGION,
            "cluster": "orders",
            "allowed": [{"port": 9092, "source": "10.40.0.0/16"}, {"port": 19093, "source": model.OWN_GROUP}],
            "listeners": {"9092": "client CLIENT", "19093": "controller CONTROLLER"},
        }
    )
    assert len(found["instances"]) == 1
    assert len(found["unjustified"]) == 1
    assert "lets 0.0.0.0/0 reach tcp 19092-19093, among them 19093 (controller CONTROLLER)" in found["unjustified"][0]


@pytest.mark.parametrize("code", sorted(refusal_remedies.ADVICE))
def test_each_refusal_of_aws_says_what_to_change(code: str) -> None:
    error = ClientError({"Error": {"Code": code, "Message": "no"}}, "CreateTags")
    text = refusal_remedies.ADVICE[code].format(operation="ec2:CreateTags")
    assert f"-> {text}" in str(explained(error, REGION))


@pytest.mark.parametrize(("code", "operation"), sorted(refusal_remedies.OF_CALL))
def test_one_code_has_the_advice_of_its_call(code: str, operation: str) -> None:
    error = ClientError({"Error": {"Code": code, "Message": "no"}}, operation)
    assert f"-> {refusal_remedies.OF_CALL[code, operation]}" in str(explained(error, REGION))


def test_no_advice_for_a_volume_that_is_changed_leads_to_the_removal_of_a_cluster() -> None:
    for operation in ("AttachVolume", "ModifyVolume", "RunInstances", "ModifyInstanceAttribute"):
        told = refusal_remedies.advice_for("OperationNotPermitted", operation)
        assert "destroy" not in told


def test_a_missing_permission_is_named_with_the_way_to_decode_what_aws_says() -> None:
    error = ClientError({"Error": {"Code": "UnauthorizedOperation", "Message": "Encoded authorization"}}, "CreateVpc")
    told = str(explained(error, REGION))
    assert "ec2:CreateVpc" in told
    assert "aws sts decode-authorization-message" in told
    assert "SCP" in told


def test_a_key_of_kms_that_aws_may_not_use_is_named() -> None:
    error = ClientError({"Error": {"Code": "InvalidKMSKey.Odd", "Message": "no"}}, "CreateVolume")
    assert "kms_key" in str(explained(error, REGION))
    assert "kms_key" in advised("kafka1: i-1 ended at launch (Client.InternalError: Client error on launch)")


def test_without_credentials_or_a_way_to_aws_it_is_said_how_to_get_them() -> None:
    assert "AWS_PROFILE" in str(explained(NoCredentialsError(), REGION))
    assert "kafka_ec2_region" in str(explained(EndpointConnectionError(endpoint_url="https://x"), REGION))
    with pytest.raises(ZeroDivisionError):
        explained(ZeroDivisionError(), REGION)


def test_what_aws_does_not_explain_is_left_as_it_is() -> None:
    assert advised("something else (Odd)") == "something else (Odd)"


def test_a_failed_loop_is_told_by_what_its_items_said() -> None:
    said = "An error occurred (VolumeLimitExceeded) when calling the CreateVolume operation: no"
    result = {"msg": "One or more items failed", "results": [{"failed": True, "msg": said}, {"msg": "fine"}]}
    told = refusal(result, "Make the data disks")
    assert told == f"{said} -> {refusal_remedies.ADVICE['VolumeLimitExceeded']}"
    assert refusal({"msg": "odd"}, "Launch the machine") == "Launch the machine: odd"


def test_a_route_table_of_others_is_seen_at_the_subnet_that_uses_it(aws: Clients) -> None:
    ec2, ssm = aws
    build(ec2)
    there = observe(ec2, ssm, Question("orders"))
    assert there.vpc is not None
    table = ec2.create_route_table(VpcId=there.vpc.id)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=there.subnets[0].id)
    found = [observe(ec2, ssm, Question("orders")).subnets[0]]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=there.vpc.id)
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    found.append(observe(ec2, ssm, Question("orders")).subnets[0])
    ec2.create_tags(Resources=[table], Tags=tags("route-table")[0]["Tags"])
    found.append(observe(ec2, ssm, Question("orders")).subnets[0])
    assert [(each.foreign_table, each.foreign_route) for each in found] == [(table, ""), (table, gateway), ("", "")]


def test_the_addresses_that_the_account_can_still_allocate_are_counted_if_one_is_missing(aws: Clients) -> None:
    ec2, ssm = aws
    build(ec2)
    ec2.allocate_address(Domain="vpc")
    assert observe(ec2, ssm, Question("orders", hosts=("kafka1",), elastic=True)).spare_addresses == 4
    assert observe(ec2, ssm, Question("orders", hosts=("kafka1",))).spare_addresses is None
    named = tags("elastic-ip", kraftwright_host="kafka1")
    ec2.allocate_address(Domain="vpc", TagSpecifications=named)
    assert observe(ec2, ssm, Question("orders", hosts=("kafka1",), elastic=True)).spare_addresses is None


def test_an_alias_leads_to_its_key_and_a_key_that_is_none_or_disabled_is_empty(aws: Clients) -> None:
    client = boto3.client("kms", region_name=REGION)
    one, other = (client.create_key()["KeyMetadata"] for _ in range(2))
    client.create_alias(AliasName="alias/disks", TargetKeyId=one["KeyId"])
    client.disable_key(KeyId=other["KeyId"])
    named = ("alias/disks", one["KeyId"], "alias/none", other["KeyId"])
    assert kms.kms_keys(client, named) == dict(zip(named, (one["Arn"], one["Arn"], "", ""), strict=True))
    assert aws
