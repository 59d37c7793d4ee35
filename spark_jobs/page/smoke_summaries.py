"""One sentence for each section: what it comes to, before its picture and its numbers."""

from __future__ import annotations

from collections import Counter

from spark_jobs.page import text
from spark_jobs.page.cluster import Node
from spark_jobs.page.snapshot import Snapshot
from spark_jobs.page.waterfall import Waterfall
from spark_jobs.report_schema import BrokerResult, Latency, NativeSmokeResult, PartitionResult, Steady, Throughput

CONTROL = "localhost"  #: the control machine, which is none of the cluster's hosts
FAULTS = ("lost", "corrupt", "out_of_order", "misplaced", "foreign_headers", "undecided", "duplicated")
FAULT_WORDS = {
    "lost": "lost",
    "corrupt": "corrupt",
    "out_of_order": "out of order",
    "misplaced": "misplaced",
    "foreign_headers": "with foreign headers",
    "undecided": "undecided",
    "duplicated": "duplicated",
}


def cluster(nodes: list[Node], snapshot: Snapshot) -> str:
    racks = {node.rack for node in nodes if node.rack}
    said = text.plural(len(nodes), "node") + (f" in {text.plural(len(racks), 'rack')}" if racks else "")
    leader = next((node for node in nodes if node.leads_quorum), None)
    if leader:
        return f"{said}; {leader.name} (node {leader.node_id}) leads the quorum. {topics(snapshot)}".strip()
    if not snapshot.brokers and not snapshot.voters:
        return f"{said}, as configured; the cluster itself did not answer."
    return f"{said}; no leader of the quorum is known. {topics(snapshot)}".strip()


def topics(snapshot: Snapshot) -> str:
    """Describe the topics; empty if they were not queried."""
    if snapshot.topics is None:
        return ""
    partitions = snapshot.partitions
    behind = sum(not set(p["replicas"]) <= set(p["isr"]) for p in partitions)
    leaderless = sum(p["leader"] is None or p["leader"] < 0 for p in partitions)
    counts = ((behind, "under-replicated"), (leaderless, "without a leader"))
    bad = [f"{text.integer(count)} {words}" for count, words in counts if count]
    state = text.listed(bad) or "every replica in sync"
    return f"{text.plural(len(snapshot.topics), 'topic')} with {text.plural(len(partitions), 'partition')}, {state}."


def leaders(results: list[BrokerResult]) -> str:
    counts = {result["partitions"] for result in results if result["node_id"] is not None}
    if len(counts) == 1:
        count = counts.pop()
        if len(results) == 1:
            return f"One broker leads all {text.plural(count, 'partition')}."
        return f"Each of {len(results)} brokers leads {text.plural(count, 'partition')} of the topic."
    if not counts:
        return "No leader is known."
    return f"Brokers lead between {min(counts)} and {text.plural(max(counts), 'partition')} of the topic."


def faults(result: PartitionResult) -> dict[str, int]:
    """Return the faults of one partition by their words, without zeros."""
    counts = {name: value for name, value in result.items() if name in FAULTS and isinstance(value, int)}
    return {FAULT_WORDS[name]: counts[name] for name in FAULTS if counts[name]}


def partitions(results: list[PartitionResult]) -> str:
    least, most = min(r["records"] for r in results), max(r["records"] for r in results)
    span = text.integer(least) if least == most else f"{text.integer(least)} to {text.integer(most)}"
    held = f"{text.plural(len(results), 'partition')} with {span} records each"
    touched = [found for found in map(faults, results) if found]
    total = sum((Counter(found) for found in touched), Counter[str]())
    if not touched:
        return held + "; none has a fault."
    words = [f"{text.integer(count)} {word}" for word, count in total.items()]
    return f"{held}; faults in {text.integer(len(touched))} of them: {text.listed(words)}."


def steady(found: Steady) -> str:
    waited = found["acknowledged"]
    half, most = text.milliseconds(waited["p50_ms"]), text.milliseconds(waited["p99_ms"])
    return f"A steady client has half of its records acknowledged within {half}, 99 % within {most}."


def latency(found: Latency) -> str:
    half, most = text.milliseconds(found["p50_ms"]), text.milliseconds(found["p99_ms"])
    early = text.plural(found["negative"], "record seems", "records seem")
    skew = f" {early} to arrive before being made: clocks differ." if found["negative"] else ""
    return f"Half of the records within {half}, 99 % within {most}.{skew}"


def throughput(found: Throughput) -> str:
    write, read = found["write"], found["batch_read"]
    parts = [f"written at {text.integer(write['records_per_s'])}"] if write else []
    parts += [f"read at {text.integer(read['records_per_s'])}"] if read else []
    return f"Records {text.listed(parts)} a second." if parts else ""


def native_smoke(found: NativeSmokeResult) -> str:
    partitions = text.plural(len(found["partitions"]), "partition")
    took = text.milliseconds(found["ms"])
    return (
        f"Before Spark started, {found['client']} wrote one record to each of {partitions} and had them back in {took}."
    )


def quorum(snapshot: Snapshot) -> str:
    behind = [voter["lag"] for voter in snapshot.voters if voter["lag"]]
    unheard = [str(voter["node_id"]) for voter in snapshot.voters if voter["lag"] is None]
    parts = [text.plural(len(snapshot.voters), "voter")]
    if snapshot.leader_id is not None:
        parts.append(f"led by node {snapshot.leader_id} in epoch {text.integer(snapshot.leader_epoch)}")
    if unheard:
        parts.append(f"{text.listed(unheard)} not heard from")
    if behind:
        parts.append(f"the furthest {text.plural(max(behind), 'record')} behind")
    elif not unheard:
        parts.append("all caught up")
    return ", ".join(parts) + "."


def deployment(found: Waterfall) -> str:
    failed = sorted({host for row in found.rows for host in row.failed_on})
    said = (
        f"Deployed on {text.moment_of(found.start_ms)}, in {text.seconds(found.seconds)} "
        f"on {text.plural(len(set(found.hosts) - {CONTROL}), 'host')}; "
        f"the longest phase is {found.longest.phase} ({text.seconds(found.longest.seconds)})."
    )
    return said + (f" Tasks failed on {text.listed(failed)}." if failed else "")
