"""The configuration file of a proof: JSON, checked as a whole, every problem in one message.

Required: ``run_id``; ``source`` and ``target``, each with ``bootstrap_servers`` and, if needed, ``client_options``
(``kafka.*``) or ``client_file`` (a properties file of Kafka's Java client, such as one with a password);
``topics`` (name on the source -> name on the target); ``output_dir``. Optional: ``groups`` (consumer groups whose
committed offsets are compared), ``duplicates_allowed`` (true: copies beyond the first are counted and do not fail the
proof, since the copy was made at least once), ``target_deletions_allowed`` (topics, by their names on the source,
whose target may have deleted records that the source still holds: they are counted and do not fail the proof; not
together with ``before_switch``), ``before_switch`` (true: the proof fails if the source still grows),
``set_offsets`` (true, with ``before_switch``: once all else is proven, offsets that MirrorMaker never translates are
set on the target if the pairs of records determine them).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.client_config import PREFIX, SECURITY

from spark_jobs import java_properties, json_file
from spark_jobs.config import PATTERNS, option_problems
from spark_jobs.errors import UsageError

REQUIRED = ("run_id", "source", "target", "topics", "output_dir")
SIDE = ("bootstrap_servers", "client_options", "client_file")
LISTS = ("groups", "target_deletions_allowed")
TOPIC = PATTERNS["topic"][0]


@dataclass(frozen=True)
class Address:
    """Connection of Spark and the native client to one side."""

    bootstrap_servers: str
    client_options: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class ProofConfig:
    """One run, as configured in the file."""

    run_id: str
    source: Address
    target: Address
    topics: Mapping[str, str]
    output_dir: Path
    groups: tuple[str, ...] = ()
    duplicates_allowed: bool = False
    target_deletions_allowed: tuple[str, ...] = ()
    before_switch: bool = False
    set_offsets: bool = False


def load(path: Path) -> ProofConfig:
    """Load the configuration in ``path``, or raise a ``UsageError`` with all its faults."""
    content = json_file.load(path, proof_config_errors)
    sides = {name: _address(content[name]) for name in ("source", "target")}
    lists = {name: tuple(content.get(name, ())) for name in LISTS}
    more = {"output_dir": Path(content["output_dir"]), **lists}
    return ProofConfig(**{**content, **sides, **more})


def _address(given: Mapping[str, Any]) -> Address:
    """Parse a side's options; ``client_options`` win over the file."""
    path, options = given.get("client_file"), given.get("client_options", {})
    try:
        found = java_properties.parse(Path(path).read_text()) if path else {}
    except (OSError, ValueError) as error:
        raise UsageError([f"client_file: {path} cannot be read as a properties file: {type(error).__name__}"]) from None
    secured = {f"{PREFIX}{name}": value for name, value in found.items() if name.startswith(SECURITY)}
    return Address(given["bootstrap_servers"], {**secured, **options})


def proof_config_errors(content: object) -> list[str]:
    """Return one line for each fault: name, value, allowed values."""
    if not isinstance(content, dict):
        return [f"must be an object with the names {', '.join(REQUIRED)}"]
    known = ProofConfig.__dataclass_fields__.keys()
    found = [f"{name}: is missing" for name in REQUIRED if name not in content]
    found += [f"{name}: unknown name; known are {', '.join(known)}" for name in content if name not in known]
    for name in content.keys() & known:
        found += _value_problems(name, content[name])
    return found or [*_deletion_problems(content), *_offset_problems(content)]


def _offset_problems(content: Mapping[str, Any]) -> list[str]:
    alone = content.get("set_offsets") and not content.get("before_switch")
    return ["set_offsets: needs before_switch: groups on the source go on otherwise. Set both"] if alone else []


def _deletion_problems(content: Mapping[str, Any]) -> list[str]:
    allowed = content.get("target_deletions_allowed", [])
    unknown = [name for name in allowed if name not in content["topics"]]
    found = [f"target_deletions_allowed: {name} is none of topics: give its name on the source" for name in unknown]
    if allowed and content.get("before_switch"):
        found.append(
            "target_deletions_allowed: cannot be used with before_switch: consumers would miss these records. Copy the "
            "topics again with a longer retention on the target"
        )
    return found


def _value_problems(name: str, value: Any) -> list[str]:
    if name in PATTERNS:
        pattern, allowed = PATTERNS[name]
        fits = isinstance(value, str) and re.fullmatch(pattern, value) is not None
        return [] if fits else [f"{name}: {value!r} must be {allowed}"]
    if name in ("source", "target"):
        return [f"{name}: {line}" for line in _side_problems(value)]
    if name == "topics":
        fits = isinstance(value, dict) and bool(value) and all(map(_is_topic, (*value, *value.values())))
        allowed = "an object of topic names, source: target"
        if fits and len(set(value.values())) < len(value):
            fits, allowed = False, "an object in which no target stands twice"
        return [] if fits else [f"topics: {value!r} must be {allowed}"]
    if name in LISTS:
        fits = isinstance(value, list) and all(isinstance(one, str) and one for one in value)
        return [] if fits else [f"{name}: {value!r} must be a list of names"]
    return [] if isinstance(value, bool) else [f"{name}: {value!r} must be true or false"]


def _is_topic(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(TOPIC, name) is not None


def _side_problems(value: Any) -> list[str]:
    if not isinstance(value, dict) or value.keys() - set(SIDE) or "bootstrap_servers" not in value:
        return [f"must be an object with the names {', '.join(SIDE)}"]
    pattern, allowed = PATTERNS["bootstrap_servers"]
    servers, options = value["bootstrap_servers"], value.get("client_options", {})
    fits = isinstance(servers, str) and re.fullmatch(pattern, servers)
    found = [] if fits else [f"bootstrap_servers: {servers!r} must be {allowed}"]
    path = value.get("client_file")
    if path is not None and not (isinstance(path, str) and os.access(path, os.R_OK) and Path(path).is_file()):
        found.append(f"client_file: {path!r} must be a file that can be read")
    return found + (option_problems(options) if isinstance(options, dict) else ["client_options: must be an object"])
