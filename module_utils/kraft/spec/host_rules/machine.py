"""Java, memory, limits and kernel: what a machine must have before Kafka is brought to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.sizing import max_map_count, partitions_within
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK

OLDEST_JAVA = 17  # Kafka 4: "Java 17, 21 and 25 are fully supported" for servers
#: Families of distributions that role kafka_host can install Java on.
WITH_JAVA = ("Debian", "RedHat", "Amazon")
#: Memory of a JVM beside its heap, in MiB.
BESIDE_HEAP_MB = 256
MAPS = "vm.max_map_count"


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        yield from foundations(host, facts)
        yield from java(host, facts)
        yield from memory(host, facts)
        yield from open_files(host, facts)
        yield from memory_maps(host, facts)


def foundations(host: Host, facts: Facts) -> Iterator[Problem]:
    """Require root and systemd, without which no step of the deployment works."""
    if not facts["privileged"]:
        yield Problem("not_root", "The tasks do not run as root", "run the play with become: true", host=host.name)
    if not facts["systemd"]:
        remedy = "Kafka is run as a systemd unit: use a host (or a container) that is booted with systemd"
        yield Problem("no_systemd", "The host does not run systemd", remedy, host=host.name)


def java(host: Host, facts: Facts) -> Iterator[Problem]:
    """Check Java: a given one must exist, a found one be new enough, a missing one be installable."""
    found, given = facts["java"], host.wanted.java_home
    new_enough = [each["home"] for each in facts["javas"] if each["major"] >= OLDEST_JAVA]
    use = f"set kafka_java_home: {new_enough[0]}" if new_enough else f"install Java {OLDEST_JAVA} or newer"

    def problem(rule: str, message: str, remedy: str, value: Any = None) -> Problem:
        return Problem(rule, message, remedy, "kafka_java_home", host.name, value)

    if found is None and given:
        unset = "unset kafka_java_home to have it installed from the distribution"
        yield problem("no_java", f"There is no {given}/bin/java", f"{use}, or {unset}", given)
    elif found is None and facts["os"]["family"] not in WITH_JAVA:
        name = facts["os"]["distribution"] or "this distribution"
        yield problem("no_java", f"There is no Java, and no package of {name} is known", f"{use} by hand")
    elif found is not None and found["major"] is None:
        yield problem("unknown_java", f"{found['path']} does not report its version", use, found["home"])
    elif found is not None and found["major"] < OLDEST_JAVA:
        version = f"{found['path']} is Java {found['version']}"
        yield problem("old_java", f"{version}, Kafka 4 needs {OLDEST_JAVA} or newer", use, found["version"])


def memory(host: Host, facts: Facts) -> Iterator[Problem]:
    """Check the heap: it must fit, and should leave half of the memory to the page cache."""
    heap, total = host.node["heap_mb"], facts["memory_mb"]
    if not heap or not total:
        return
    problem = {"variable": "kafka_heap_size", "host": host.name, "value": f"{heap}m"}
    if heap + BESIDE_HEAP_MB > total:
        remedy = f"set kafka_heap_size to {max(total // 2, 1)}m or less, or give the host more memory"
        message = f"A heap of {heap} MiB does not fit into {total} MiB of memory"
        yield Problem("heap_too_large", message, remedy, **problem)
    elif heap * 2 > total + 1:
        remedy = f"set kafka_heap_size to {total // 2}m or less; the page cache serves Kafka's consumers"
        message = f"A heap of {heap} MiB takes more than half of {total} MiB of memory"
        yield Problem("heap_over_half", message, remedy, severity=RISK, **problem)


def open_files(host: Host, facts: Facts) -> Iterator[Problem]:
    """Report a lower limit: a unit with more files than the host can give does not start; so it gets fewer."""
    hard, wanted = facts["limits"]["nofile_hard"], host.wanted.nofile_limit
    if hard < wanted:
        yield Problem(
            "few_open_files",
            f"The host allows a service {hard} open files, and the inventory wants {wanted}: Kafka gets {hard}",
            "raise the limit of the host (or of its container), or lower kafka_nofile_limit",
            "kafka_nofile_limit",
            host.name,
            hard,
            WARNING,
        )


def memory_maps(host: Host, facts: Facts) -> Iterator[Problem]:
    """Report too few memory maps: a broker with more partitions would end with "Map failed"."""
    budget = host.wanted.partition_budget
    found, needed = facts["sysctl"].get(MAPS), max_map_count(budget)
    value = int((found or {}).get("value") or 0)
    if host.is_broker and found and not found["writable"] and value < needed:
        fits = partitions_within(value)
        lower = f", or lower kafka_host_partition_budget to {fits}" if fits else ""
        yield Problem(
            "few_memory_maps",
            f"{MAPS} is {found['value']} and cannot be set here; {budget} partitions need {needed}",
            f"set {MAPS}={needed} on the machine that runs the container{lower}",
            "kafka_host_partition_budget",
            host.name,
            found["value"],
            WARNING,
        )
