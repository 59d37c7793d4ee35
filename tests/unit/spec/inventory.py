"""A sound inventory as plain variables, for tests to bend, and the shortest ways to look at it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables, read
from ansible.module_utils.kraft.spec.inventory.validation import validate
from ansible.module_utils.kraft.spec.inventory_rules.subject import Surroundings

from tests.unit.problems import worded

#: Severity, host, variable and value.
Finding = tuple[str, str, str, Any]
ROOT = Path(__file__).resolve().parents[3]
CLUSTER_ID = "a3JhZnR3cmlnaHQtZGVtbw"
LISTENERS: list[dict[str, Any]] = [
    {"name": "CLIENT", "port": 9092, "protocol": "PLAINTEXT", "purpose": "client"},
    {"name": "INTERNAL", "port": 19092, "protocol": "PLAINTEXT", "purpose": "inter_broker"},
    {"name": "CONTROLLER", "port": 9093, "protocol": "PLAINTEXT", "purpose": "controller"},
]


#: Roles without required variables.
OPTIONAL = ("kafka_resources", "kafka_mirror")


def load_specs() -> dict[str, dict[str, Any]]:
    """Return the specs of the core, and of the optional roles for resources in a cluster."""
    specs: dict[str, dict[str, Any]] = {}
    for role in ("kafka", "kafka_host", *OPTIONAL):
        text = (ROOT / "roles" / role / "meta/argument_specs.yml").read_text()
        for entry in yaml.safe_load(text)["argument_specs"].values():
            given = {name: option for name, option in entry["options"].items() if name not in specs}
            specs |= {name: {**one, "required": False} if role in OPTIONAL else one for name, one in given.items()}
    return specs


def load_defaults() -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    for role in ("kafka", "kafka_host"):
        for path in (ROOT / "roles" / role).glob("defaults/**/*.yml"):
            defaults |= yaml.safe_load(path.read_text())
    return {name: value for name, value in defaults.items() if "{{" not in str(value)}


SPECS = load_specs()
DEFAULTS = load_defaults()


def hosts(
    count: int = 3,
    per_host: Mapping[str, Mapping[str, Any]] | None = None,
    facts: Mapping[str, Any] | None = None,
    **variables: Any,
) -> list[HostVariables]:
    """k1, k2, ... as combined nodes; `variables` go to all, `per_host` to one, None takes a variable away."""
    found = []
    names = [f"k{at}" for at in range(1, count + 1)]
    for at, name in enumerate(names, 1):
        values = {
            **DEFAULTS,
            "kafka_cluster_name": "test",
            "kafka_cluster_id": CLUSTER_ID,
            "kafka_hosts": names,
            "kafka_archive": "/cache/kafka_2.13-4.4.0.tgz",
            "kafka_archive_checksum": "sha256:" + "a" * 64,
            "kafka_address": f"10.0.0.{at}",
            "kafka_node_id": at,
            "kafka_profile": "test",
            **variables,
            **(per_host or {}).get(name, {}),
        }
        given = {key: value for key, value in values.items() if value is not None}
        found.append(HostVariables(name, given, facts=facts or {}))
    return found


def cluster(*args: Any, **kwargs: Any) -> Cluster:
    made, problems = read(hosts(*args, **kwargs), SPECS)
    assert not problems, [str(problem) for problem in problems]
    return made


def problems_of(found: list[HostVariables], **surroundings: Any) -> list[Problem]:
    used = {each.host: frozenset(each.values) for each in found}
    return validate(found, SPECS, Surroundings(**{"names": frozenset(SPECS), "used": used, **surroundings}))[1]


def finding(problem: Problem) -> Finding:
    """Return the parts of a problem that a test of a rule asserts; tests/wording has the sentence."""
    return problem.severity, problem.host, problem.variable, problem.value


def found(rule: str, *args: Any, **kwargs: Any) -> list[Finding]:
    """Every problem of one rule."""
    return [finding(problem) for problem in problems_of(hosts(*args, **kwargs)) if problem.rule == rule]


def sentences(rule: str, *args: Any, **kwargs: Any) -> list[str]:
    """Every problem of one rule with its wording."""
    return worded(problem for problem in problems_of(hosts(*args, **kwargs)) if problem.rule == rule)
