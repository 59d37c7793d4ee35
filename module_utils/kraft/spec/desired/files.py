"""A node's files as texts. Their secrets come from the inventory's variables, where a file is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.service.unit_fingerprint import fingerprinted
from ansible.module_utils.kraft.spec.desired import jvm, server_properties


def node_files(
    node: Mapping[str, Any], texts: Mapping[str, str], layers: Iterable[Mapping[str, Any]], options: Iterable[str]
) -> list[dict[str, Any]]:
    """Return the own files of a described `node` for its next start, for ``kafka_node``, with their secrets.

    `texts`: rendered templates, by ``log4j2.yaml`` and ``kafka.service``. `layers` and `options`: as below.
    """
    given = {
        "server.properties": (properties_text(node, layers), node["group"], "0640"),
        "jvm.options": (jvm_options_text(node, options), node["group"], "0640"),
        "log4j2.yaml": (texts["log4j2.yaml"], node["group"], "0640"),
        "kafka.service": (fingerprinted(texts["kafka.service"]), "root", "0644"),
    }
    return [
        {"path": f"{node['install_dir']}/next/{name}", "content": text, "owner": "root", "group": group, "mode": mode}
        for name, (text, group, mode) in given.items()
    ]


def properties_text(node: Mapping[str, Any], layers: Iterable[Mapping[str, Any]]) -> str:
    """Return ``server.properties`` of a described `node`, with secrets by the inventory's `layers`, the narrowest last.

    Raises RefusedError for a hidden setting that no layer gives: its hidden form must never reach a file.
    """
    given = server_properties.merged(layers)
    unknown = [key for key in node["secrets"] if key not in given]
    if unknown:
        raise RefusedError([f"{key}: the inventory's layers do not give its value here" for key in unknown])
    return server_properties.properties_text({**node["properties"], **{key: given[key] for key in node["secrets"]}})


def jvm_options_text(node: Mapping[str, Any], options: Iterable[str]) -> str:
    """Return ``jvm.options`` of a described `node`; the inventory's `options` come last."""
    return jvm.options_text([*node["derived_jvm_options"], *map(str, options)])
