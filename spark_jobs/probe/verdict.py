"""Result of an audit: the outcome, and the few lines about it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

FAULTS = {"lost": "lost", "duplicated": "duplicated", "reordered": "out of order", "misplaced": "misplaced"}
PROVEN, FAILED, UNDECIDED = "proven", "failed", "undecided"
WORDS = {PROVEN: "Nothing lost", FAILED: "Not proven", UNDECIDED: "Undecided"}
KINDS = {"retry": "tried again", "trouble": "connection", "failed": "given up"}
MOST_ERRORS = 6
#: A node's restart takes about as long: a longer pause of the probe can hide one.
LONGEST_PAUSE_MS = 10_000.0
NAMED_PARTITIONS = 12


def outcome(counts: Mapping[str, int]) -> str:
    """Return proven if something was acknowledged and every promise was kept."""
    return PROVEN if counts["acked"] and not any(counts[fault] for fault in FAULTS) else FAILED


def overall(audit: Mapping[str, Any]) -> str:
    """Return the outcome; undecided if nothing is known against it, and the probe did not see everything."""
    return UNDECIDED if audit["outcome"] == PROVEN and _unseen(audit) else str(audit["outcome"])


def totals(partitions: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of every count over the partitions."""
    names = [name for name in partitions[0] if name != "partition"] if partitions else []
    return {name: sum(row[name] for row in partitions) for name in names}


def sentences(audit: Mapping[str, Any]) -> list[str]:
    """Describe the account in a few lines, the most important first."""
    return [
        _records(audit["counts"]),
        _latency(audit["latency"], audit["seconds"], len(audit["partitions"])),
        *_stalls(audit["stalls"]),
        _errors(audit["errors"]),
        *_clients(audit),
    ]


def _records(counts: Mapping[str, int]) -> str:
    if not counts["acked"]:
        return "not one record was acknowledged: nothing is proven"
    faults = ", ".join(f"{words} {counts[fault]:,}" for fault, words in FAULTS.items())
    open_ends = counts["failed"] + counts["unanswered"]
    rest = f"; {open_ends:,} sent without an acknowledgement" if open_ends else ""
    return f"acknowledged {counts['acked']:,}: {faults}{rest}"


def _latency(latency: Mapping[str, Any], seconds: float, partitions: int) -> str:
    words = ", ".join(f"{name} {ms(latency[key])}" for name, key in LATENCIES if latency.get(key) is not None)
    return f"latency over {seconds:.0f} s on {partitions} partitions: {words or 'not known'}"


LATENCIES = (("p50", "p50_ms"), ("p99", "p99_ms"), ("p99.9", "p99_9_ms"), ("most", "most_ms"))


def _stalls(stalls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe the longest stall with its step; then the longest of every partition."""
    if not stalls:
        return []
    worst = max(stalls, key=lambda stall: stall["length_us"])
    each = [f"{stall['partition']}: {_seconds(stall)}" for stall in stalls[:NAMED_PARTITIONS]]
    more = f" and {len(stalls) - NAMED_PARTITIONS} more" if len(stalls) > NAMED_PARTITIONS else ""
    return [
        f"longest stall {_seconds(worst)}: partition {worst['partition']}, {_during(worst.get('step'))}",
        f"longest stall of each partition: {', '.join(each)}{more}",
    ]


def _during(step: Mapping[str, Any] | None) -> str:
    if not step:
        return "outside of every step"
    when = f"{step['into_s']:.1f} s into it" if step["into_s"] >= 0 else "begun before it"
    return f"during “{step['task']}” on {step['host']} ({when})"


def _seconds(stall: Mapping[str, Any]) -> str:
    return f"{stall['length_us'] / 1e6:.2f} s" + (", and not ended" if stall["open"] else "")


def _errors(errors: Sequence[Mapping[str, Any]]) -> str:
    if not errors:
        return "errors that the clients saw: none"
    words = [f"{error['count']:,} x {error['detail']} ({error['client']}, {KINDS[error['kind']]})" for error in errors]
    more = f" and {len(words) - MOST_ERRORS} other kinds" if len(words) > MOST_ERRORS else ""
    return f"errors that the clients saw: {', '.join(words[:MOST_ERRORS])}{more}"


def _clients(audit: Mapping[str, Any]) -> list[str]:
    """Return facts about the probe itself that the rest depends on."""
    counts, late = audit["counts"], audit["late_ms"]
    missing = counts["acked"] - counts["received"]
    words = [f"consumers received {counts['received']:,} of them"]
    words += [f"{missing:,} not before the probe was stopped"] if missing else []
    words += [f"{counts['redelivered']:,} more than once"] if counts["redelivered"] else []
    again = counts["resent"]
    words += [f"{again:,} stand twice, sent again by their producer under a new epoch"] if again else []
    lines = ["; ".join(words)]
    lines += [f"the probe itself got the processor up to {ms(late)} late: stalls include that"] if late else []
    lines += _busy(audit["end"] or {})
    return lines + _unseen(audit)


def _unseen(audit: Mapping[str, Any]) -> list[str]:
    """Return what the probe did not see: after its end, while it was paused, and by a log that lacks events.

    The operation may have gone on meanwhile, so that nothing is proven of that time.
    """
    if not audit["whole"]:
        return ["the probe was killed: its last seconds, and what came later, are not in the account"]
    found, end, seconds = [], audit["end"], f"{audit['seconds']:.0f} s"
    if not end.get("asked", True):
        found.append(f"the probe ended by itself after {seconds} (kafka_probe_longest): nothing later is known")
    if audit["late_ms"] > LONGEST_PAUSE_MS:
        found.append(f"the probe was paused for {ms(audit['late_ms'])}: nothing is known of that time")
    if audit["events"] != end.get("events", 0):
        found.append(f"the probe's log has {audit['events']:,} events, and the probe wrote {end.get('events', 0):,}")
    return found


def _busy(end: Mapping[str, Any]) -> list[str]:
    """Report a busy control machine, which makes every figure worse."""
    if end.get("load", 0) <= end.get("cores", 0):
        return []
    return [f"the control machine was busy (load {end['load']} on {end['cores']} cores)"]


def ms(value: float) -> str:
    """Format ``0.8 ms``, ``262 ms``, ``1.25 s``."""
    if value >= 1000:  # noqa: PLR2004 - ms in a second
        return f"{value / 1000:.2f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"  # noqa: PLR2004
