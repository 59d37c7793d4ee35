"""Ports, names and connectivity between the hosts: whether the listeners can be opened and found."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port, normal_name
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.node_client import WILDCARDS
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject

ANY = (*WILDCARDS, "")
LISTENERS = "kafka_listeners"
#: A younger process may have begun to listen between the looks of two hosts.
STARTING_SECONDS = 60


def questions(desired: Mapping[str, Any], name: str) -> dict[str, list[Any]]:
    """Return the questions of `kafka_host_info` on host `name`: ``{log_dirs, ports, resolve, bind, reach}``.

    Nodes reach one another by the listeners that are theirs; a client's port may be closed between them on purpose.
    They must also reach the issuers of tokens from which they fetch keys.
    """
    nodes = desired["nodes"]
    own = nodes[name]["listeners"]
    others = [listener for host in nodes if host != name for listener in nodes[host]["listeners"]]
    binds = [listener["bind"] for listener in own if listener["bind"] not in ANY]
    binds += [each for given in nodes[name]["contributed_addresses"].values() for each in given]
    advertised = [listener["advertised"]["host"] for listener in own + others]
    return {
        "log_dirs": list(dict.fromkeys([*nodes[name]["log_dirs"], nodes[name]["metadata_log_dir"]])),
        "ports": sorted({each["port"] for each in [*own, *contributed(nodes[name])]}),
        "resolve": sorted({each for each in advertised + binds if not is_address(each)}),
        "bind": sorted(set(binds)),
        "reach": sorted(
            {target(listener) for listener in others if listener["purpose"] != "client"}
            | {each["server"] for each in nodes[name].get("key_servers", ())}
        ),
    }


def target(listener: Mapping[str, Any]) -> str:
    """Return the address of a listener for others, as ``host:port``."""
    return host_port(listener["advertised"]["host"], listener["advertised"]["port"])


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_loopback(text: str) -> bool:
    return is_address(text) and ipaddress.ip_address(text).is_loopback


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        yield from taken_ports(host, facts)
        yield from foreign_binds(host, facts)
        yield from names(subject, host, facts)
    yield from connectivity(subject)


def taken_ports(host: Host, facts: Facts) -> Iterator[Problem]:
    """Report a port that another process uses at a needed address; another role's port at any address.

    A TLS proxy of ours has not taken it: a deployment removes the proxy before an exporter takes its address.
    """
    own = facts["service"]["pid"]
    proxies = ((facts.get("steps") or {}).get("metrics_proxy") or {}).get("pids", ())
    for listener in [*host.node["listeners"], *contributed(host.node)]:
        for found in facts["ports"]:
            expected = found["process"] and found["process"] in listener.get("processes", ())
            expected = expected or (listener.get("variable") and found["pid"] in proxies)
            if found["port"] != listener["port"] or (own and found["pid"] == own) or expected:
                continue
            if collides(facts, listener["bind"], found["address"]):
                who = (
                    f"{found['process']} (pid {found['pid']})"
                    if found["pid"]
                    else "a process that is hidden from this user"
                )
                where = host_port(found["address"], found["port"])
                message = f"The port {found['port']} of listener {listener['name']} is in use by {who} on {where}"
                remedy = "stop that process, or give the listener another port"
                yield Problem(
                    "port_taken", message, remedy, listener.get("variable", LISTENERS), host.name, found["port"]
                )


def contributed(node: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the ports that other roles open in Kafka's process or beside it, each as a listener at any address."""
    whose = node["contributed_processes"]
    return [
        {"name": name, "port": port, "bind": "", "variable": name, "processes": whose.get(name, "").split()}
        for name, ports in node["contributed_ports"].items()
        for port in ports
    ]


def collides(facts: Facts, bind: str, address: str) -> bool:
    """Check whether a socket bound to `bind` collides with one that is bound to `address`."""
    known = facts["names"].get(bind, {}).get("addresses") or [normal_name(bind)]
    return bind in ANY or address in ANY or address in known


def foreign_binds(host: Host, facts: Facts) -> Iterator[Problem]:
    """Require bind addresses of the host itself; a machine's public address in a cloud is not."""
    for bind, error in facts["binds"].items():
        if error:
            message = f"The host cannot listen on {bind}: {error}"
            remedy = "set the listener's bind to an address of the host (ip address), and advertised to the public one"
            if givers := [name for name, given in host.node["contributed_addresses"].items() if bind in given]:
                remedy = "give it an address of the host (ip address)"
            yield Problem("foreign_bind", message, remedy, next(iter(givers), LISTENERS), host.name, bind)


def names(subject: Subject, host: Host, facts: Facts) -> Iterator[Problem]:
    """Require that advertised names resolve on every host, and not to the host itself unless its own."""
    own = {listener["bind"] for listener in host.node["listeners"]}
    for name, found in facts["names"].items():
        problem = {"variable": "kafka_address", "host": host.name, "value": name}
        loopback = bool(found["addresses"]) and all(is_loopback(address) for address in found["addresses"])
        if found["error"]:
            message = f"The host cannot resolve {name} ({found['error']})"
            remedy = "bring the name into DNS or /etc/hosts of every node, or use addresses in kafka_address"
            yield Problem("unresolved_name", message, remedy, **problem)
        elif loopback and len(subject.hosts) > 1:
            whose = "its own name" if name in own else "another node"
            message = f"The host resolves {name}, {whose}, to loopback ({', '.join(found['addresses'])})"
            remedy = "correct /etc/hosts (Debian maps the host's name to 127.0.1.1), or use addresses in kafka_address"
            yield Problem("loopback_name", message, remedy, **problem)


def connectivity(subject: Subject) -> Iterator[Problem]:
    """Check the port matrix: each host to every listener of the others.

    A refused connection is fine while nothing listens.
    Hosts look at different moments: a node that starts meanwhile refuses one host, and listens when its own host looks.
    """
    owners = {target(listener): host for host in subject.hosts for listener in host.node["listeners"]}
    for host, facts in subject.seen:
        for where, answer in facts["reach"].items():
            owner = owners.get(where)
            if owner is None or owner.facts is None or answer == "open":
                continue
            if answer != "refused":
                reason = answer
            elif listens(owner.facts, where) and owner.facts["service"]["age"] > STARTING_SECONDS:
                reason = "connection refused although the node listens there"
            else:
                continue
            message = f"The host cannot reach {owner.name} at {where}: {reason}"
            remedy = "open the port between the nodes (firewall, security group), or correct the advertised address"
            yield Problem("unreachable_port", message, remedy, LISTENERS, host.name, where)


def listens(facts: Facts, where: str) -> bool:
    """Check whether the node listens at `where` now: it advertises that, or its socket is bound to it or to any.

    A node that is to move to another address listens there only after its restart.
    """
    host, port = where.rsplit(":", 1)
    own = facts["service"]["pid"]
    sockets = [each["address"] for each in facts["ports"] if own and each["pid"] == own and each["port"] == int(port)]
    advertised = {each["address"] for each in facts["deployed"]["listeners"]}
    return bool(sockets) and (where in advertised or any(collides(facts, host.strip("[]"), each) for each in sockets))
