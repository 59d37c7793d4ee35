"""Validation of a value against the definition of its key: Kafka's errors at start, reported before any start."""

from __future__ import annotations

import re

from ansible.module_utils.kraft.spec.inventory.definitions import Setting
from ansible.module_utils.kraft.spec.inventory.parsed_values import parsed_fault

INTEGERS = {"int": 31, "long": 63, "short": 15}
#: A value that a config provider resolves on the node; nothing can be said of it here.
PLACEHOLDER = re.compile(r"\$\{[^}]*:[^}]*\}")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
CLASS_NAME = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*")


def value_problem(setting: Setting, text: str) -> tuple[str, str]:
    """Return the fault of `text` as a value of `setting`, and the allowed values; two empty texts if there is none."""
    text = text.strip()
    if PLACEHOLDER.search(text) or text == setting.default:
        return "", ""
    if setting.type in INTEGERS:
        return _integer(setting, text)
    if setting.type == "double":
        return _double(setting, text)
    if setting.type == "boolean":
        return (
            ("", "") if text.lower() in ("true", "false") else ("The value must be true or false", "give true or false")
        )
    if is_class(setting) and text and not CLASS_NAME.fullmatch(text):
        return "The value is not the name of a Java class", "give its full name, such as org.example.Name"
    fault = _chosen(setting, text)
    return fault if fault[0] else parsed_fault(setting.name, text)


def is_class(setting: Setting) -> bool:
    """Check for a setting whose value is a class; Kafka declares some of them as mere text."""
    return setting.type == "class" or (setting.type == "string" and setting.name.endswith(".class.name"))


def _integer(setting: Setting, text: str) -> tuple[str, str]:
    bits = INTEGERS[setting.type]
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        return "The value is not a whole number", f"give {allowed(setting)}"
    value = int(text)
    if not -(2**bits) <= value < 2**bits:
        return f"The value does not fit into a Java {setting.type}", f"give {allowed(setting)}, at most {2**bits - 1}"
    return _range(setting, value)


def _double(setting: Setting, text: str) -> tuple[str, str]:
    if not NUMBER.fullmatch(text):
        return "The value is not a number", f"give {allowed(setting)}"
    return _range(setting, float(text))


def _range(setting: Setting, value: float) -> tuple[str, str]:
    if setting.min is not None and value < setting.min:
        return f"The value is below {_number(setting.min)}", f"give {allowed(setting)}"
    if setting.max is not None and value > setting.max:
        return f"The value is above {_number(setting.max)}", f"give {allowed(setting)}"
    return "", ""


def _chosen(setting: Setting, text: str) -> tuple[str, str]:
    """Check texts, lists and classes: each part must be a choice if there are choices."""
    if CONTROL.search(text):
        return "The value contains a control character", "remove it"
    parts = [part.strip() for part in text.split(",")] if setting.type == "list" and text else [text]
    if text == "":
        bare = setting.choices and setting.type != "list"
        refused = bare or not setting.empty_allowed or setting.allowed.startswith("non-empty")
        return ("The value is empty", f"give {allowed(setting)}") if refused else ("", "")
    if setting.type == "list" and "" in parts:
        return "The list has an empty element", "remove the comma too many"
    if setting.type == "list" and len(set(parts)) < len(parts):
        return "The list names an element twice", "name each once"
    foreign = [part for part in parts if setting.choices and not _is_choice(setting, part)]
    return (
        (f"The value contains {foreign[0]}, which Kafka does not know", f"give {allowed(setting)}")
        if foreign
        else ("", "")
    )


def _is_choice(setting: Setting, part: str) -> bool:
    if setting.any_case:
        return part.lower() in {choice.lower() for choice in setting.choices}
    return part in setting.choices


def allowed(setting: Setting) -> str:
    """Describe the values that a setting takes."""
    if setting.choices:
        some = "some of " if setting.type == "list" else "one of "
        return some + ", ".join(setting.choices)
    kind = {"int": "a whole number", "long": "a whole number", "short": "a whole number", "double": "a number"}
    words = kind.get(setting.type, setting.allowed or f"a {setting.type}")
    if setting.min is not None and setting.max is not None:
        return f"{words} from {_number(setting.min)} to {_number(setting.max)}"
    if setting.min is not None:
        return f"{words} of at least {_number(setting.min)}"
    return f"{words} of at most {_number(setting.max)}" if setting.max is not None else words


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else str(value)
