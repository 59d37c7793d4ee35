"""Contributions of other roles to a node: options and agents of the JVM, ports, files, lines of its unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.difference import CONTRIBUTED
from ansible.module_utils.kraft.kafka_terms import INTER_BROKER
from ansible.module_utils.kraft.node.other_services.collector_service import EXPORTER
from ansible.module_utils.kraft.node.other_services.metrics_proxy import AGENT as KAFKA
from ansible.module_utils.kraft.node.other_services.metrics_proxy import LOOPBACK, SERVICES
from ansible.module_utils.kraft.node.service.record import STARTED_DIR
from ansible.module_utils.kraft.spec.desired.contribution_model import Agent, Contribution
from ansible.module_utils.kraft.spec.desired.model import Listener, Node
from ansible.module_utils.kraft.spec.desired.node_client import WILDCARDS, client_parameter

#: Prefix of a variable; the contributing role's name follows.
PREFIX = "kafka_contribution_"
FILE: dict[str, Any] = {
    "name": {"type": "str", "required": True},
    "content": {"type": "str", "required": True},
    "restart": {"type": "bool"},
    "sensitive": {"type": "bool"},
}
AGENT: dict[str, Any] = {
    "name": {"type": "str", "required": True},
    "source": {"type": "str", "required": True},
    "sha256": {"type": "str", "required": True},
}
#: Options of role kafka_collector. ``exporter``: the program of node_exporter; empty if there is one already.
COLLECTOR: dict[str, Any] = {
    "interval": {"type": "int", "required": True},
    "exporter": {"type": "str"},
    "archive": {"type": "str"},
    "checksum": {"type": "str"},
    "metrics": {"type": "dict", "required": True},
    "program": {"type": "str", "required": True},
    "topics": {"type": "list", "elements": "str"},
}
#: TLS in front of the ports. ``user``: the user whose certificate is admitted; ``stunnel``: source of the program.
PROXY: dict[str, Any] = {
    "user": {"type": "str", "required": True},
    "stunnel": {"type": "str", "choices": ["distribution", "present"], "default": "distribution"},
}
#: The form of such a variable, as of a role's argument spec.
OPTION: dict[str, Any] = {
    "type": "dict",
    "options": {
        "jvm_options": {"type": "list", "elements": "str"},
        "ports": {"type": "list", "elements": "int"},
        "addresses": {"type": "list", "elements": "str"},
        "agents": {"type": "list", "elements": "dict", "options": AGENT},
        "files": {"type": "list", "elements": "dict", "options": FILE},
        "unit_lines": {"type": "list", "elements": "str"},
        "process": {"type": "str"},
        "collector": {"type": "dict", "options": COLLECTOR},
        "proxy": {"type": "dict", "options": PROXY},
    },
}


def contribution(variable: str, value: Mapping[str, Any]) -> Contribution:
    """Return a converted value; of its files only the names, since a content may be a secret."""
    return Contribution(
        variable,
        tuple(value.get("jvm_options", ())),
        tuple(value.get("ports", ())),
        tuple(one["name"] for one in value.get("files", ())),
        tuple(value.get("unit_lines", ())),
        tuple(value.get("addresses", ())),
        tuple(Agent(**one) for one in value.get("agents", ())),
        value.get("process", ""),
        value.get("collector", {}),
        value.get("proxy", {}),
    )


def collector(node: Node, cluster_id: str) -> dict[str, Any]:
    """Return the settings of ``kafka_metrics_service``; empty if the node is no broker, or has no collector."""
    given = next((each for each in node.contributions if each.collector), None)
    own = node.listener_for(INTER_BROKER)
    if given is None or own is None:
        return {}
    asked = given.collector
    listener = {"name": own.name, "address": own.advertised_address, "protocol": own.protocol, "purpose": own.purpose}
    client = client_parameter([listener], node.install_dir, cluster_id)
    settings = {key: asked[key] for key in ("interval", "metrics", "program")} | {
        "topics": asked.get("topics") or ["*"]
    }
    binary = asked.get("exporter") or ""
    address = LOOPBACK if given.proxy else given.addresses[0]
    exporter = {"binary": binary, "listen": host_port(address, given.ports[0])} if binary else {}
    settings["proxies"] = [*secured(node, own), *proxy_addresses(node)]
    return {**settings, "client": client, "log_dirs": data_directories(node), "exporter": exporter}


def secured(node: Node, between: Listener) -> list[str]:
    """Return a listener with TLS, if the one `between` brokers has none: its certificate ends, too."""
    found = next((each for each in node.own_listeners if each.uses_tls), None)
    if found is None or between.uses_tls:
        return []
    return [host_port(node.address if found.bind in WILDCARDS else found.bind, found.port)]


def proxy_addresses(node: Node) -> list[str]:
    """Return the addresses at which the TLS proxies of a node's exporters show its certificate, as ``host:port``."""
    return [host_port(each["address"], each["port"]) for each in metrics_proxy(node).get("proxies", ())]


def data_directories(node: Node) -> list[str]:
    """Return the directories that no service beside Kafka may read."""
    return sorted({*node.log_dirs, node.metadata_dir})


def metrics_proxy(node: Node) -> dict[str, Any]:
    """Return the settings of ``kafka_metrics_service``; empty if no endpoint of the node has a proxy."""
    found = [
        {
            "name": each.variable.removeprefix(PREFIX),
            "address": each.addresses[0],
            "port": each.ports[0],
            "user": each.proxy["user"],
            "behind": (EXPORTER if each.collector.get("exporter") else "") if each.collector else KAFKA,
        }
        for each in node.proxied
        if each.addresses and each.ports and each.variable.removeprefix(PREFIX) in SERVICES
    ]
    hidden = data_directories(node)
    return {"directory": node.tls_directory, "log_dirs": hidden, "proxies": found} if found else {}


def contributed_files(given: Iterable[Mapping[str, Any]], room: str, group: str) -> list[dict[str, Any]]:
    """Return the files of all contributions for ``kafka_node``, after the list that names them."""
    files = sorted((one for each in given for one in each.get("files", ())), key=lambda one: str(one["name"]))
    if not files:
        return []
    names = "".join(f"{one['name']}{' restart' if one.get('restart') else ''}\n" for one in files)
    own = {"owner": "root", "group": group, "mode": "0640"}
    return [
        {"path": f"{room}/{one['name']}", "content": one["content"], "sensitive": one.get("sensitive", False), **own}
        for one in ({"name": CONTRIBUTED, "content": names}, *files)
    ]


def contributed_lines(given: Iterable[Mapping[str, Any]], config: str) -> list[str]:
    """Return the lines of a node's unit for the contributions; `config`: the directory of their files."""
    files = [one["path"] for one in contributed_files(given, config, "")]
    copied = [f"ExecStartPre=+/usr/bin/install -m 0600 -t {STARTED_DIR} {' '.join(files)}"] if files else []
    return copied + [line for each in given for line in each.get("unit_lines", ())]


def contributed(
    given: Iterable[Mapping[str, Any]], node: Mapping[str, Any], texts: Iterable[str]
) -> dict[str, list[Any]]:
    """Return ``files`` and ``unit_lines`` of all contributions to a described `node`, and its files of keys.

    `texts`: of the node's ``key_sets``, in their order. The files are those of the next start.
    """
    keys = {"files": [{"name": one["name"], "content": f"{text}\n"} for one, text in zip(node["key_sets"], texts)]}
    every = [*given, keys]
    return {
        "files": contributed_files(every, f"{node['install_dir']}/next", node["group"]),
        "unit_lines": contributed_lines(every, f"{node['install_dir']}/config"),
    }


def files_of(contributions: Mapping[str, Any]) -> list[str]:
    """Return files of the control machine that other roles give a host, as far as they can be read."""
    given = [each for each in contributions.values() if isinstance(each, Mapping)]
    agents = [one for each in given if isinstance(each.get("agents"), list) for one in each["agents"]]
    found = [(one, "source") for one in agents] + [(each.get("collector"), "archive") for each in given]
    return [one[key] for one, key in found if isinstance(one, Mapping) and isinstance(one.get(key), str) and one[key]]
