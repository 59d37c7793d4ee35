"""Does a loaded ``report.json`` have the shape that ``report_schema`` fixes?"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from spark_jobs.report_schema import Report


def schema_errors(report: object, shape: Any = Report) -> list[str]:
    """Return the parts of a loaded report that do not have the ``shape``; empty if all have."""
    return _mismatches("report", report, shape)


def _mismatches(where: str, value: object, kind: Any) -> list[str]:
    """Return one line for each place below ``where`` that is not of the type ``kind``."""
    if is_typeddict(kind):
        return _record_mismatches(where, value, kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return [] if value in parts else [f"{where}: {value!r} is none of {parts}"]
    if origin in {Union, UnionType}:
        fitting = [part for part in parts if (part is NoneType) is (value is None)]
        return min(
            (_mismatches(where, value, part) for part in fitting), key=len, default=[f"{where}: must not be null"]
        )
    if origin is list and isinstance(value, list):
        return [line for n, item in enumerate(value) for line in _mismatches(f"{where}[{n}]", item, parts[0])]
    if origin is dict and isinstance(value, dict):
        return [line for key, item in value.items() for line in _mismatches(f"{where}.{key}", item, parts[1])]
    return [] if _is_a(value, origin or kind) else [f"{where}: {value!r} is not {getattr(kind, '__name__', kind)}"]


def _record_mismatches(where: str, value: object, kind: Any) -> list[str]:
    """Return the same for one of the typed dictionaries above: unknown names, missing names, then each value."""
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is not a {kind.__name__}"]
    hints = get_type_hints(kind)
    found = [f"{where}: unknown name {name!r}" for name in value.keys() - hints.keys()]
    for name, hint in hints.items():
        found += _mismatches(f"{where}.{name}", value[name], hint) if name in value else [f"{where}: {name} is missing"]
    return found


def _is_a(value: object, kind: Any) -> bool:
    if kind is Any:
        return True
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float)) if kind is float else isinstance(value, kind)
