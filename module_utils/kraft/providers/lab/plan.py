"""Desired state, current state and plan of a lab on one machine; pure.

A lab is a network and hosts on it. Both have the lab's name as a label, hosts their own name and address, too.
So podman alone holds the state, and a lab that was killed half-way is found again.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

LAB, HOST, ADDRESS = "kraftwright.lab", "kraftwright.host", "kraftwright.address"
FIRST_ADDRESS = 11  # of the subnet; those below are the gateway's and spare
POOLS = ("10.89.0.0/16", "172.30.0.0/16", "192.168.128.0/17")
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?")
SIZE = re.compile(r"[1-9][0-9]*[MG]")
SMALLEST_MB = 16  # of an ext4 with a journal
IMAGE = ".img"  # ends the name of a file that holds a disk
KEYS = ("id_ed25519", "host_ed25519")  # lets us in; by which hosts are known
MOUNTS = {
    "authorized_keys": "/home/ops/.ssh/authorized_keys",
    "host_ed25519": "/etc/ssh/ssh_host_ed25519_key",
    "host_ed25519.pub": "/etc/ssh/ssh_host_ed25519_key.pub",
}


@dataclasses.dataclass(frozen=True)
class Desired:
    """The lab as it should be. By host: ``releases``, which end an image's tag; ``options``: more of ``podman run``.

    ``disks``: by host and path, the size of a separate filesystem there (``512M``, ``2G``).
    """

    name: str
    hosts: tuple[str, ...]
    image: str
    state_dir: str
    subnet: str = ""  #: CIDR; empty: one that is free
    memory: str = ""
    nofile: int = 20000
    options: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    releases: Mapping[str, str] = dataclasses.field(default_factory=dict)
    disks: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)

    def image_of(self, host: str) -> str:
        return f"{self.image}-{self.releases[host]}" if host in self.releases else self.image


@dataclasses.dataclass(frozen=True)
class Disk:
    """A filesystem of a host's own: podman's volume, the file that holds it, where the host has it, and its size."""

    volume: str
    file: str
    path: str
    size: str


@dataclasses.dataclass(frozen=True)
class Host:
    """A host that exists, running or not."""

    address: str
    running: bool
    image: str


@dataclasses.dataclass(frozen=True)
class Current:
    """The lab as it is. ``subnet`` is empty without a network; ``taken`` holds subnets in use by anyone else."""

    subnet: str = ""
    hosts: Mapping[str, Host] = dataclasses.field(default_factory=dict)
    taken: tuple[str, ...] = ()
    foreign_network: bool = False
    keys: bool = False


@dataclasses.dataclass(frozen=True)
class Plan:
    """Planned actions. ``addresses`` are those of all wanted hosts, in their order."""

    subnet: str
    make_network: bool
    create: tuple[str, ...]
    start: tuple[str, ...]
    addresses: Mapping[str, str]
    outdated: tuple[str, ...] = ()  #: hosts that were made from another image; they are left as they are


def overlaps(subnet: str, others: Iterable[str]) -> bool:
    """Check whether a CIDR shares addresses with one of `others`."""
    network = ipaddress.ip_network(subnet)
    return any(network.overlaps(ipaddress.ip_network(other)) for other in others)


def free_subnets(taken: Sequence[str]) -> Iterator[str]:
    """Yield private /24 networks that overlap with nothing in `taken`, always in the same order."""
    candidates = (str(net) for pool in POOLS for net in ipaddress.ip_network(pool).subnets(new_prefix=24))
    return (candidate for candidate in candidates if not overlaps(candidate, taken))


def routes(table: str) -> tuple[str, ...]:
    """Return destinations in the text of ``/proc/net/route`` (hex, lowest byte first), without the default route."""
    found = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        destination, mask = (bytes.fromhex(fields[i])[::-1] for i in (1, 7))
        if any(mask):
            found.append(f"{ipaddress.ip_address(destination)}/{bin(int.from_bytes(mask, 'big')).count('1')}")
    return tuple(found)


def assign(hosts: Sequence[str], existing: Mapping[str, str], subnet: str) -> dict[str, str]:
    """Return host -> address: existing ones keep theirs, in any order; new ones get the lowest that is free."""
    used = set(existing.values())
    behind_the_first = islice(ipaddress.ip_network(subnet).hosts(), FIRST_ADDRESS - 1, None)
    free = (str(address) for address in behind_the_first if str(address) not in used)
    return {host: existing.get(host) or next(free, "") for host in hosts}


def leased(error: str) -> str:
    """Return the address that podman refuses because another container holds it; '' for other errors."""
    refused = re.search(r"requested ip address ([0-9a-f.:]+) is already allocated", error)
    return refused[1] if refused else ""


def moved(plan: Plan, host: str, refused: Collection[str]) -> Plan:
    """Return the plan with `host` at the lowest address neither taken nor `refused`; '' if there is none."""
    others = {name: address for name, address in plan.addresses.items() if name != host}
    taken = {**others, **{f"refused {address}": address for address in refused}}
    address = assign([host], taken, plan.subnet)[host]
    return dataclasses.replace(plan, addresses={**plan.addresses, host: address})


def lab_refusals(wanted: Desired, found: Current) -> list[str]:
    """Return why the lab cannot be made; each with its remedy. Empty if it can."""
    bad = [n for n in (wanted.name, *wanted.hosts) if not NAME.fullmatch(n)]
    out = [
        f"{n!r} is no name for a lab or host: use lower-case letters, digits and inner dashes, 52 at most" for n in bad
    ]
    out += [
        f"host {h!r} is named twice in kafka_lab_hosts"
        for h in sorted({h for h in wanted.hosts if wanted.hosts.count(h) > 1})
    ]
    out += [
        f"{variable} names {h!r}, which is not in kafka_lab_hosts"
        for variable, by_host in (
            ("kafka_lab_options", wanted.options),
            ("kafka_lab_releases", wanted.releases),
            ("kafka_lab_disks", wanted.disks),
        )
        for h in by_host
        if h not in wanted.hosts
    ]
    out += disk_problems(wanted.disks)
    if found.foreign_network:
        out.append(
            f"podman has a network {wanted.name!r} that no lab made; choose another kafka_lab_name, or remove that"
        )
    if found.hosts and not found.keys:
        out.append(
            f"keys in {wanted.state_dir} are gone, and the hosts know no others; destroy the lab, then create it"
        )
    if nowhere := [h for h, host in found.hosts.items() if not host.address]:
        out.append(f"hosts without a known address: {', '.join(nowhere)}; destroy the lab, then create it")
    return out + _subnet_problems(wanted, found)


def _subnet_problems(wanted: Desired, found: Current) -> list[str]:
    """Return the problems of a requested subnet."""
    if not wanted.subnet:
        return []
    try:
        subnet = str(ipaddress.ip_network(wanted.subnet))
    except ValueError as error:
        return [f"kafka_lab_subnet {wanted.subnet!r}: {error}"]
    if found.subnet and found.subnet != subnet:
        return [
            f"the lab's network is {found.subnet}, kafka_lab_subnet asks for {subnet}; destroy the lab, then create it"
        ]
    if not found.subnet and overlaps(subnet, found.taken):
        return [f"kafka_lab_subnet {subnet} is in use on this machine; leave it unset to get a free one"]
    return []


def plan(wanted: Desired, found: Current) -> Plan:
    """Plan the actions. Existing hosts are never recreated: their disks would be lost."""
    subnet = found.subnet or wanted.subnet or next(free_subnets(found.taken))
    addresses = assign(wanted.hosts, {name: host.address for name, host in found.hosts.items()}, subnet)
    existing = {name: found.hosts[name] for name in wanted.hosts if name in found.hosts}
    return Plan(
        subnet=subnet,
        make_network=not found.subnet,
        create=tuple(name for name in wanted.hosts if name not in existing),
        start=tuple(name for name, host in existing.items() if not host.running),
        addresses=addresses,
        outdated=tuple(name for name, host in existing.items() if host.image != wanted.image_of(name)),
    )


def disk_problems(by_host: Mapping[str, object]) -> list[str]:
    """Return the problems of paths and sizes, each with its remedy."""
    given = {host: disks for host, disks in by_host.items() if isinstance(disks, Mapping)}
    every = [(host, str(path), str(size)) for host, disks in given.items() for path, size in disks.items()]
    return [
        *(
            f"kafka_lab_disks of {host!r}: {disks!r} names no paths: give sizes as {{/data: 2G}}, or leave the host out"
            for host, disks in by_host.items()
            if host not in given
        ),
        *(
            f"kafka_lab_disks of {host!r}: {path!r} is no place for a disk: give an absolute path, without a colon"
            for host, path, _ in every
            if posixpath.normpath(path) != path or not path.startswith("/") or path == "/" or ":" in path
        ),
        *(
            f"kafka_lab_disks of {host!r}: {size!r} is no size: give {SMALLEST_MB}M or more, as 512M or 2G"
            for host, _, size in every
            if not SIZE.fullmatch(size) or (size.endswith("M") and int(size[:-1]) < SMALLEST_MB)
        ),
    ]


def disks(wanted: Desired, host: str) -> list[Disk]:
    """Return the disks of a host, in their order."""
    return [
        Disk(f"{container(wanted.name, host)}-disk{at}", f"{wanted.state_dir}/{host}-disk{at}{IMAGE}", path, size)
        for at, (path, size) in enumerate(wanted.disks.get(host, {}).items(), 1)
    ]


def volume_command(lab: str, disk: Disk) -> list[str]:
    """Return the podman command that makes a disk's volume; podman mounts it whenever its host starts."""
    kind = ("--opt", "type=ext4", "--opt", "o=loop", "--opt", f"device={disk.file}")
    return ["volume", "create", "--label", f"{LAB}={lab}", *kind, disk.volume]


def container(lab: str, host: str) -> str:
    """Name of a host's container."""
    return f"{lab}-{host}"


def network_command(wanted: Desired, subnet: str) -> list[str]:
    """Return the podman command that makes the network."""
    return ["network", "create", "--label", f"{LAB}={wanted.name}", "--subnet", subnet, wanted.name]


def run_command(wanted: Desired, host: str, address: str) -> list[str]:
    """The podman command that makes a host: systemd as PID 1, a fixed address, a name that its neighbours resolve.

    It comes back from a reboot; one that was killed stays down (podman's restart policy).
    """
    labels = {LAB: wanted.name, HOST: host, ADDRESS: address}
    return [
        *("run", "--detach", "--name", container(wanted.name, host), "--hostname", host),
        *(word for key, value in labels.items() for word in ("--label", f"{key}={value}")),
        *("--network", wanted.name, "--ip6" if ":" in address else "--ip", address, "--network-alias", host),
        *("--systemd", "always", "--restart", "always"),
        *("--ulimit", f"nofile={wanted.nofile}:{wanted.nofile}", "--ulimit", "nproc=4096:4096"),
        *(word for file, path in MOUNTS.items() for word in ("--volume", f"{wanted.state_dir}/{file}:{path}:ro")),
        *(word for disk in disks(wanted, host) for word in ("--volume", f"{disk.volume}:{disk.path}")),
        *(("--memory", wanted.memory) if wanted.memory else ()),
        *wanted.options.get(host, ()),
        wanted.image_of(host),
    ]


def known_hosts(addresses: Mapping[str, str], public_key: str) -> str:
    """Return the lab's known_hosts: every host by address and by name."""
    kind, key = public_key.split()[:2]
    names = ",".join([*addresses.values(), *addresses])
    return f"{names} {kind} {key}\n"
