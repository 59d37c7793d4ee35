"""docs/iam-policy.json in one whole life, enforced by moto, which does not evaluate conditions."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import boto3
import kafka_ec2
import pytest
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.providers.ec2 import model
from ansible.module_utils.kraft.providers.ec2.model import Volume
from botocore.exceptions import ClientError

from tests.integration.ec2_account import REGION, ROOT, free_port, start_moto
from tests.integration.ec2_double import double
from tests.unit.providers.ec2 import scene

POLICY = json.loads((ROOT / "docs/iam-policy.json").read_text())
STATEMENT = [{"Effect": "Allow", "Action": each["Action"], "Resource": "*"} for each in POLICY["Statement"]]
IMAGE = "ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
BEFORE = 10  # calls before moto enforces anything; some of them are repeated
Client = Any


@dataclasses.dataclass
class Enforced:
    """An account in which the user has the policy and nothing else. ``iam``: changes the user's policy."""

    ec2: Client
    iam: Client

    def allow(self, statement: list[dict[str, Any]]) -> None:
        document = json.dumps({"Version": "2012-10-17", "Statement": [*statement, MAY_CHANGE_IT]})
        self.iam.put_user_policy(UserName="kraftwright", PolicyName="policy", PolicyDocument=document)

    def run(self, state: str = "present", **more: Any) -> None:
        given = {"public_addresses": model.ELASTIC, "image": IMAGE, "placement_group": "orders", **more}
        wanted = scene.wanted(nodes=(scene.node(0, volumes=given.pop("volumes", scene.node(0).volumes)),), **given)
        seconds = {"patience": 5.0, "boot": 5.0, "pause": 0.05, "young": 0.0}
        asked = {"wanted": dataclasses.asdict(wanted), "record": {"run": "one"}, "break_run": "one", **seconds}
        done = kafka_ec2.explained({"state": state, "delete_data": True, "terminate": [], **asked})
        assert done["granted"], done

    def run_without(self, actions: list[str], **more: Any) -> None:
        """Run without each of the permissions: the error names it; then run with all."""
        for action in actions:
            less = [{**each, "Action": [one for one in each["Action"] if one != action]} for each in STATEMENT]
            self.allow([each for each in less if each["Action"]])
            with pytest.raises(KraftError, match=rf"{action}\b"):
                self.run(**more)
        self.allow(STATEMENT)
        self.run(**more)

    def clients(self) -> str:
        """A prefix list that is not the cluster's."""
        asked = {"PrefixListName": "clients", "MaxEntries": 5, "AddressFamily": "IPv4"}
        self.allow([*STATEMENT, {"Effect": "Allow", "Action": ["ec2:*"], "Resource": "*"}])
        return str(self.ec2.create_managed_prefix_list(**asked)["PrefixList"]["PrefixListId"])


#: So that a test can take a permission away.
MAY_CHANGE_IT = {"Effect": "Allow", "Action": ["iam:PutUserPolicy"], "Resource": "*"}


@pytest.fixture(scope="module")
def enforced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enforced]:
    port = free_port()
    server = start_moto(tmp_path_factory.mktemp("moto"), port, INITIAL_NO_AUTH_ACTION_COUNT=str(BEFORE))
    stack = contextlib.ExitStack()
    place = {"region_name": REGION, "endpoint_url": stack.enter_context(double(port))[1]}  # one call at a time
    root = {"aws_access_key_id": "root", "aws_secret_access_key": "of-loopback", **place}
    iam = boto3.client("iam", **root)
    iam.create_user(UserName="kraftwright")
    document = json.dumps({"Version": "2012-10-17", "Statement": [*STATEMENT, MAY_CHANGE_IT]})
    iam.put_user_policy(UserName="kraftwright", PolicyName="policy", PolicyDocument=document)
    key = iam.create_access_key(UserName="kraftwright")["AccessKey"]
    for _ in range(BEFORE):
        with contextlib.suppress(ClientError):  # from now on root is refused
            iam.get_user(UserName="kraftwright")
    user = {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
    with stack, pytest.MonkeyPatch.context() as patch:
        for name, value in {**user, "AWS_ENDPOINT_URL": place["endpoint_url"], "AWS_CONFIG_FILE": "/nowhere"}.items():
            patch.setenv(name, value)
        yield Enforced(boto3.client("ec2", **place), boto3.client("iam", **place))
    server.kill()
    server.wait()


#: Each permission at the time at which it is needed first: what comes before it has been done by then.
LATER = ("ec2:DescribeManagedPrefixLists", "ec2:DescribeInstanceAttribute", "ec2:DescribeVolumesModifications")
LOOKS = next(each["Action"] for each in POLICY["Statement"] if each["Sid"] == "Look")
FIRST = [one for one in LOOKS if one not in LATER] + [
    f"ec2:{each}"
    for each in (
        *("CreateKeyPair", "CreateVpc", "CreateSubnet", "CreateInternetGateway", "AttachInternetGateway"),
        *("ModifyVpcAttribute", "CreateRouteTable", "CreateRoute", "AssociateRouteTable", "ImportKeyPair"),
        *("CreateSecurityGroup", "AuthorizeSecurityGroupIngress", "RunInstances", "CreateVolume", "AttachVolume"),
        *("CreateTags", "AllocateAddress", "AssociateAddress"),
    )
]
CHANGE = [
    *LATER[:2],
    *("ec2:RevokeSecurityGroupIngress", "ec2:UpdateSecurityGroupRuleDescriptionsIngress", "ec2:StartInstances"),
    *("ec2:ModifyInstanceAttribute", LATER[2], "ec2:ModifyVolume"),
]
REMOVE = [
    f"ec2:{each}"
    for each in (
        *("TerminateInstances", "ReleaseAddress", "DeleteVolume", "DeleteSecurityGroup", "DeleteKeyPair"),
        *("DeleteSubnet", "DisassociateRouteTable", "DeleteRouteTable", "DetachInternetGateway"),
        *("DeleteInternetGateway", "DeleteVpc"),
    )
]


def test_each_permission_is_taken_away_once() -> None:
    every = {one for each in STATEMENT for one in each["Action"]}
    assert sorted([*FIRST, *CHANGE, *REMOVE]) == sorted(every)


@pytest.mark.long
def test_the_policy_is_enough_for_a_whole_life_and_a_missing_permission_is_named(enforced: Enforced) -> None:
    enforced.run_without(FIRST)
    listed = enforced.clients()
    sources = (*scene.RULES[1:], model.Rule(9094, 9094, listed))
    changed: dict[str, Any] = {
        "rules": tuple(dataclasses.replace(each, reason="listener NEW") for each in sources),
        "tags": {"team": "data"},
        "volumes": (Volume(scene.MOUNT, 120),),
        "protection": True,
    }
    machine = enforced.ec2.describe_instances()["Reservations"][0]["Instances"][0]["InstanceId"]
    enforced.ec2.stop_instances(InstanceIds=[machine])
    enforced.run_without(CHANGE, **changed)
    enforced.ec2.modify_instance_attribute(InstanceId=machine, DisableApiTermination={"Value": False})
    enforced.ec2.terminate_instances(InstanceIds=[machine])
    enforced.run(**{**changed, "protection": False})  # moto does not keep it at launch
    enforced.run_without(REMOVE, state="absent")
    assert enforced.ec2.describe_volumes()["Volumes"] == []
    assert [each["IsDefault"] for each in enforced.ec2.describe_vpcs()["Vpcs"]] == [True]
