"""Requirements for a node's certificate, by the inventory and by the authorities on the control machine."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.node.certificate import NODES, trusted
from ansible.module_utils.kraft.operations.certificates import given, renewal
from ansible.module_utils.kraft.operations.certificates.change import known, split
from ansible.module_utils.kraft.operations.certificates.renewal import TRUST, UNLOADED, Verdict
from cryptography import x509
from cryptography.x509.oid import NameOID


def node_of(described: Mapping[str, Any]) -> authority.Node:
    """Convert `described`: ``certificate`` of ``kafka_desired``'s node."""
    return authority.Node(described["host"], described["cluster"], tuple(described["names"]))


def is_foreign(asked: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Check whether the host's trust in nodes is not of the authority on this machine, where there may be none.

    Then certificates that are issued here would be refused there, or the node would distrust others.
    """
    if asked.get("given"):
        return given.is_foreign(asked, found)
    directory, theirs = Path(asked["authority"]), trusted((found.get("trust") or {}).get(NODES) or "")
    ours = split(authority.certificates(directory).get(NODES, ""))
    return bool(theirs) and (not ours or ours[0] not in theirs or not theirs <= known(directory, NODES))


def issued_to(asked: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return the inventory name for which the host's certificate was made; empty if it is of no node of this cluster.

    Certificates that the operator provides have any names.
    """
    if asked.get("given"):
        return ""
    try:
        subject = x509.load_pem_x509_certificate((found.get("certificate") or "").encode()).subject
    except ValueError:
        return ""
    name = "".join(str(one.value) for one in subject.get_attributes_for_oid(NameOID.COMMON_NAME))
    owner = authority.Node(name, asked["node"]["cluster"], ())
    return name if name and owner.subject == subject else ""


def owner(certificate: str) -> dict[str, str]:
    """Return the present ones of ``CN``, ``OU`` and ``O`` of a certificate's subject (PEM)."""
    try:
        subject = x509.load_pem_x509_certificate(certificate.encode()).subject
    except ValueError:
        return {}
    oids = {"CN": NameOID.COMMON_NAME, "OU": NameOID.ORGANIZATIONAL_UNIT_NAME, "O": NameOID.ORGANIZATION_NAME}
    found = {name: [str(one.value) for one in subject.get_attributes_for_oid(oid)] for name, oid in oids.items()}
    return {name: values[0] for name, values in found.items() if values}


def judge(asked: Mapping[str, Any], found: Mapping[str, Any]) -> Verdict:
    """Decide. `asked`: ``node``, ``authority``, ``given``, ``renew_before_days``, ``renew_all``; `found`: of the host.

    A process that reads no certificates goes on, whatever is wrong with them.
    """
    verdict = given.judge(asked, found) if asked.get("given") else _of_authority(asked, found)
    reads = (found.get("process") or {}).get("reads", True)
    return verdict if reads or not verdict.reasons else dataclasses.replace(verdict, live=True)


def _of_authority(asked: Mapping[str, Any], found: Mapping[str, Any]) -> Verdict:
    node, trust = node_of(asked["node"]), authority.certificates(Path(asked["authority"]))
    desired = renewal.Desired(
        node.subject, node.names, int(asked["renew_before_days"]), trust, renew=bool(asked.get("renew_all"))
    )
    current = renewal.Current.from_facts(found)
    reasons = renewal.reasons(desired, current, datetime.datetime.now(datetime.timezone.utc))
    differs = renewal.trust_differs(desired, current)
    loadable = NODES not in differs  # the Raft client keeps those that its process was started with
    if reasons:
        return Verdict([each.text for each in reasons], live=all(each.ages for each in reasons) and loadable)
    if differs:
        return Verdict([TRUST], live=loadable)
    return Verdict([UNLOADED], live=True) if found.get("unloaded") else Verdict([])
