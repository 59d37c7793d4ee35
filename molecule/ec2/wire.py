"""The lab's network as EC2's: public addresses lead to private ones, and what no security group lets in is dropped."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

Client = Any
TABLE = """\
table inet ec2
delete table inet ec2
table inet ec2 {{
  chain public {{
    type nat hook prerouting priority dstnat
    {lead}
  }}
  chain input {{
    type filter hook input priority filter; policy drop
    iif lo accept
    ct state established,related accept
    {rules}
  }}
}}
"""


def podman(*arguments: str) -> str:
    """Return podman's output."""
    done = subprocess.run(["podman", *arguments], capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout.strip()


def boot(address: str) -> None:
    """Takes the host that has `address` down in good order, and up again."""
    podman("restart", "--time=60", podman("ps", "--quiet", f"--filter=label=kraftwright.address={address}"))


def inside(address: str, *command: str, text: str = "") -> None:
    """Runs a command in the network namespace of the host that has `address`, from outside of it."""
    pid = podman("ps", f"--filter=label=kraftwright.address={address}", "--format={{.Pid}}")
    subprocess.run(["nsenter", "-t", pid, "-n", *command], input=text, text=True, check=True)  # noqa: S603, S607


def enforce(ec2: Client, instance: Any) -> None:
    """Give the host of an instance its recorded public address, and the rules of its groups.

    Packets for the public address are sent to the private one, as AWS does on the way: Kafka listens only there.
    Packets that no group lets in are dropped in silence.
    """
    private, public = instance["PrivateIpAddress"], instance.get("PublicIpAddress")
    lead = f"ip daddr {public} dnat ip to {private}" if public else ""
    if public:
        inside(private, "ip", "address", "replace", f"{public}/32", "dev", "eth0")  # so that the lab finds the way
    table = TABLE.format(lead=lead, rules="\n    ".join(rules(ec2, instance)))
    inside(private, "nft", "-f", "-", text=table)


def groups(instance: Any) -> set[str]:
    """The groups of an instance. moto shows those of a network interface there alone."""
    held = [instance, *instance.get("NetworkInterfaces", ())]
    return {group["GroupId"] for each in held for group in (*each.get("SecurityGroups", ()), *each.get("Groups", ()))}


def members(ec2: Client, group: str) -> list[str]:
    """Private addresses of the instances in a group."""
    instances = [one for each in ec2.describe_instances()["Reservations"] for one in each["Instances"]]
    return [one["PrivateIpAddress"] for one in instances if group in groups(one) and "PrivateIpAddress" in one]


def rules(ec2: Client, instance: Any) -> Iterator[str]:
    """nftables' rules that let in what the instance's groups do; a group stands for its members' addresses."""
    for group in ec2.describe_security_groups(GroupIds=sorted(groups(instance)))["SecurityGroups"]:
        for each in group["IpPermissions"]:
            first, last = each["FromPort"], each["ToPort"]  # the role opens only TCP
            ports = f"tcp dport {first}" if first == last else f"tcp dport {first}-{last}"
            sources = [r["CidrIp"] for r in each["IpRanges"]]
            for pair in each["UserIdGroupPairs"]:
                sources += members(ec2, pair["GroupId"])
            yield from (f"ip saddr {source} {ports} accept" for source in sources)
