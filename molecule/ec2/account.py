"""An EC2 account for the scenario: moto's server on loopback, a part of the lab's network as a VPC, a neighbour.

``python account.py start|stop|filter|halt|expose|hide|foreign|check STATE_DIR``

- ``start``: the server, AWS's configuration files that lead to it, a VPC with a subnet for each host (moto lets one be
  of a single address), a neighbour's instance. The hosts are those of ``lab.yml``. The VPC is the lower end of the
  lab's network, which the last of them is not in; public addresses are of its upper end.
- ``filter``: public addresses and security groups as they are now are made real on each host.
- ``halt``: kafka2's machine is stopped, as another person may do it; its host goes down and comes up again.
  Prints the public address that is lost.
- ``expose``: the controllers' port opened on a second group, as by hand; ``foreign``: a rule in the cluster's
  own group.
- ``hide``: that second group away again.
- ``check``: what is left: prints the hosts of the cluster's and the neighbour's living instances as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wire
import yaml

REGION, CLUSTER = "eu-central-1", "molecule-ec2"
CONFIG = "[default]\nregion = {region}\nendpoint_url = http://127.0.0.1:{port}\n"
CREDENTIALS = "[default]\naws_access_key_id = molecule\naws_secret_access_key = of-loopback\n"
Client = Any


def lab(state: Path) -> dict[str, str]:
    """Host -> address."""
    hosts = yaml.safe_load((state / "lab.yml").read_text())["all"]["hosts"]
    return {host: each["ansible_host"] for host, each in hosts.items()}


def client(state: Path) -> Client:
    """boto3's, led to the scenario's server."""
    os.environ["AWS_CONFIG_FILE"] = str(state / "aws_config")
    os.environ["AWS_SHARED_CREDENTIALS_FILE"] = str(state / "aws_credentials")
    import boto3  # noqa: PLC0415 - reads the two variables

    return boto3.client("ec2")


def network(state: Path) -> str:
    """The first three numbers of every address of the lab."""
    return next(iter(lab(state).values())).rpartition(".")[0]


def start(state: Path) -> None:
    """The server, and what the user of a real account would have."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(Path(__file__).with_name("server.py")), str(port), f"{network(state)}.101"]
    with (state / "moto.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)  # noqa: S603
    (state / "moto.pid").write_text(str(server.pid))
    (state / "aws_config").write_text(CONFIG.format(region=REGION, port=port))
    (state / "aws_credentials").write_text(CREDENTIALS)
    wait(port)
    furnish(state, client(state))


def wait(port: int, seconds: float = 240) -> None:
    """Until the server answers."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    sys.exit("moto's server did not start")


def furnish(state: Path, ec2: Client) -> None:
    """A VPC that is the lab's network, a subnet for each node, and a neighbour's machine in it."""
    addresses, lowest = lab(state), network(state)
    vpc = ec2.create_vpc(CidrBlock=f"{lowest}.0/28")["Vpc"]["VpcId"]
    nodes = [host for host in addresses if host.startswith("kafka")]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"{addresses[host]}/32", AvailabilityZone=f"{REGION}{zone}")["Subnet"]
        for host, zone in zip(nodes, "abc")
    ]
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    tags = [{"Key": "kraftwright_cluster", "Value": "neighbour"}, {"Key": "kraftwright_host", "Value": "kafka1"}]
    ec2.run_instances(
        ImageId=image, MinCount=1, MaxCount=1, TagSpecifications=[{"ResourceType": "instance", "Tags": tags}]
    )
    made = {"vpc": vpc, "subnets": [each["SubnetId"] for each in subnets], "image": image, "gateway": f"{lowest}.1"}
    (state / "account.json").write_text(json.dumps(made))


def stop(state: Path) -> None:
    """The server's end."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        os.kill(int((state / "moto.pid").read_text()), signal.SIGTERM)
    for name in ("moto.pid", "moto.log", "aws_config", "aws_credentials", "account.json"):
        (state / name).unlink(missing_ok=True)


def instances(ec2: Client, cluster: str) -> dict[str, Any]:
    """Living instances by host."""
    filters = [
        {"Name": "tag:kraftwright_cluster", "Values": [cluster]},
        {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]},
    ]
    found = [each for group in ec2.describe_instances(Filters=filters)["Reservations"] for each in group["Instances"]]
    return {tag["Value"]: each for each in found for tag in each["Tags"] if tag["Key"] == "kraftwright_host"}


def enforce(state: Path) -> None:
    ec2 = client(state)
    for instance in instances(ec2, CLUSTER).values():
        wire.enforce(ec2, instance)


def halt(state: Path) -> None:
    ec2 = client(state)
    machine = instances(ec2, CLUSTER)["kafka2"]
    ec2.stop_instances(InstanceIds=[machine["InstanceId"]])
    wire.boot(machine["PrivateIpAddress"])
    sys.stdout.write(machine["PublicIpAddress"])


def open_controller(ec2: Client, group: str) -> None:
    anybody = [{"CidrIp": "0.0.0.0/0"}]
    permission = {"IpProtocol": "tcp", "FromPort": 19093, "ToPort": 19093, "IpRanges": anybody}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])


def expose(state: Path) -> None:
    """A second group on one machine, which opens the controllers' port to everybody."""
    ec2 = client(state)
    machine = instances(ec2, CLUSTER)["kafka2"]
    vpc = json.loads((state / "account.json").read_text())["vpc"]
    made = ec2.create_security_group(GroupName="by-hand", Description="by hand", VpcId=vpc)["GroupId"]
    open_controller(ec2, made)
    groups = [*sorted(wire.groups(machine)), made]
    ec2.modify_instance_attribute(InstanceId=machine["InstanceId"], Groups=groups)


def hide(state: Path) -> None:
    """That group away again."""
    ec2 = client(state)
    machine = instances(ec2, CLUSTER)["kafka2"]
    groups = [each["GroupId"] for each in machine["SecurityGroups"] if each["GroupName"] != "by-hand"]
    ec2.modify_instance_attribute(InstanceId=machine["InstanceId"], Groups=groups)


def foreign(state: Path) -> None:
    """Add a rule to the cluster's own group that is not in the inventory."""
    ec2 = client(state)
    named = [{"Name": "group-name", "Values": [f"kafka-brokers-{CLUSTER}"]}]
    open_controller(ec2, ec2.describe_security_groups(Filters=named)["SecurityGroups"][0]["GroupId"])


def check(state: Path) -> None:
    ec2 = client(state)
    left = {name: sorted(instances(ec2, name)) for name in (CLUSTER, "neighbour")}
    sys.stdout.write(json.dumps(left) + "\n")


VERBS: dict[str, Callable[[Path], None]] = {
    "start": start,
    "stop": stop,
    "filter": enforce,
    "halt": halt,
    "expose": expose,
    "hide": hide,
    "foreign": foreign,
    "check": check,
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](Path(sys.argv[2]))
