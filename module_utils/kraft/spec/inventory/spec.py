"""Values against the types of the roles' argument specs, before any role runs.

Stricter than Ansible: a list must be a list, a text is no mapping, a boolean is no number. A number or a boolean may
come as text, because templates give it so.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.secret_values import is_secret

Option = Mapping[str, Any]
#: A value that could not be converted.
BROKEN = object()

BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
WANTED = {
    "str": "text",
    "path": "a path",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "a mapping",
}


#: Remedy for a text that YAML reads as another type, such as 0123 or 1.10.
QUOTES = "write it in quotes"


#: Kafka's own form of an address.
ADDRESS = re.compile(r"(?:[A-Za-z_0-9]+://)?(?:\[([0-9A-Fa-f:]+)\]|([\w.-]+)):(\d{1,5})", re.ASCII)
#: Keys that belong to another variable.
ELSEWHERE = {"permission": "write what is denied into kafka_acls, with permission: deny"}


class Date(str):
    """A date or time that YAML made of a plain text."""

    __slots__ = ()


class Fault:
    """Fault of a variable: its place (``[0].port``), the value there, the message and the remedy."""

    def __init__(self, place: str, value: Any, message: str, remedy: str) -> None:
        self.place, self.value, self.message, self.remedy = place, value, message, remedy


def convert(value: Any, option: Option, place: str = "") -> tuple[Any, list[Fault]]:
    """Convert `value` by `option`; return it, or BROKEN, and all faults."""
    kind = option.get("type", "str")
    converted = CONVERTERS.get(kind, _anything)(value)
    if converted is BROKEN:
        unquoted = kind in ("str", "path") and isinstance(value, (bool, int, float, Date))
        remedy = QUOTES if unquoted else f"give {form(value, option, place)}"
        return BROKEN, [Fault(place, value, f"The value is {described(value)}, not {WANTED[kind]}", remedy)]
    if kind == "list":
        return _list(converted, option, place)
    if kind == "dict" and option.get("options"):
        return _dict(converted, option["options"], place)
    return _chosen(converted, option, place)


def form(value: Any, option: Option, place: str) -> str:
    """Return the form of the expected value, derived from the present one if that can be read and may be shown."""
    kind, options = option.get("type", "str"), option.get("options")
    text = value if isinstance(value, str) and not is_secret(place, value) else ""
    address = ADDRESS.fullmatch(text)
    if kind == "dict" and options and address and {"host", "port"} <= set(options):
        return f"{{host: {address[1] or address[2]}, port: {address[3]}}}"
    if kind == "dict" and options:
        return f"a mapping: {{{', '.join(f'{name}: ...' for name in options)}}}"
    if kind == "list" and text and option.get("elements", "raw") != "dict" and "\n" not in text:
        return f"a list: [{', '.join(part.strip() for part in text.split(',') if part.strip())}]"
    return WANTED[kind]


def described(value: Any) -> str:
    """Return the type of a value, in the words of YAML."""
    names: list[tuple[type, str]] = [(bool, "a boolean"), (int, "a whole number"), (float, "a number")]
    names += [(Date, "a date"), (str, "text"), (list, "a list"), (dict, "a mapping")]
    if value is None:
        return "empty"
    return next((name for kind, name in names if isinstance(value, kind)), type(value).__name__)


def nearest(word: str, known: Iterable[str], prefix: str = "", least: float = 0.6) -> str:
    """Return the known word most like `word`; empty if none is. A common `prefix` is ignored."""
    bare = {each[len(prefix) :]: each for each in sorted(known) if each.startswith(prefix)}
    found = difflib.get_close_matches(word[len(prefix) :], bare, n=1, cutoff=least)
    return bare[found[0]] if found else ""


def _text(value: Any) -> Any:
    """Check a text; YAML changes numbers and dates: 0123 is 83, 1.10 is 1.1, 12:30:45 is 45045."""
    return value if isinstance(value, str) and not isinstance(value, Date) else BROKEN


def _int(value: Any) -> Any:
    if isinstance(value, bool):
        return BROKEN
    if isinstance(value, int):
        return value
    text = value.strip() if isinstance(value, str) else ""
    return int(text) if re.fullmatch(r"-?\d{1,4000}", text, re.ASCII) else BROKEN  # Python reads no more digits


def _float(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return BROKEN
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return BROKEN
    return number if math.isfinite(number) else BROKEN


def _bool(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    return BOOLEANS.get(str(value).strip().lower(), BROKEN) if isinstance(value, (str, int)) else BROKEN


def _kept(kind: type) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, kind) else BROKEN


def _anything(value: Any) -> Any:
    return value


CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "str": _text,
    "path": _text,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "list": _kept(list),
    "dict": _kept(dict),
}


def _chosen(value: Any, option: Option, place: str) -> tuple[Any, list[Fault]]:
    choices = option.get("choices")
    if not choices or value in choices:
        return value, []
    allowed = ", ".join(str(choice) for choice in choices)
    meant = nearest(str(value), (str(choice) for choice in choices))
    remedy = f"did you mean {meant}? allowed: {allowed}" if meant else f"allowed: {allowed}"
    return BROKEN, [Fault(place, value, "The value is not one of the choices", remedy)]


def _list(values: list[Any], option: Option, place: str) -> tuple[Any, list[Fault]]:
    """Convert a list; faulty elements are left out, so that the others can be checked."""
    element = {key: option[key] for key in ("choices", "options") if key in option}
    element["type"] = option.get("elements", "raw")
    pairs = [convert(value, element, f"{place}[{at}]") for at, value in enumerate(values)]
    return [value for value, _ in pairs if value is not BROKEN], [fault for _, faults in pairs for fault in faults]


def _dict(values: Mapping[str, Any], options: Mapping[str, Option], place: str) -> tuple[Any, list[Fault]]:
    """Convert a mapping; BROKEN if a required key is missing or unreadable; other faulty keys are left out."""
    faults = list(_unknown_keys(values, options, place))
    read: dict[str, Any] = {}
    whole = True
    for name, option in options.items():
        given = values.get(name)
        if given is None:
            if option.get("required"):
                whole = False
                faults.append(
                    Fault(f"{place}.{name}", None, "The key is missing", f"give {WANTED[option.get('type', 'str')]}")
                )
            continue
        if given == "":
            read[name], found = (
                BROKEN,
                [Fault(f"{place}.{name}", given, "The value is empty", "give a value, or remove the key")],
            )
        else:
            read[name], found = convert(given, option, f"{place}.{name}")
        faults += found
        whole = whole and not (read[name] is BROKEN and option.get("required"))
    return {name: value for name, value in read.items() if value is not BROKEN} if whole else BROKEN, faults


def _unknown_keys(values: Mapping[str, Any], options: Mapping[str, Option], place: str) -> Iterator[Fault]:
    for name in values:
        if name not in options:
            meant = nearest(str(name), options)
            remedy = f"did you mean {meant}?" if meant else f"known are {', '.join(options)}"
            if "." in str(name) and "config" in options:
                remedy = "put it below config"
            remedy = ELSEWHERE.get(str(name), remedy)
            yield Fault(f"{place}.{name}", values[name], "The key is unknown", remedy)
