"""EC2 as AWS behaves: late, refusing, ending machines, with runs that are killed or come two at once."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import multiprocessing
import signal
import time
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import kafka_ec2
import pytest
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.providers.ec2 import key_pairs, machines, model, waiting
from ansible.module_utils.kraft.providers.ec2.model import Desired

from tests.integration.ec2_account import REGION, free_port, start_moto
from tests.integration.ec2_double import CHANGED, MADE, Call, Clock, Double, double
from tests.unit.providers.ec2 import scene

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0wPnTTfpTkYHZEgbi5p7AXtbQ1bIRdJw6pXvVQcX6v"
FORK = multiprocessing.get_context("fork")
Client = Any


@dataclasses.dataclass
class Place:
    """An account behind the double. ``ec2``: client of moto itself."""

    double: Double
    endpoint: str
    ec2: Client
    image: str
    runs: int = 0
    seconds: dict[str, float] = dataclasses.field(
        default_factory=lambda: {"patience": 8.0, "boot": 8.0, "pause": 0.05, "young": 0.0}
    )

    def wanted(self, cluster: str, **more: Any) -> Desired:
        given = {"cluster": cluster, "image": self.image, "public_key": KEY, "public_addresses": model.ELASTIC}
        return scene.wanted(**{**given, **more})

    def parameters(self, wanted: Desired, break_run: str = "") -> dict[str, Any]:
        self.runs += 1
        record = {"run": f"run-{self.runs}", "who": "tester@here", "process": "1 1", "since": "now"}
        shown = {"wanted": dataclasses.asdict(wanted), "record": record, "break_run": break_run, **self.seconds}
        return {"state": "present", "delete_data": False, **shown}

    def apply(self, wanted: Desired, break_run: str = "") -> dict[str, Any]:
        done = kafka_ec2.explained(self.parameters(wanted, break_run))
        assert done["granted"], done
        return done

    def killed(self, wanted: Desired, at: int) -> bool:
        """Kill a run at its changing call `at`; return False if it ended before."""
        parameters = self.parameters(wanted)
        child = FORK.Process(target=kafka_ec2.explained, args=(parameters,))
        self.double.calls.clear()
        self.double.kill = at
        child.start()
        self.double.victim = child.pid or 0
        child.join()
        self.double.kill = self.double.victim = 0
        assert child.exitcode in (0, -signal.SIGKILL)
        return child.exitcode != 0

    def machine(self, cluster: str) -> dict[str, Any]:
        """Its only machine that has not ended."""
        own = [{"Name": "tag:kraftwright_cluster", "Values": [cluster]}]
        found = [i for each in self.ec2.describe_instances(Filters=own)["Reservations"] for i in each["Instances"]]
        (living,) = [each for each in found if each["State"]["Name"] not in ("terminated", "shutting-down")]
        return dict(living)

    def everything(self, cluster: str) -> Counter[str]:
        """Return the number of things of each kind that carry the cluster's name; ended machines aside."""
        own = [{"Name": "tag:kraftwright_cluster", "Values": [cluster]}]
        listed = {
            "vpc": self.ec2.describe_vpcs(Filters=own)["Vpcs"],
            "subnet": self.ec2.describe_subnets(Filters=own)["Subnets"],
            "gateway": self.ec2.describe_internet_gateways(Filters=own)["InternetGateways"],
            "table": self.ec2.describe_route_tables(Filters=own)["RouteTables"],
            "group": self.ec2.describe_security_groups(Filters=own)["SecurityGroups"],
            "key": self.ec2.describe_key_pairs(Filters=own)["KeyPairs"],
            "address": [a for a in self.ec2.describe_addresses(Filters=own)["Addresses"] if a.get("InstanceId")],
            "free address": [
                a for a in self.ec2.describe_addresses(Filters=own)["Addresses"] if not a.get("InstanceId")
            ],
            "disk": [v for v in self.ec2.describe_volumes(Filters=own)["Volumes"] if v["State"] == "in-use"],
            "free disk": [v for v in self.ec2.describe_volumes(Filters=own)["Volumes"] if v["State"] != "in-use"],
            "machine": [
                each
                for group in self.ec2.describe_instances(Filters=own)["Reservations"]
                for each in group["Instances"]
                if each["State"]["Name"] not in ("terminated", "shutting-down")
            ],
        }
        return Counter({kind: len(each) for kind, each in listed.items() if each})


#: Three nodes: two disks each, the root disk one of them.
WHOLE = Counter(
    {"vpc": 1, "subnet": 3, "gateway": 1, "table": 1, "group": 1, "key": 1, "address": 3, "disk": 6, "machine": 3}
)
ONE = Counter(
    {"vpc": 1, "subnet": 1, "gateway": 1, "table": 1, "group": 1, "key": 1, "address": 1, "disk": 2, "machine": 1}
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    port = free_port()
    server = start_moto(tmp_path_factory.mktemp("moto"), port)
    set_ = {"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "of-loopback"}
    with double(port) as (made, endpoint), pytest.MonkeyPatch.context() as patch:
        for name, value in {**set_, "AWS_ENDPOINT_URL": endpoint, "AWS_CONFIG_FILE": "/nowhere"}.items():
            patch.setenv(name, value)
        ec2 = boto3.client("ec2", region_name=REGION, endpoint_url=f"http://127.0.0.1:{port}")
        yield Place(made, endpoint, ec2, ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"])
    server.kill()
    server.wait()


@pytest.fixture
def aws(place: Place) -> Place:
    """The account, with a double that does nothing yet."""
    place.double.calls.clear()
    place.double.hide, place.double.late, place.double.refuse = {}, {}, {}
    place.double.end, place.double.hook = "", None
    place.double.lose = {}
    place.double.throttle = place.double.page = place.double.expire = 0
    place.double.kill = place.double.victim = 0
    return place


def own(cluster: str) -> dict[str, Any]:
    """Filter of what carries the cluster's name."""
    return {"Name": "tag:kraftwright_cluster", "Values": [cluster]}


def one_node(aws: Place, cluster: str, **more: Any) -> Desired:
    return aws.wanted(cluster, nodes=(scene.node(0),), cluster_id=f"{cluster}-id", **more)


def test_three_nodes_are_made_with_few_calls_and_made_once(aws: Place) -> None:
    wanted = aws.wanted("three")
    aws.apply(wanted)
    assert aws.everything("three") == WHOLE
    assert len(aws.double.calls) <= 90
    aws.double.calls.clear()
    aws.apply(wanted)
    assert set(aws.double.changes) == {"CreateKeyPair", "DeleteKeyPair"}


#: Nodes, first changing call, calls between two deaths. Together the long ones die at every change.
DEATHS = [
    (1, 1, 6),
    *(pytest.param(*each, marks=pytest.mark.long) for each in ((1, 1, 1), (3, 1, 3), (3, 2, 3), (3, 3, 3))),
]


@pytest.mark.parametrize(("nodes", "at", "step"), DEATHS)
def test_a_run_that_is_killed_at_any_change_is_completed_by_the_next_one(
    aws: Place, nodes: int, at: int, step: int
) -> None:
    first = at
    while True:
        wanted = one_node(aws, f"killed-{nodes}-{first}-{step}-{at}")
        wanted = dataclasses.replace(wanted, nodes=tuple(map(scene.node, range(nodes))))
        if not aws.killed(wanted, at):
            break
        aws.apply(wanted, break_run=f"run-{aws.runs}")
        assert aws.everything(wanted.cluster) == (WHOLE if nodes > 1 else ONE), at
        at += step
    assert at > (30 if nodes > 1 else 17)


LATE = 20.0  # seconds


@pytest.fixture
def clock(aws: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """Pauses cost no time, so that the module waits as it does by default."""
    made = Clock()
    monkeypatch.setattr(waiting, "time", made)
    monkeypatch.setattr(aws, "seconds", {"patience": 120.0, "boot": 600.0, "pause": 5.0, "young": 0.0})
    aws.double.clock = made.monotonic
    yield made
    aws.double.clock = time.monotonic


@pytest.mark.parametrize("late", ["all", *(pytest.param(each, marks=pytest.mark.long) for each in (*MADE, *CHANGED))])
def test_what_aws_shows_late_is_waited_for_and_made_once(aws: Place, clock: Clock, late: str) -> None:
    """Seen twenty seconds later: each kind alone, and all of them at once."""
    wanted = one_node(aws, f"late-{late.lower()}")
    calls = (*MADE, *CHANGED) if late == "all" else (late,)
    aws.double.hide = aws.double.late = dict.fromkeys(calls, LATE)
    aws.apply(wanted)
    machine = aws.machine(wanted.cluster)
    if late not in MADE:
        assert aws.everything(wanted.cluster) == ONE
        aws.ec2.stop_instances(InstanceIds=[machine["InstanceId"]])
        wanted = dataclasses.replace(
            wanted,
            nodes=(scene.node(0, volumes=(model.Volume(scene.MOUNT, 120),)),),
            rules=(*wanted.rules, model.Rule(9094, 9094, "10.41.0.0/16")),
            tags={"team": "data"},
        )
        aws.apply(wanted)
    assert clock.now >= LATE
    assert aws.everything(wanted.cluster) == ONE
    assert aws.machine(wanted.cluster)["InstanceId"] == machine["InstanceId"]
    clock.sleep(LATE)
    aws.double.calls.clear()
    aws.apply(wanted)
    assert set(aws.double.changes) == {"CreateKeyPair", "DeleteKeyPair"}


@pytest.mark.later
def test_a_busy_account_with_pages_of_one_item_gets_one_cluster(aws: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of all calls is throttled, page tokens expire; botocore's pauses are left out."""
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    wanted = aws.wanted("busy", cluster_id="busy-id")
    aws.double.throttle, aws.double.page, aws.double.expire = 0.2, 1, 2
    aws.apply(wanted)
    assert aws.everything("busy") == WHOLE
    aws.double.calls.clear()
    aws.apply(wanted)
    assert set(aws.double.changes) == {"CreateKeyPair", "DeleteKeyPair"}
    kafka_ec2.explained({**aws.parameters(wanted), "state": "absent", "delete_data": True, "terminate": []})
    assert aws.everything("busy") == Counter()


def test_a_machine_that_still_starts_gets_its_address_once_it_runs(aws: Place) -> None:
    """A run without data disks that was killed after the launch: AWS refuses the address of a pending machine."""
    wanted = dataclasses.replace(one_node(aws, "pending"), nodes=(scene.node(0, volumes=()),))
    aws.double.refuse = {"AllocateAddress": ["AddressLimitExceeded"]}
    with pytest.raises(KraftError, match="AddressLimitExceeded"):
        aws.apply(wanted)
    aws.double.calls.clear()
    aws.apply(wanted)
    made = [(each.action, "InstanceId.1" in each.parameters) for each in aws.double.calls]
    assert made.index(("DescribeInstances", True)) < made.index(("AllocateAddress", False))


@pytest.mark.parametrize("lost", ["all", *(pytest.param(each, marks=pytest.mark.long) for each in MADE)])
def test_a_lost_answer_makes_nothing_twice(aws: Place, monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    """The call had its effect; botocore repeats calls without an answer."""
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    wanted = one_node(aws, f"lost-{lost.lower()}")
    aws.double.lose = dict.fromkeys(MADE if lost == "all" else (lost,), 1)
    for _ in MADE:
        with contextlib.suppress(KraftError):
            aws.apply(wanted)
            break
    assert aws.everything(wanted.cluster) == ONE


def test_a_clock_that_is_wrong_makes_no_disk_twice(aws: Place, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=4)
    wrong = SimpleNamespace(timezone=datetime.timezone, datetime=SimpleNamespace(now=lambda _: fast))
    monkeypatch.setattr(machines, "datetime", wrong)
    wanted = one_node(aws, "clock")
    aws.double.hide = {"CreateVolume": LATE}
    aws.apply(wanted)
    assert clock.now >= LATE
    assert aws.everything("clock") == ONE


def test_what_aws_never_shows_ends_with_the_words_run_again(aws: Place) -> None:
    wanted = one_node(aws, "never")
    aws.double.hide = {"RunInstances": 60}
    parameters = {**aws.parameters(wanted), "boot": 0.5, "patience": 0.5}
    with pytest.raises(KraftError, match=r"kafka1.*|Run again"):
        kafka_ec2.explained(parameters)
    assert "AllocateAddress" not in aws.double.changes
    aws.double._young.clear()
    aws.apply(wanted)
    assert aws.everything(wanted.cluster) == ONE


@pytest.mark.later
def test_a_machine_that_ends_at_launch_says_why_and_costs_no_address(aws: Place) -> None:
    wanted = one_node(aws, "dies")
    aws.double.end = "Client.VolumeLimitExceeded"
    for _ in range(2):
        with pytest.raises(
            KraftError, match=r"kafka1: i-\w+ ended at launch \(Client.VolumeLimitExceeded.*quota of volumes"
        ):
            aws.apply(wanted)
    assert aws.everything("dies")["free address"] == 0
    aws.double.end = ""
    aws.apply(wanted)
    assert aws.everything("dies") == ONE


@pytest.mark.later
def test_two_control_machines_make_one_cluster(aws: Place) -> None:
    wanted, second = one_node(aws, "twice"), list[dict[str, Any]]()

    def meanwhile(call: Call) -> None:
        if call.action == "CreateVolume" and not second:
            second.append({})
            second[0] = kafka_ec2.explained(aws.parameters(wanted))

    aws.double.hook = meanwhile
    aws.apply(wanted)
    assert (second[0]["granted"], second[0]["holder"]["who"]) == (False, "tester@here")
    assert aws.everything("twice") == ONE


@pytest.mark.later
def test_a_lock_that_aws_shows_late_is_waited_for_and_never_deleted(aws: Place, clock: Clock) -> None:
    wanted = one_node(aws, "lock")
    aws.apply(wanted)
    aws.double.hide = {"CreateKeyPair": LATE}
    taken = {"ResourceType": "key-pair", "Tags": [{"Key": "kraftwright_lock_run", "Value": "another"}]}
    other = boto3.client("ec2", region_name=REGION, endpoint_url=aws.endpoint)
    other.create_key_pair(KeyName=key_pairs.lock_name("lock"), TagSpecifications=[taken])
    aws.double.calls.clear()
    done = kafka_ec2.explained({**aws.parameters(wanted), "young": LATE})
    assert (done["granted"], done["holder"]["run"]) == (False, "another")
    assert clock.now >= LATE
    assert "DeleteKeyPair" not in aws.double.changes


def test_destroying_keeps_a_disk_that_aws_would_delete_with_its_machine_and_removes_a_free_gateway(aws: Place) -> None:
    """As a machine that a person launched with its disks: AWS deletes these with it by default."""
    wanted = one_node(aws, "keeps")
    aws.apply(wanted)
    machine = aws.machine("keeps")["InstanceId"]
    doomed = [{"DeviceName": "/dev/sdf", "Ebs": {"DeleteOnTermination": True}}]
    aws.ec2.modify_instance_attribute(InstanceId=machine, BlockDeviceMappings=doomed)
    aws.apply(wanted)
    mappings = {each["DeviceName"]: each["Ebs"] for each in aws.machine("keeps")["BlockDeviceMappings"]}
    assert not mappings["/dev/sdf"]["DeleteOnTermination"]
    aws.ec2.modify_instance_attribute(InstanceId=machine, BlockDeviceMappings=doomed)
    (gateway,) = aws.ec2.describe_internet_gateways(Filters=[own("keeps")])["InternetGateways"]
    place = {"InternetGatewayId": gateway["InternetGatewayId"], "VpcId": gateway["Attachments"][0]["VpcId"]}
    aws.ec2.detach_internet_gateway(**place)
    kafka_ec2.explained({**aws.parameters(wanted), "state": "absent", "terminate": []})
    assert {kind: count for kind, count in aws.everything("keeps").items() if "address" not in kind} == {"free disk": 1}


def test_no_capacity_is_told_after_seconds_and_leaves_no_disk(aws: Place) -> None:
    wanted = one_node(aws, "full")
    aws.double.refuse = {"RunInstances": ["InsufficientInstanceCapacity"] * 100}
    aws.double.status = 500
    try:
        with pytest.raises(KraftError, match="kafka_ec2_zone or kafka_ec2_instance_type"):
            aws.apply(wanted)
    finally:
        aws.double.status = 400
    assert [each.action for each in aws.double.calls].count("RunInstances") <= 4
    assert "CreateVolume" not in aws.double.changes  # another zone can be chosen


def test_addresses_beyond_the_quota_are_refused_before_the_first_change(aws: Place) -> None:
    wanted = aws.wanted("quota")
    aws.double.addresses = len(aws.ec2.describe_addresses()["Addresses"]) + 2
    try:
        with pytest.raises(KraftError, match="can allocate 2 more"):
            aws.apply(wanted)
    finally:
        aws.double.addresses = 1000
    assert set(aws.double.changes) == {"CreateKeyPair", "DeleteKeyPair"}


def test_disks_are_known_by_id_and_mount_whatever_their_order(aws: Place) -> None:
    first, second = model.Volume("/srv/a", 10), model.Volume("/srv/b", 20)
    wanted = one_node(aws, "order")
    alone = dataclasses.replace(wanted, nodes=(scene.node(0, volumes=(first,)),))
    aws.apply(alone)
    both = dataclasses.replace(wanted, nodes=(scene.node(0, volumes=(second, first)),))
    aws.apply(both)
    own = [{"Name": "tag:kraftwright_cluster", "Values": ["order"]}, {"Name": "tag-key", "Values": [model.MOUNT]}]
    volumes = aws.ec2.describe_volumes(Filters=own)["Volumes"]
    mounts = {tag["Value"]: v["VolumeId"] for v in volumes for tag in v["Tags"] if tag["Key"] == model.MOUNT}
    assert {v["State"] for v in volumes} == {"in-use"}
    named = [{"Name": "tag:kraftwright_cluster", "Values": ["order"]}]
    machine = aws.ec2.describe_instances(Filters=named)["Reservations"][0]["Instances"][0]
    tags = {tag["Key"]: tag["Value"] for tag in machine["Tags"]}
    assert {mount: tags[model.DISK + mount] for mount in mounts} == mounts
    assert len(mounts) == 2


@pytest.mark.later
def test_sources_by_id_and_what_a_machine_is_launched_with_are_made_and_found_again(aws: Place) -> None:
    iam = boto3.client("iam", region_name=REGION, endpoint_url=aws.ec2.meta.endpoint_url)
    iam.create_instance_profile(InstanceProfileName="nodes")
    listed = aws.ec2.create_managed_prefix_list(PrefixListName="clients", MaxEntries=5, AddressFamily="IPv4")
    vpc = aws.ec2.create_vpc(CidrBlock="10.99.0.0/16")["Vpc"]["VpcId"]
    groups = [aws.ec2.create_security_group(GroupName=f"g{at}", Description="g", VpcId=vpc)["GroupId"] for at in (1, 2)]
    rules = (
        *scene.RULES,
        model.Rule(9092, 9092, listed["PrefixList"]["PrefixListId"]),
        model.Rule(9092, 9092, groups[0]),
        model.Rule(9092, 9092, groups[1], account="210987654321"),
    )
    more = {"user_data": "#cloud-config", "placement_group": "orders", "rules": tuple(sorted(rules))}
    wanted = one_node(aws, "extras", instance_profile="nodes", **more)
    wanted = dataclasses.replace(wanted, nodes=(scene.node(0, partition=2),))
    unfit: tuple[dict[str, Any], ...] = ({"placement_group": "others"}, {"nodes": (scene.node(0, partition=4),)})
    for wrong in unfit:
        with pytest.raises(KraftError, match=r"is no placement group of|is more than the 3 of orders"):
            aws.apply(dataclasses.replace(wanted, **wrong))
    assert set(aws.double.changes) == {"CreateKeyPair", "DeleteKeyPair"}
    aws.apply(wanted)
    launched = next(each.parameters for each in aws.double.calls if each.action == "RunInstances")
    assert launched["IamInstanceProfile.Name"] == "nodes"
    assert base64.b64decode(launched["UserData"]) == b"#cloud-config"
    assert (launched["Placement.GroupName"], launched["Placement.PartitionNumber"]) == ("orders", "2")
    asked = next(each.parameters for each in aws.double.calls if each.action == "AuthorizeSecurityGroupIngress")
    assert {listed["PrefixList"]["PrefixListId"], *groups, "210987654321"} <= set(asked.values())
    aws.double.calls.clear()
    aws.apply(wanted)
    assert set(aws.double.changes) == {"CreateKeyPair", "DeleteKeyPair"}
    assert "DescribeManagedPrefixLists" not in {each.action for each in aws.double.calls}
    with pytest.raises(KraftError, match="sees no such security group"):
        aws.apply(dataclasses.replace(wanted, rules=(*wanted.rules, model.Rule(9092, 9092, "sg-0a1b2c3d"))))


def test_each_thing_has_its_tags_from_the_call_that_makes_it(aws: Place) -> None:
    aws.apply(one_node(aws, "tagged"))
    made = [each for each in aws.double.calls if each.action in MADE]
    assert len(made) == len(MADE)
    for each in made:
        assert "tagged" in {value for key, value in each.parameters.items() if key.startswith("TagSpecification")}
