"""A probe's account as ``audit.judged`` makes it, with as few or as many faults as a test wants."""

from __future__ import annotations

from typing import Any

from spark_jobs.probe import steps, verdict

STEPS: list[Any] = [
    {"host": "a", "phase": "roll", "task": "Restart", "start": 10.0, "end": 14.0, "changed": True, "ok": True},
    {"host": "b", "phase": "roll", "task": "Wait", "start": 14.0, "end": 15.0, "changed": False, "ok": True},
]


def audit(**counts: int) -> dict[str, Any]:
    """An account as ``audit.judged`` makes it."""
    row = {"sent": 9, "acked": 9, "failed": 0, "unanswered": 0, "lost": 0, "duplicated": 0, "resent": 0, "misplaced": 0}
    row |= {"unlogged": 0, "received": 9, "redelivered": 0, "reordered": 0, **counts}
    stall = {"partition": 0, "from_us": 10_500_000, "to_us": 10_910_000, "length_us": 410_000, "open": False}
    made: dict[str, Any] = {
        "outcome": verdict.outcome(row),
        "cluster": "<mine>",
        "run_id": "r",
        "begin_us": 10_000_000,
        "end_us": 20_000_000,
        "seconds": 10.0,
        "late_ms": 60.0,
        "events": 27,
        "whole": True,
        "end": {"unanswered": 0, "drained": True, "asked": True, "events": 27, "load": 9.5, "cores": 2},
        "counts": row,
        "partitions": [{"partition": 0, **row}],
        "lost": [{"partition": 0, "sequence": 3, "sent_us": 1, "acked_us": 2}] if row["lost"] else [],
        "latency": {"p50_ms": 4.0, "p99_ms": 40.0, "p99_9_ms": 400.0, "most_ms": 410.0},
        "stalls": steps.attributed([stall], STEPS),
        "long_stalls": [stall],
        "errors": [{"kind": "retry", "detail": "<b>", "client": "producer", "count": 2, "first_us": 1, "last_us": 2}],
        "series": {"width_us": 5_000_000, "acks": [9, 0], "p50_ms": [4.0, None], "p99_ms": [4.0, None]},
        "views": [{"at_us": 10_000_000, "brokers": [1, 2], "led": {"1": 1}}],
        "steps": STEPS,
    }
    made["series"]["most_ms"] = [410.0, None]
    return {**made, "sentences": verdict.sentences(made)}
