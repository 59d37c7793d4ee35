"""The desired state as plain data: what roles and modules read. No secret is in it (``desired/files.py`` adds them)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import PEM, node_setting, normal_name
from ansible.module_utils.kraft.kafka_terms import CLIENT, CONTROLLER, INTER_BROKER
from ansible.module_utils.kraft.node.certificate import NODE, NODES
from ansible.module_utils.kraft.node.plugins import directory
from ansible.module_utils.kraft.secret_values import is_secret, secret_keys, shown, shown_line
from ansible.module_utils.kraft.spec.desired import drained, layout, quorum, server_properties
from ansible.module_utils.kraft.spec.desired.access import mechanisms_taken
from ansible.module_utils.kraft.spec.desired.alerting import alerting
from ansible.module_utils.kraft.spec.desired.contributions import collector, metrics_proxy, proxy_addresses
from ansible.module_utils.kraft.spec.desired.jvm import derived_options
from ansible.module_utils.kraft.spec.desired.listener_protocols import client_options
from ansible.module_utils.kraft.spec.desired.model import Cluster, Listener, Node
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter, login_parameters
from ansible.module_utils.kraft.spec.desired.oauth import key_servers, key_sets
from ansible.module_utils.kraft.spec.desired.plugins import class_path, class_path_lines
from ansible.module_utils.kraft.spec.desired.sizing import heap_mb
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version


def desired_state(cluster: Cluster) -> dict[str, Any]:
    """Return ``{cluster: {...}, nodes: {host: {...}}}``."""
    return {
        "cluster": describe_cluster(cluster),
        "nodes": {node.host: describe_node(cluster, node) for node in cluster.nodes},
    }


def describe_cluster(cluster: Cluster) -> dict[str, Any]:
    """Return the values that all nodes share."""
    made = {node.host: server_properties.server_settings(cluster, node) for node in cluster.brokers}
    return {
        "name": cluster.name,
        "cluster_id": cluster.cluster_id,
        "quorum": cluster.quorum,
        "version": cluster.version,
        "archive_checksum": cluster.archive_checksum,
        "download": download(cluster.archive),
        "profile": cluster.profile,
        "passwords_file": cluster.passwords_file,
        "bootstrap_servers": quorum.bootstrap_servers(cluster),
        "client_options": client_options(cluster),
        "clients": clients(cluster, made),
        "login_mechanisms": mechanisms_taken(cluster, made),
        "mutual_listeners": sorted({each.name for each in _of_clients(cluster) if each.client_auth}),
        "node_listeners": node_listeners(cluster),
        "install_dir": install_dir(cluster),
        "node_client": client_parameter(node_listeners(cluster), install_dir(cluster), cluster.cluster_id),
        "controller_bootstrap": quorum.controller_bootstrap(cluster),
        "controllers": [{"node_id": one.node_id, "address": one.endpoint} for one in quorum.voters(cluster)],
        "voters": [voter.as_dict() for voter in quorum.voters(cluster)],
        "initial_controllers": quorum.initial_controllers(cluster),
        "broker_ids": sorted(node.node_id for node in cluster.brokers),
        "broker_hosts": [node.host for node in cluster.nodes if node.is_broker],
        "controller_hosts": [node.host for node in cluster.nodes if node.is_controller],
        "certified_hosts": [node.host for node in cluster.nodes if cluster.tls_of(node)],
        "authority": next((tls.authority for tls in map(cluster.tls_of, cluster.nodes) if tls), ""),
        "topic_settings": topic_settings(cluster.version),
        "drained_log_dirs": drained.as_parameter(cluster.nodes),
        "controller_ids": [node.node_id for node in cluster.controllers],
        "default_replication_factor": cluster.replication_factor,
        "min_insync_replicas": cluster.min_isr,
        "alerting": alerting(cluster.nodes[0].variables if cluster.nodes else {}),
        "migration": cluster.migration,
        "migration_passed": list(cluster.migration_passed),
    }


def download(archive: str) -> dict[str, Any]:
    """Return the ``file`` that a host downloads; empty if the archive is a file of this machine.

    ``secret``: the address holds credentials or a signature, so the download shows no result.
    """
    is_url = re.match("[a-z0-9]+://", archive)
    file = re.sub("[?#].*$", "", archive).rpartition("/")[2] if is_url else ""
    return {"file": file, "secret": is_secret("", archive)}


def topic_settings(version: str) -> dict[str, str]:
    """Return the settings of topics in this version of Kafka, each with the brokers' setting that is its default."""
    return {name: one.server or "" for name, one in sorted(load(nearest_version(version)).topic.items())}


def clients(cluster: Cluster, made: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Return client listener -> the settings by which a client of any kind connects to it; no secrets.

    `made`: host -> all settings of its node. If a listener takes several mechanisms, each client chooses its own.
    """
    addresses: dict[str, list[str]] = {}
    found: dict[str, dict[str, str]] = {}
    for node in cluster.brokers:
        for each in node.listeners_for(CLIENT):
            addresses.setdefault(each.name, []).append(each.advertised_address)
            found.setdefault(each.name, {"security.protocol": each.protocol, **_trusted(node, each, made[node.host])})
    only = {name: taken[0] for name, taken in mechanisms_taken(cluster, made).items() if len(taken) == 1}
    return {
        name: {
            "bootstrap.servers": ",".join(addresses[name]),
            **settings_of,
            **({"sasl.mechanism": only[name]} if name in only else {}),
        }
        for name, settings_of in found.items()
    }


def _trusted(node: Node, listener: Listener, made: Mapping[str, str]) -> dict[str, str]:
    """Return the trust settings of a client if the listener shows the certificate of ``kafka_tls``."""
    shown_there = node_setting(made, listener.name, "ssl.keystore.location")
    if not listener.uses_tls or not node.tls or shown_there != f"{node.tls_directory}/{NODE}":
        return {}
    return {"ssl.truststore.type": PEM, "ssl.truststore.location": f"{node.tls.authority}/{NODES}.pem"}


def _of_clients(cluster: Cluster) -> list[Listener]:
    return [listener for node in cluster.brokers for listener in node.listeners_for(CLIENT)]


def certificate(cluster: Cluster, node: Node) -> dict[str, Any] | None:
    """Return the arguments of ``kafka_certificate``, without the passphrase; None without ``kafka_tls``."""
    tls = cluster.tls_of(node)
    if not tls:
        return None
    given = (name for each in node.own_listeners for name in (each.advertised_host, *tls.names.get(each.name, ())))
    scraped = (address for each in node.proxied for address in each.addresses)
    return {
        "directory": node.tls_directory,
        "node": {
            "host": node.host,
            "cluster": cluster.name,
            "names": sorted(set(map(normal_name, (*given, *scraped)))),
        },
        "authority": tls.authority,
        "given": tls.is_given,
        "host_key": tls.host_key,
        "days": tls.days,
        "renew_before_days": tls.renew_before_days,
    }


def install_dir(cluster: Cluster) -> str:
    """Return the directory of Kafka's installation, which a rule requires to be the same on all nodes."""
    return cluster.nodes[0].install_dir if cluster.nodes else ""


def node_listeners(cluster: Cluster) -> list[dict[str, str]]:
    """Return the listeners that only nodes use, in the form of ``kafka_host_info``."""
    of_brokers = [node.listener_for(INTER_BROKER) for node in cluster.brokers]
    of_controllers = [node.listener_for(CONTROLLER) for node in cluster.controllers]
    return [
        {"name": one.name, "address": one.advertised_address, "protocol": one.protocol, "purpose": one.purpose}
        for one in (*of_brokers, *of_controllers)
        if one
    ]


def describe_node(cluster: Cluster, node: Node) -> dict[str, Any]:
    """Return the description of one node, and from it the ways by which others use the node."""
    own = describe_settings(cluster, node)
    return {
        **own,
        "as_broker": {"node_id": node.node_id, "rack": node.rack or None},
        "voter_listeners": [
            {"name": one["name"], **one["advertised"]} for one in own["listeners"] if one["purpose"] == CONTROLLER
        ],
        "login_clients": login_parameters(own, cluster.cluster_id),
        "directories": layout.directories(node),
        "links": layout.links(node),
    }


def describe_settings(cluster: Cluster, node: Node) -> dict[str, Any]:
    """Return the settings of one node. ``secrets``: the ``properties`` whose values are hidden here."""
    server = server_properties.server_settings(cluster, node)
    secrets = secret_keys(server_properties.given_settings(node))  # derived ones are no secrets
    return {
        "node_id": node.node_id,
        "roles": list(node.roles),
        "address": node.address,
        "install_dir": node.install_dir,
        "rack": node.rack or None,
        "log_dirs": list(node.log_dirs),
        "metadata_log_dir": node.metadata_dir,
        "all_log_dirs": list(dict.fromkeys([node.metadata_dir, *node.log_dirs])),
        "override_state": f"{node.install_dir}/live.json",
        "directory_id": quorum.node_directory_id(cluster, node) or None,
        "listeners": [describe_listener(listener) for listener in node.own_listeners],
        **describe_contributions(node),
        **describe_plugins(node),
        "key_sets": key_sets(node),
        "key_servers": key_servers(node),
        "collector": collector(node, cluster.cluster_id),
        "metrics_proxy": metrics_proxy(node),
        "proxy_addresses": proxy_addresses(node),
        "stunnel": next((each.proxy["stunnel"] for each in node.proxied), ""),
        "broker_address": broker_address(node),
        "certificate": certificate(cluster, node),
        "properties": {key: shown(value, key) if key in secrets else value for key, value in server.items()},
        "secrets": secrets,
        "heap_mb": heap_mb(node.facts.memory_mb, node.heap_size),
        "derived_jvm_options": derived_options(node),
        "jvm_options": [shown_line(option) for option in node.jvm_options],
        "nofile_limit": node.variables.get("kafka_nofile_limit"),
        "group": node.variables.get("kafka_group"),
        "java": f"{node.java_home}/bin/java" if node.java_home else "/usr/bin/java",
    }


def describe_contributions(node: Node) -> dict[str, Any]:
    """Return the contributions of other roles: ports, processes, addresses, and agents of the JVM."""
    given = node.effective_contributions
    return {
        "contributions": [each.variable for each in node.contributions],
        "contributed_ports": {each.variable: list(each.ports) for each in given if each.ports},
        "contributed_processes": {each.variable: each.process for each in given if each.process},
        "contributed_addresses": {each.variable: list(each.addresses) for each in given if each.addresses},
        "agents": [
            {"path": f"{node.install_dir}/agents/{one.name}", "source": one.source, "digest": one.sha256}
            for each in node.contributions
            for one in each.agents
        ],
    }


def describe_plugins(node: Node) -> dict[str, Any]:
    """Return the plugins of the node, each with its directory, and their part of the class path."""
    places = (directory(node.install_dir, each.name, each.sha256) for each in node.plugins)
    entries = class_path(node.install_dir, node.plugins)
    return {
        "plugins": [
            {"name": each.name, "source": each.source, "sha256": each.sha256, "directory": place}
            for each, place in zip(node.plugins, places)
        ],
        "class_path": entries,
        "class_path_lines": class_path_lines(entries, node.install_dir),
    }


def broker_address(node: Node) -> str:
    """Return the address of this broker for other brokers; empty for a node that is no broker."""
    listener = node.listener_for(INTER_BROKER)
    return listener.advertised_address if listener else ""


def describe_listener(listener: Listener) -> dict[str, Any]:
    """Return a listener with all defaults filled in."""
    return {
        "name": listener.name,
        "port": listener.port,
        "protocol": listener.protocol,
        "purpose": listener.purpose,
        "mechanisms": list(listener.mechanisms),
        "bind": listener.bind,
        "advertised": {"host": listener.advertised_host, "port": listener.advertised_port},
    }
