"""Check for brokers that serve, but at an advertised address that this machine does not reach. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNREACHABLE = "unreachable"
#: Outcomes of a verdict: no broker answered; one did, and one side refused the other.
NO_ANSWER, REFUSALS = "no answer from", ("refuses us", "we do not trust")


def out_of_reach(seen: Mapping[str, Any], verdict: Mapping[str, Any]) -> bool:
    """`seen`: the snapshot that a host took. `verdict`: of the proof, with its outcome and sentences."""
    said = " ".join(verdict.get("sentences") or ())
    serves = any(not broker.get("fenced") for broker in seen.get("brokers") or ())
    silent = verdict.get("outcome") == UNREACHABLE and NO_ANSWER in said
    return serves and silent and not any(one in said for one in REFUSALS)


def advertised_cause(cluster: Mapping[str, Any]) -> str:
    """`cluster`: of ``kafka_desired``."""
    listener = next(iter(cluster.get("clients") or {}), "the first client listener")
    return (
        f"The brokers serve, but this machine does not reach {listener} at {cluster.get('bootstrap_servers')}."
        " See `advertised` in kafka_listeners, names, firewalls and NAT."
        " Or run playbooks/verify_cluster.yml where clients are."
    )
