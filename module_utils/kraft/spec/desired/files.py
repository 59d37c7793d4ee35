"""A node's files as texts. Their secrets come from the inventory's variables, where a file is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.spec.desired import jvm, settings


def properties_text(node: Mapping[str, Any], layers: Iterable[Mapping[str, Any]]) -> str:
    """Return ``server.properties`` of a described `node`, with secrets by the inventory's `layers`, the narrowest last.

    Raises RefusedError for a hidden setting that no layer gives: its hidden form must never reach a file.
    """
    given = settings.merged(layers)
    unknown = [key for key in node["secrets"] if key not in given]
    if unknown:
        raise RefusedError([f"{key}: the inventory's layers do not give its value here" for key in unknown])
    return settings.properties_text({**node["properties"], **{key: given[key] for key in node["secrets"]}})


def jvm_options_text(node: Mapping[str, Any], options: Iterable[str]) -> str:
    """Return ``jvm.options`` of a described `node`; the inventory's `options` come last."""
    return jvm.options_text([*node["derived_jvm_options"], *map(str, options)])
