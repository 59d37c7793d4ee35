"""Machines on EC2 from nothing to nothing, against moto's server: what is made, found again, changed and removed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
import yaml

from tests.integration.ec2_account import ROOT, Account, account

pytestmark = pytest.mark.long  # molecule ec2 goes through the life of machines, too
#: Asked in test_ec2_permissions.py and test_ec2_behaviour.py.
ELSEWHERE = {
    "ec2:UpdateSecurityGroupRuleDescriptionsIngress",
    "ec2:DescribeManagedPrefixLists",
    "ec2:DescribePlacementGroups",
}
NAME, NEIGHBOUR = "orders", "payments"
IDS = {NAME: "b3JkZXJzLW9yZGVycy1vcg"}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    with account(tmp_path_factory.mktemp("ec2")) as made:
        yield made


@pytest.fixture(scope="module")
def predicted(aws: Account) -> str:
    """Return the output of check mode before there is anything."""
    inventory = aws.inventory(NAME, kafka_cluster_id=IDS[NAME])
    told = aws.play("provision_ec2", inventory, "--check", "--diff")
    assert not aws.machines(NAME)
    return told


@pytest.fixture(scope="module")
def built(aws: Account, predicted: str) -> str:
    """Return the output of the first run."""
    assert predicted
    aws.double.calls.clear()
    told = aws.play("provision_ec2", aws.inventory(NAME, kafka_cluster_id=IDS[NAME]))
    assert len(aws.double.calls) <= 110
    return told


def test_check_mode_predicts_groups_rules_volumes_and_instances(predicted: str) -> None:
    for line in (
        "+create VPC 127.40.0.0/16",
        "+create security group kafka-brokers-orders",
        "+add rule tcp 19093 from own group (listener CONTROLLER)",
        "+create volume of 100 GiB for kafka2 /srv/kafka/data1",
        "+launch instance kafka3: m6i.large in eu-central-1c, node id 3, ami-",
    ):
        assert line in predicted
    assert "unreachable=0    failed=0" in predicted


def test_machines_are_spread_encrypted_and_let_in_what_the_listeners_need(aws: Account, built: str) -> None:
    assert "failed=0" in built
    machines = aws.machines(NAME)
    assert {host: each["Placement"]["AvailabilityZone"] for host, each in machines.items()} == {
        "kafka1": "eu-central-1a",
        "kafka2": "eu-central-1b",
        "kafka3": "eu-central-1c",
    }
    assert [machines[host]["PrivateIpAddress"] for host in sorted(machines)] == [f"127.40.{n}.11" for n in range(3)]
    assert {each["MetadataOptions"]["HttpTokens"] for each in machines.values()} == {"required"}
    assert {each["EbsOptimized"] for each in machines.values()} == {True}
    volumes = aws.ec2.describe_volumes()["Volumes"]
    assert len(volumes) == 6
    assert all(each["Encrypted"] and each["VolumeType"] == "gp3" for each in volumes)
    own = aws.group(NAME)["GroupId"]
    assert aws.rules(NAME) == {
        ("tcp", aws.ssh_port, aws.ssh_port, "203.0.113.10/32"),
        ("tcp", 9092, 9092, "127.40.0.0/16"),
        ("tcp", 19092, 19092, own),
        ("tcp", 19093, 19093, own),
    }


def test_a_second_run_changes_nothing(aws: Account, built: str) -> None:
    before = aws.rules(NAME), {host: each["InstanceId"] for host, each in aws.machines(NAME).items()}
    aws.double.calls.clear()
    told = aws.play("provision_ec2", aws.home / NAME)
    assert built
    assert not aws.double.changes
    assert len(aws.double.calls) <= 13
    assert "changed=0" in told
    assert "changed=1" not in told
    assert (aws.rules(NAME), {host: each["InstanceId"] for host, each in aws.machines(NAME).items()}) == before


def test_an_added_client_network_changes_one_rule_and_a_foreign_rule_goes(aws: Account, built: str) -> None:
    assert built
    before = aws.rules(NAME)
    anybody = [{"CidrIp": "0.0.0.0/0"}]
    foreign = {"IpProtocol": "tcp", "FromPort": 19093, "ToPort": 19093, "IpRanges": anybody}
    aws.ec2.authorize_security_group_ingress(GroupId=aws.group(NAME)["GroupId"], IpPermissions=[foreign])
    clients = {"CLIENT": ["127.40.0.0/16", "127.41.0.0/16", "2001:db8:41::/48"]}
    inventory = aws.inventory(NAME, kafka_cluster_id=IDS[NAME], kafka_ec2_client_sources=clients)
    assert "Clients from outside the VPC may connect" in aws.play("provision_ec2", inventory, fails=True)
    aws.inventory(
        NAME,
        kafka_cluster_id=IDS[NAME],
        kafka_ec2_client_sources=clients,
        kafka_ec2_accept_plaintext_outside=["CLIENT"],
    )
    predicted = aws.play("provision_ec2", inventory, "--check", "--diff")
    changes = [line for line in predicted.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert changes == [
        "+remove rule tcp 19093 from 0.0.0.0/0",
        "+add rule tcp 9092 from 127.41.0.0/16 (listener CLIENT)",
        "+add rule tcp 9092 from 2001:db8:41::/48 (listener CLIENT)",
    ]
    aws.play("provision_ec2", inventory)
    added = {("tcp", 9092, 9092, source) for source in ("127.41.0.0/16", "2001:db8:41::/48")}
    assert aws.rules(NAME) == before | added


def test_a_machine_that_does_not_answer_by_ssh_is_named_with_what_to_look_at(aws: Account, built: str) -> None:
    assert built
    nowhere = ("-e", "ansible_host=127.40.9.{{ kafka_node_id }}", "-e", "kafka_ec2_ssh_timeout=1")
    told = " ".join(aws.play("provision_ec2", aws.home / NAME, *nowhere, fails=True).split())
    assert f"kafka1 ({aws.machines(NAME)['kafka1']['InstanceId']}, 127.40.9.1) did not answer by ssh within 1 s" in told
    assert "aws ec2 get-console-output" in told


def test_ssh_goes_through_a_session_where_that_is_said(aws: Account, built: str) -> None:
    """A stand-in for `aws` notes what it is asked, and ends."""
    assert built
    tools = aws.home / "tools"
    tools.mkdir()
    noted = tools / "noted"
    (tools / "aws").write_text(f'#!/bin/sh\necho "$@" >> {noted}\n')
    (tools / "aws").chmod(0o755)
    documented = (ROOT / "docs/ec2.md").read_text().partition("ansible_ssh_common_args: >-\n")[2].partition("```")[0]
    inventory = aws.inventory(
        "by-session",
        kafka_cluster_name=NAME,
        kafka_cluster_id=IDS[NAME],
        ansible_host="{{ ec2_instance_id }}",
        ansible_ssh_common_args=" ".join(documented.split()),
        kafka_ec2_ssm_sessions=True,
        kafka_ec2_admin_sources=[],
        kafka_ec2_ssh_timeout=1,
    )
    found = (inventory / "aws_ec2.yml").read_text().replace("by-session", NAME)
    found = found.replace("ansible_host: ec2_private_ip_address", "ansible_host: ec2_instance_id")
    (inventory / "aws_ec2.yml").write_text(found)
    path = f"{tools}:{os.environ['PATH']}"
    aws.play("provision_ec2", inventory, "--limit", "kafka1", fails=True, PATH=path)
    machine = aws.machines(NAME)["kafka1"]["InstanceId"]
    session = f"ssm start-session --region eu-central-1 --target {machine} --document-name AWS-StartSSHSession"
    assert f"{session} --parameters portNumber={aws.ssh_port}" in noted.read_text().splitlines()
    assert not any(rule[1] == aws.ssh_port for rule in aws.rules(NAME))


def test_a_stopped_machine_is_started_a_lost_one_made_again_with_its_disk_and_a_disk_grown(
    aws: Account, built: str
) -> None:
    assert built
    machines = aws.machines(NAME)
    volume = next(m for m in machines["kafka2"]["BlockDeviceMappings"] if m["DeviceName"] == "/dev/sdf")["Ebs"]
    aws.ec2.stop_instances(InstanceIds=[machines["kafka1"]["InstanceId"]])
    lost = machines["kafka2"]["InstanceId"]
    aws.ec2.modify_instance_attribute(InstanceId=lost, DisableApiTermination={"Value": False})
    aws.ec2.terminate_instances(InstanceIds=[lost])
    larger = [{"mount": "/srv/kafka/data1", "size": 120}]
    inventory = aws.inventory(
        NAME, kafka_cluster_id=IDS[NAME], kafka_ec2_volumes=larger, kafka_ec2_public_addresses="elastic"
    )
    aws.play("provision_ec2", inventory)
    now = aws.machines(NAME)
    assert now["kafka1"]["InstanceId"] == machines["kafka1"]["InstanceId"]
    assert now["kafka1"]["State"]["Name"] == "running"
    assert now["kafka2"]["InstanceId"] != lost
    attached = next(m for m in now["kafka2"]["BlockDeviceMappings"] if m["DeviceName"] == "/dev/sdf")["Ebs"]
    assert attached["VolumeId"] == volume["VolumeId"]
    sizes = [each["Size"] for each in aws.ec2.describe_volumes(VolumeIds=[volume["VolumeId"]])["Volumes"]]
    assert sizes == [120]
    addresses = aws.ec2.describe_addresses()["Addresses"]
    assert {each["InstanceId"] for each in addresses} == {each["InstanceId"] for each in now.values()}


def test_the_machine_of_a_removed_node_ends_where_it_is_named(aws: Account, built: str) -> None:
    """By the last play of remove_nodes.yml: what is before it needs hosts."""
    assert built
    before = aws.machines(NAME)
    last = yaml.safe_load((ROOT / "playbooks/remove_nodes.yml").read_text())[-1:]
    (aws.home / "last.yml").write_text(yaml.safe_dump(last))
    place, named = os.path.relpath(aws.home / "last", ROOT / "playbooks"), ("-e", "kafka_ec2_terminate=kafka3")
    told = aws.play(place, aws.home / NAME, *named)
    assert "aws ec2 delete-volume --volume-id vol-" in " ".join(told.split())
    assert aws.machines(NAME).keys() == before.keys() - {"kafka3"}
    assert "kafka_ec2_terminate" in aws.play("destroy_ec2", aws.home / NAME, *named, fails=True)


def test_destroying_keeps_data_and_neighbours_until_the_data_are_named(aws: Account, built: str) -> None:
    assert built
    neighbour = aws.neighbour(NEIGHBOUR)
    kept = aws.play("destroy_ec2", aws.home / NAME, "-e", f"kafka_ec2_destroy={NAME}")
    assert "3 data disks remain" in kept
    assert "the Elastic IPs remain" in kept
    assert not aws.machines(NAME)
    filters = [{"Name": "tag:kraftwright_cluster", "Values": [NAME]}]
    assert {each["State"] for each in aws.ec2.describe_volumes(Filters=filters)["Volumes"]} == {"available"}
    aws.play("destroy_ec2", aws.home / NAME, "-e", f"kafka_ec2_delete_data={IDS[NAME]}")
    assert not aws.ec2.describe_volumes(Filters=filters)["Volumes"]
    assert not aws.ec2.describe_vpcs(Filters=filters)["Vpcs"]
    assert not aws.ec2.describe_addresses(Filters=filters)["Addresses"]
    assert not aws.ec2.describe_key_pairs(Filters=filters)["KeyPairs"]
    assert {each["InstanceId"] for each in aws.machines(NEIGHBOUR).values()} == {neighbour}


def test_the_iam_policy_allows_what_was_asked_and_nothing_else(aws: Account) -> None:
    """Runs last: everything above has been asked by then."""
    statements = json.loads((ROOT / "docs/iam-policy.json").read_text())["Statement"]
    allowed = {action for each in statements for action in each["Action"]}
    asked = aws.asked()
    assert len(asked) > 30
    assert asked | ELSEWHERE == allowed
