"""A loaded report as a ``Report``, whatever it lacks: what does not fit is left out, never guessed.

A run that failed early, or a file of another version, must still give a page. Items of lists that do not have their
shape are dropped, optional sections become null, and what the page cannot do without has an empty stand-in.
"""

from __future__ import annotations

import functools
import math
from types import NoneType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints, is_typeddict

from spark_jobs.report_schema import Report

T = TypeVar("T")

EMPTY: Report = {
    "schema": 0,
    "run_id": "",
    "started": "",
    "finished": "",
    "seconds": 0.0,
    "verdict": {"outcome": "failed", "sentences": ["The report holds no verdict, so nothing is proven."]},
    "topic": {"name": "", "partitions": 0, "replication_factor": None, "min_insync_replicas": None},
    "workload": {"records": 0, "record_bytes": 0, "writers": 0, "keys": 0},
    "counts": None,
    "first_missing": [],
    "first_faults": [],
    "changes": None,
    "per_partition": [],
    "per_broker": [],
    "steady": None,
    "latency": None,
    "throughput": None,
    "stream": None,
    "native_smoke": None,
    "spark": None,
    "cluster": {},
    "versions": {},
    "settings": {},
    "timeline": [],
    "not_checked": [],
}


class UnfitError(ValueError):
    """A value that does not have the shape asked for."""


@functools.cache
def hints(kind: type) -> dict[str, Any]:
    """Return the names of a typed dictionary with their types; cached, since the lookup takes long."""
    return get_type_hints(kind)


def as_report(raw: object) -> Report:
    """Return the report in `raw`; top-level names that are missing or unfit are those of ``EMPTY``."""
    data = raw if isinstance(raw, dict) else {}
    made: dict[str, Any] = dict(EMPTY)
    for name, kind in hints(Report).items():
        try:
            made[name] = fitted(data.get(name), kind)
        except UnfitError:
            continue
    return cast("Report", made)


def fitting(items: object, kind: type[T]) -> list[T]:
    """Return those of `items` that have the shape `kind`; none if it is no list."""
    if kind is int and isinstance(items, list) and all(type(item) is int for item in items):
        return items
    found = []
    for item in items if isinstance(items, list) else []:
        try:
            found.append(cast("T", fitted(item, kind)))
        except UnfitError:
            continue
    return found


def fitted(value: object, kind: Any) -> Any:
    """Return `value` with the shape `kind`, or raise ``UnfitError``."""
    origin, parts = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        if not isinstance(value, dict):
            raise UnfitError(kind)
        return {name: fitted(value.get(name), hint) for name, hint in hints(kind).items()}
    if origin is Literal:
        if value not in parts:
            raise UnfitError(kind)
        return value
    if origin is list:
        return fitting(_of(list, value), parts[0])
    if origin is dict:
        return _entries(_of(dict, value), parts[1])
    if NoneType in parts:
        return _optional(value, next(part for part in parts if part is not NoneType))
    return value if kind is Any else _scalar(value, kind)


def _of(kind: type[T], value: object) -> T:
    if not isinstance(value, kind):
        raise UnfitError(kind)
    return value


def _entries(value: dict[Any, Any], kind: Any) -> dict[str, Any]:
    made = {}
    for name, item in value.items():
        try:
            made[str(name)] = fitted(item, kind)
        except UnfitError:
            continue
    return made


def _optional(value: object, kind: Any) -> Any:
    try:
        return None if value is None else fitted(value, kind)
    except UnfitError:
        return None


def _scalar(value: object, kind: type) -> Any:
    """Return a text, a truth value or a finite number; numbers become text if text is expected."""
    if kind is str and isinstance(value, (bool, int, float)):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return value
    if kind is int and isinstance(value, (int, float)) and not isinstance(value, bool) and value % 1 == 0:
        return int(value)
    if kind in (int, float):
        raise UnfitError(kind)
    return _of(kind, value)
