"""The commands that break a host; what ends a fault always comes first. Pure."""

from __future__ import annotations

import ipaddress
import shlex
from collections.abc import Iterable, Sequence

#: Our own table of the packet filter: it is deleted as a whole, and holds no foreign rule.
TABLE = ("inet", "kraftwright_drill")
#: Written at the end in small pieces: what fallocate leaves, and what is freed meanwhile.
LEFT_BYTES = 16 * 1024 * 1024
#: Fills a disk with a file that has no name any more: the space is free again as soon as this shell ends, also by a
#: reboot. It runs as the owner of the log dir, so what the filesystem reserves for root is not used.
FILL = (
    'exec 3>>"$1"; rm -f "$1"; fallocate --length "$2" /proc/self/fd/3;'
    " while :; do cat /dev/zero >&3; sleep 1; done 2>/dev/null"
)


def timer(seconds: int, *command: str, unit: str = "") -> list[str]:
    """Return a command that systemd runs after `seconds`, even if the run has ended."""
    named = [f"--unit={unit}"] if unit else []
    after = ["systemd-run", "--quiet", "--collect", f"--on-active={seconds}s", "--timer-property=AccuracySec=100ms"]
    return [*after, *named, *command]


def restart_after(service: str, first: str) -> list[str]:
    """Return the command that ends a fault by which Kafka halts: systemd gives up after five failed starts."""
    return ["/bin/sh", "-c", f"{first}; systemctl reset-failed {service}; systemctl start {service}"]


def killed(unit: str) -> list[list[str]]:
    return [["systemctl", "kill", "--signal=KILL", f"{unit}.service"]]


def frozen(unit: str, seconds: int) -> list[list[str]]:
    kill = ["systemctl", "kill"]
    return [
        timer(seconds, *kill, "--signal=CONT", f"{unit}.service"),
        [*kill, "--signal=STOP", f"{unit}.service"],
    ]


def unreadable(unit: str, seconds: int, log_dir: str, mode: int) -> list[list[str]]:
    """Return the commands. `mode`: of the log dir as it is."""
    restore = restart_after(f"{unit}.service", f"chmod {mode:04o} {shlex.quote(log_dir)}")
    return [timer(seconds, *restore, unit=restorer(unit)), ["chmod", "0000", log_dir]]


def restorer(unit: str) -> str:
    """Return the name of the timer that restores rights, and of its service. There can be one of them."""
    return f"{unit}-unreadable"


def full(unit: str, seconds: int, log_dir: str, owner: int, available: int) -> list[list[str]]:
    """Return the commands. `owner`: user id of the log dir; `available`: bytes that this user may still write."""
    end = restart_after(f"{unit}.service", f"systemctl stop {filler(unit)}")
    fill = ["systemd-run", "--quiet", "--collect", f"--unit={filler(unit)}", f"--uid={owner}"]
    # With control groups of version 1, systemd may not see that the last process has ended (seen: it waited 90 s).
    fill += [f"--property=RuntimeMaxSec={seconds + 1}", "--property=TimeoutStopSec=1"]
    at_once = max(available - LEFT_BYTES, 1)
    return [timer(seconds, *end), [*fill, "/bin/sh", "-c", FILL, "fill", f"{log_dir}/.drill", str(at_once)]]


def filler(unit: str) -> str:
    """Return the unit that keeps a disk full."""
    return f"{unit}-full.service"


def cut_off(nft: str, seconds: int, addresses: Iterable[str], ports: Sequence[int]) -> list[list[str]]:
    """Return the commands. `nft`: the program; `addresses`: of the other nodes."""
    return [timer(seconds, nft, "delete", "table", *TABLE), [nft, rules(addresses, ports)]]


def rules(addresses: Iterable[str], ports: Sequence[int]) -> str:
    """Return a table that drops Kafka's traffic between this host and those addresses, in both directions."""
    arriving, leaving = [], []
    numbers = "{ " + ", ".join(str(port) for port in sorted(set(ports))) + " }"
    every = {ipaddress.ip_address(address) for address in addresses}
    for family, version in (("ip", 4), ("ip6", 6)):
        found = sorted(str(one) for one in every if one.version == version)
        for end in ("sport", "dport") if found else ():
            peers = "{ " + ", ".join(found) + " }"
            arriving.append(f"{family} saddr {peers} tcp {end} {numbers} drop")
            leaving.append(f"{family} daddr {peers} tcp {end} {numbers} drop")
    chains = (
        f"chain {hook} {{ type filter hook {hook} priority filter; {'; '.join(lines)}; }}\n"
        for hook, lines in (("input", arriving), ("output", leaving))
    )
    return f"table {' '.join(TABLE)} {{\n{''.join(chains)}}}\n"
