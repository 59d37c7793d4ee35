"""An EC2 account on loopback: moto's server, and something that greets like sshd at the machines' addresses."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import yaml

from tests.integration.ec2_double import Double, double
from tests.integration.kafka_node import free_ports

ROOT = Path(__file__).resolve().parents[2]
REGION = "eu-central-1"
WATCHER = "watcher"  # name of the test's own client
VPC = "127.40.0.0/16"  # so that whatever is reached is this machine
ADDRESSES = [f"127.40.{zone}.11" for zone in range(4)]


class Greeter(socketserver.BaseRequestHandler):
    """Sends the greeting of sshd."""

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            self.request.sendall(b"SSH-2.0-greeter\r\n")
            self.request.recv(64)


class Account:
    """moto's account behind the double, an inventory for it, and what was asked of it."""

    def __init__(self, home: Path, ssh_port: int, double: Double, endpoint: str) -> None:
        self.home, self.double, self.endpoint = home, double, endpoint
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "tester",
            "AWS_SECRET_ACCESS_KEY": "of-loopback",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": "/nowhere",
            "NO_COLOR": "1",
            "COLUMNS": "160",
        }
        self.ssh_port = ssh_port
        options = {"region_name": REGION, "endpoint_url": endpoint}
        self.ec2 = boto3.client("ec2", aws_access_key_id=WATCHER, aws_secret_access_key="of-loopback", **options)  # noqa: S106
        (home / "key").touch(mode=0o600)
        self.shared = {
            "ansible_ssh_private_key_file": str(home / "key"),
            "kafka_ec2_public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0wPnTTfpTkYHZEgbi5p7AXtbQ1bIRdJw6pXvVQcX6v",
            "kafka_ec2_ami": "ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64",
            "kafka_archive": "https://mirror.example/kafka_2.13-4.4.0.tgz",
            "kafka_archive_checksum": "sha256:" + "0" * 64,
            "kafka_address": "{{ inventory_hostname }}",
            "kafka_ec2_public_addresses": "none",
            "kafka_ec2_vpc_cidr": VPC,
            "kafka_ec2_client_sources": {"CLIENT": ["127.40.0.0/16"]},
            "kafka_ec2_private_ip": "127.40.{{ kafka_node_id - 1 }}.11",
            "ansible_port": ssh_port,
        }

    def inventory(self, cluster: str, **variables: Any) -> Path:
        """The example's inventory, led to this account."""
        place = self.home / cluster
        if not place.exists():
            shutil.copytree(ROOT / "inventories/ec2", place)
            found = yaml.safe_load((place / "aws_ec2.yml").read_text())
            found["filters"]["tag:kraftwright_cluster"] = cluster
            found["compose"]["ansible_host"] = "ec2_private_ip_address"
            (place / "aws_ec2.yml").write_text(yaml.safe_dump(found))
        given = {**self.shared, "kafka_cluster_name": cluster, **variables}
        (place / "group_vars/kafka/test.yml").write_text(yaml.safe_dump(given))
        return place

    def play(self, playbook: str, inventory: Path, *options: str, fails: bool = False, **environment: str) -> str:
        """Return the output of a playbook; it must succeed, or fail if `fails`."""
        command = [
            str(ROOT / ".venv/bin/ansible-playbook"),
            "-i",
            str(inventory),
            f"playbooks/{playbook}.yml",
            *options,
        ]
        env = {**self.environment, **environment}
        done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
        told = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, told
        return told

    def machines(self, cluster: str) -> dict[str, Any]:
        """Return running instances by host."""
        filters = [{"Name": "tag:kraftwright_cluster", "Values": [cluster]}]
        groups = self.ec2.describe_instances(Filters=filters)["Reservations"]
        living = [i for group in groups for i in group["Instances"] if i["State"]["Name"] != "terminated"]
        return {tag["Value"]: i for i in living for tag in i["Tags"] if tag["Key"] == "kraftwright_host"}

    def group(self, cluster: str) -> dict[str, Any]:
        filters = [{"Name": "group-name", "Values": [f"kafka-brokers-{cluster}"]}]
        group: dict[str, Any] = self.ec2.describe_security_groups(Filters=filters)["SecurityGroups"][0]
        return group

    def rules(self, cluster: str) -> set[tuple[Any, ...]]:
        """(protocol, first, last, source) of what the cluster's group lets in."""
        return {
            (each["IpProtocol"], each["FromPort"], each["ToPort"], source)
            for each in self.group(cluster)["IpPermissions"]
            for source in [
                *(r["CidrIp"] for r in each["IpRanges"]),
                *(r["CidrIpv6"] for r in each["Ipv6Ranges"]),
                *(r["GroupId"] for r in each["UserIdGroupPairs"]),
            ]
        }

    def neighbour(self, cluster: str) -> str:
        """A machine of another cluster; its id."""
        tags = [{"Key": "kraftwright_cluster", "Value": cluster}, {"Key": "kraftwright_host", "Value": "kafka1"}]
        image = self.ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        given = [{"ResourceType": "instance", "Tags": tags}]
        made = self.ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, TagSpecifications=given)
        return str(made["Instances"][0]["InstanceId"])

    def asked(self) -> set[str]:
        """Return ``service:Action`` of all calls of the playbooks, and the rights that tags at creation need besides.

        Calls of the test itself are left out, and ``sts:GetCallerIdentity``, which is always allowed.
        """
        found = set()
        for text in (self.home / "asked").read_text().splitlines():
            line = json.loads(text)
            headers = {key.lower(): value for key, value in line["headers"].items()}
            user, _, _, service, *_ = headers["authorization"].partition("Credential=")[2].split("/")
            if user == WATCHER or service == "sts":
                continue
            if target := headers.get("x-amz-target"):
                found.add(f"{service}:{target.rpartition('.')[2]}")
                continue
            raw = line.get("body") or ""
            body = urllib.parse.parse_qs(base64.b64decode(raw).decode() if line["body_encoded"] else raw)
            found |= {f"{service}:{action}" for action in body.get("Action", [])}
            found |= {"ec2:CreateTags"} if any(key.startswith("TagSpecification") for key in body) else set()
        return found


def free_port() -> int:
    return free_ports(1)[0]


def start_moto(home: Path, port: int, **more: str) -> subprocess.Popen[bytes]:
    """moto's server, which writes down what it is asked; it answers when this returns. `more`: for its environment."""
    command = [sys.executable, str(ROOT / "molecule/ec2/server.py"), str(port), "203.0.113.1"]
    env = {**os.environ, **more, "MOTO_ENABLE_RECORDING": "true", "MOTO_RECORDER_FILEPATH": str(home / "asked")}
    server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return server
        time.sleep(0.1)
    server.kill()
    raise AssertionError("moto's server did not start")


@contextlib.contextmanager
def account(home: Path) -> Iterator[Account]:
    """Start a separate account."""
    port = free_port()
    server = start_moto(home, port)
    with contextlib.ExitStack() as stack:
        stack.callback(server.wait)
        stack.callback(server.kill)
        ssh_port = 0
        for address in ADDRESSES:
            greeter = socketserver.ThreadingTCPServer((address, ssh_port), Greeter)
            greeter.daemon_threads = True
            ssh_port = greeter.server_address[1]
            stack.callback(greeter.server_close)
            stack.callback(greeter.shutdown)
            threading.Thread(target=greeter.serve_forever, daemon=True).start()
        made, endpoint = stack.enter_context(double(port))
        yield Account(home, ssh_port, made, endpoint)
