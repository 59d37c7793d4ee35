"""Heap, options of the JVM, and what the host must give."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.jvm import COLLECTOR
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.desired.sizing import (
    COMPRESSED_REFERENCES_MB,
    SMALLEST_HEAP_MB,
    heap_mb,
    max_map_count,
    partitions_within,
    size_mb,
)
from ansible.module_utils.kraft.spec.inventory_rules.storage import SAFE, inside
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject
from ansible.module_utils.kraft.wording import named

HEAP = "kafka_heap_size"
OPTIONS = "kafka_jvm_options"
SYSCTL = "kafka_host_sysctl"
JAVA = "kafka_java_home"
#: Options that follow from a variable: option's beginning -> the variable.
OWNED_OPTIONS = {
    "-Xmx": HEAP,
    "-Xms": HEAP,
    "-XX:MaxHeapSize": HEAP,
    "-XX:InitialHeapSize": HEAP,
    "-Dkafka.logs.dir=": "kafka_log4j_dir",
    "-Dlog4j2.configurationFile=": "kafka_log4j_dir",
    "-Dlog4j.configuration": "kafka_log4j_dir",
    "-cp": "kafka_version",
    "-classpath": "kafka_version",
    "--class-path": "kafka_version",
    "-jar": "kafka_version",
    "@": OPTIONS,
}
#: Directory in which the JVM unpacks native libraries; the unit's own directories for that.
TMP_DIR, PRIVATE = "-Djava.io.tmpdir=", ("/tmp", "/var/tmp")  # noqa: S108 - compared, not used
#: A second option behind a blank in the same element.
SEVERAL = re.compile(r"\s+(?=-(?:XX:|D|X|javaagent|agent|-add))")
#: With which Java 17 does not start.
REMOVED_OPTIONS = (
    *("-XX:+UseConcMarkSweepGC", "-XX:-UseConcMarkSweepGC", "-XX:PermSize", "-XX:MaxPermSize", "-XX:+UseParNewGC"),
    *("-XX:+CMSClassUnloadingEnabled", "-XX:CMSInitiatingOccupancyFraction", "-XX:+UseCMSInitiatingOccupancyOnly"),
    *("-XX:+CMSScavengeBeforeRemark", "-XX:+PrintGCDateStamps", "-XX:+PrintGCTimeStamps", "-XX:+UseGCLogFileRotation"),
    *("-XX:NumberOfGCLogFiles", "-XX:GCLogFileSize", "-XX:+AggressiveOpts", "-XX:+UseBiasedLocking"),
)
KERNEL_SETTING = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_*-]+)+")
SMALLEST = {
    "kafka_start_timeout": 10,
    "kafka_host_partition_budget": 1,
    "kafka_nofile_limit": 1024,
    "kafka_max_unavailable": 1,
    "kafka_max_concurrent_moves": 1,
    "kafka_move_throttle": 0,
    "kafka_move_timeout": 1,
    "kafka_reboot_timeout": 10,
    "kafka_soak_seconds": 0,
}
FILES_PER_PARTITION = 10


def heap(subject: Subject) -> Iterator[Problem]:
    """Require a heap that the JVM takes, that is enough for Kafka, and that leaves room for the page cache."""
    for node in subject.sound(HEAP):
        size = size_mb(node.heap_size) if node.heap_size else heap_mb(node.facts.memory_mb)
        if node.heap_size and size is None:
            remedy = "give megabytes or gigabytes, such as 512m or 4g"
            yield Problem(
                "heap_form", "The value is not a size that the JVM accepts", remedy, HEAP, node.host, node.heap_size
            )
        elif size is not None:
            yield from _heap_size(node, size)


def _heap_size(node: Node, size: int) -> Iterator[Problem]:
    shown = node.heap_size or f"{size}m (derived)"
    if size < SMALLEST_HEAP_MB:
        message = f"The heap is below {SMALLEST_HEAP_MB}m, the least that Kafka starts with reliably"
        yield Problem("heap_small", message, "give 512m or more", HEAP, node.host, shown)
    if size >= COMPRESSED_REFERENCES_MB:
        message = "The heap is so large that the JVM needs twice the space for each reference"
        yield Problem("heap_references", message, "give 31g or less", HEAP, node.host, shown, WARNING)


def jvm_options(subject: Subject) -> Iterator[Problem]:
    """Report options of the JVM that contradict ours or each other."""
    for node in subject.sound(OPTIONS):
        for option in node.jvm_options:
            owner = next((variable for start, variable in OWNED_OPTIONS.items() if option.startswith(start)), "")
            if owner:
                remedy = f"remove it; {owner} decides" if owner != OPTIONS else "write the options themselves"
                yield Problem(
                    "jvm_option_owned", "The option follows from another variable", remedy, OPTIONS, node.host, option
                )
            elif SEVERAL.search(option):
                message, remedy = (
                    "The element contains two options: Java refuses it",
                    f"write each as an element: {_apart(option)}",
                )
                yield Problem("jvm_option", message, remedy, OPTIONS, node.host, option)
            elif gone := next((each for each in REMOVED_OPTIONS if option.partition("=")[0].rstrip("+-") == each), ""):
                message, remedy = f"Java 17 has no such option ({gone} was removed)", "remove it"
                yield Problem("jvm_option", message, remedy, OPTIONS, node.host, option)
            elif not option.startswith("-") or option != option.strip() or "\n" in option:
                message, remedy = (
                    "The value is not a JVM option",
                    "write each option as one element that begins with '-'",
                )
                yield Problem("jvm_option", message, remedy, OPTIONS, node.host, option)
        collectors = [option for option in node.jvm_options if COLLECTOR.fullmatch(option)]
        if len(collectors) > 1:
            message, remedy = f"The options {named(collectors)} exclude each other", "keep one"
            yield Problem("jvm_collectors", message, remedy, OPTIONS, node.host)


def _apart(option: str) -> str:
    return ", ".join(SEVERAL.sub("\n", option).split("\n"))


def limits(subject: Subject) -> Iterator[Problem]:
    """Check numbers with which a host must work."""
    for node in subject.cluster.nodes:
        for variable, least in SMALLEST.items():
            value = node.variables.get(variable)
            if variable not in node.broken and value is not None and value < least:
                yield Problem(
                    "limit", f"The limit is below {least}", f"give {least} or more", variable, node.host, value
                )
    for node in subject.sound("kafka_nofile_limit", "kafka_host_partition_budget"):
        files, budget = node.variables.get("kafka_nofile_limit"), node.variables.get("kafka_host_partition_budget")
        if files and budget and files < FILES_PER_PARTITION * budget:
            message = f"The limit is too low for {budget} partitions (kafka_host_partition_budget)"
            remedy = f"give {FILES_PER_PARTITION * budget} or more"
            yield Problem("nofile", message, remedy, "kafka_nofile_limit", node.host, files, WARNING)


def java_home(subject: Subject) -> Iterator[Problem]:
    """Require a directory of the hosts; preflight checks for a Java in it."""
    for node in subject.sound(JAVA):
        if node.java_home and not (node.java_home.startswith("/") and SAFE.fullmatch(node.java_home)):
            message, remedy = "The path is not absolute", "give Java's home, such as /usr/lib/jvm/java-17-openjdk-amd64"
            yield Problem("java_home", message, remedy, JAVA, node.host, node.java_home)


def kernel(subject: Subject) -> Iterator[Problem]:
    """Require kernel settings by name, with Kafka's needs."""
    for node in subject.sound(SYSCTL):
        given = node.variables.get(SYSCTL) or {}
        for name, value in given.items():
            if not KERNEL_SETTING.fullmatch(str(name)):
                message, remedy = (
                    "The name is not that of a kernel setting",
                    "give its name with dots, such as vm.swappiness",
                )
                yield Problem("sysctl", message, remedy, f"{SYSCTL}[{name}]", node.host, value)
        budget, maps = node.variables.get("kafka_host_partition_budget"), str(given.get("vm.max_map_count", ""))
        if budget and maps.isdigit() and int(maps) < max_map_count(budget):
            message = (
                f"The value is below {max_map_count(budget)}: {budget} partitions need it (kafka_host_partition_budget)"
            )
            fits = partitions_within(int(maps))
            remedy = f"leave it out{f', or lower the budget to {fits}' if fits else ''}"
            yield Problem("map_count", message, remedy, f"{SYSCTL}[vm.max_map_count]", node.host, maps, RISK)


def tmp_dir(subject: Subject) -> Iterator[Problem]:
    """Refuse a directory for native libraries that Kafka's unit has read-only."""
    for node in subject.sound(OPTIONS):
        given = [option.partition("=")[2] for option in node.jvm_options if option.startswith(TMP_DIR)]
        writable = (*PRIVATE, node.log4j_dir, *node.log_dirs)
        if given and not any(inside(given[-1], path) for path in writable):
            message = "Kafka's unit cannot write there: the JVM could not unpack the libraries for zstd and snappy"
            remedy = f"give {TMP_DIR}{node.log4j_dir}, or leave it out"
            yield Problem("tmp_dir_read_only", message, remedy, OPTIONS, node.host, given[-1], WARNING)


RULES = (heap, jvm_options, tmp_dir, limits, java_home, kernel)
