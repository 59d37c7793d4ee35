"""The JVM's options, as text of an argument file (``java @file``)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.desired.oauth import token_options
from ansible.module_utils.kraft.spec.desired.sizing import heap_mb

#: Options by which a garbage collector is chosen.
COLLECTOR = re.compile(r"-XX:[+]Use(G1|Z|Parallel|Serial|Shenandoah|Epsilon)GC")
#: Options that belong to G1 and mean nothing to another collector.
G1 = (
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
)
#: Options that do more than decide whether the JVM starts: properties, agents, files, memory.
EFFECTS = re.compile(
    r"-(?:D|javaagent|agent|Xrun|Xdebug|Xlog|Xloggc|Xms|Xmx|Xshare|cp$|classpath$|-class-path|jar$"
    r"|XX:(?:StartFlightRecording|FlightRecorderOptions|SharedArchiveFile|ArchiveClassesAtExit|VMOptionsFile|Flags=|LogFile"
    r"|ErrorFile|HeapDumpPath|InitialHeapSize|MaxHeapSize|MinHeapSize|InitialRAM|MaxRAM|MinRAM|OnError|OnOutOfMemoryError"
    r"|CRaC|[+]AlwaysPreTouch|[+]UseLargePages|[+]UseTransparentHugePages))"
)
COMMON = (
    "-XX:+ExplicitGCInvokesConcurrent",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djava.awt.headless=true",
    "-XX:+PerfDisableSharedMem",  # the JVM's counters, in a file below /tmp, would hold all options with their secrets
)


def derived_options(node: Node) -> list[str]:
    """Return our options and contributed ones. The inventory's come after them: the last value counts."""
    return [*own_options(node), *(option for each in node.contributions for option in each.jvm_options)]


def own_options(node: Node) -> list[str]:
    """Return the options that come neither from another role nor from the inventory."""
    heap = heap_mb(node.facts.memory_mb, node.heap_size)
    other_collector = any(COLLECTOR.fullmatch(option) for option in node.jvm_options)
    return [
        *([f"-Xms{heap}m", f"-Xmx{heap}m"] if heap else []),
        *(() if other_collector else G1),
        *COMMON,
        f"-Xlog:gc*:file={node.log4j_dir}/gc.log:time,tags:filecount=10,filesize=100M",
        f"-Dkafka.logs.dir={node.log4j_dir}",
        f"-Dlog4j2.configurationFile={node.install_dir}/config/log4j2.yaml",
        *token_options(node),
    ]


def trial_options(options: Iterable[str]) -> list[str]:
    """Return the options for a trial JVM on a host: they write no file, open no port and load no agent.

    System properties are left out, since they may hold secrets and no JVM refuses one.
    """
    return [option for option in map(str, options) if option.startswith("-") and not EFFECTS.match(option)]


def options_text(options: Iterable[str]) -> str:
    """Return one option a line, quoted if the launcher would split or drop something."""
    return "".join(f"{quoted(option)}\n" for option in options)


def quoted(option: str) -> str:
    """Return an option as one word of an argument file (JDK tool reference, "java Command-Line Argument Files")."""
    if option and not re.search(r"[\s\"'#\\]", option):
        return option
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t") + '"'
