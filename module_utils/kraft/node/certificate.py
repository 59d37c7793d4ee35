"""A node's private key and certificate on its host. The key is made here and never leaves.

``node.pem`` holds both, ``<root>.pem`` the certificates of the authorities. While a certificate is asked for, its key
waits in ``pending.key``: a run that is killed leaves the node with the pair that it had.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.service.state import Run

DIRECTORY = "tls"  #: below the install directory
NODE, PENDING = "node.pem", "pending.key"
NODES, CLIENTS = "nodes", "clients"
ROOTS = (NODES, CLIENTS)
CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", re.DOTALL)
DIRECTORY_MODE, SECRET_MODE, PUBLIC_MODE = 0o750, 0o640, 0o644


def observe(run: Run, directory: str) -> dict[str, Any]:
    """``certificate`` (PEM, empty where there is none), ``key_fits`` and ``trust`` (root -> PEM). Shows no key."""
    path = os.path.join(directory, NODE)
    found = CERTIFICATE.search(read_text(path))
    roots = {root: read_text(os.path.join(directory, f"{root}.pem")) for root in ROOTS}
    return {
        "certificate": found.group(0) if found else "",
        "key_fits": bool(found) and _key_fits(run, path),
        "trust": {root: text for root, text in roots.items() if text},
    }


def _key_fits(run: Run, path: str) -> bool:
    """Whether key and certificate in one file belong together: each gives the same public key."""
    asked = (["openssl", "pkey", "-in", path, "-pubout"], ["openssl", "x509", "-in", path, "-noout", "-pubkey"])
    answers = [run(command) for command in asked]
    return all(code == 0 for code, _, _ in answers) and len({out for _, out, _ in answers}) == 1


def request(run: Run, directory: str, group: str) -> str:
    """A new key, and the request for its certificate as PEM. The name in the request does not count."""
    group_id = _group_id(group)
    os.makedirs(directory, mode=DIRECTORY_MODE, exist_ok=True)
    os.chown(directory, 0, group_id)
    os.chmod(directory, DIRECTORY_MODE)
    pending = os.path.join(directory, PENDING)
    kind = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    _openssl(run, "genpkey", *kind, "-out", pending)
    os.chmod(pending, 0o600)
    return _openssl(run, "req", "-new", "-key", pending, "-subj", "/CN=node")


def install(directory: str, group: str, certificate: str, trust: Mapping[str, str]) -> None:
    """Put the issued `certificate` in place with its key, and what the node trusts; each file in one step."""
    group_id, pending = _group_id(group), os.path.join(directory, PENDING)
    for root, text in trust.items():
        file_io.write_file(os.path.join(directory, f"{root}.pem"), text.encode(), 0, group_id, PUBLIC_MODE)
    if certificate:
        pair = file_io.read(pending) + certificate.encode()
        file_io.write_file(os.path.join(directory, NODE), pair, 0, group_id, SECRET_MODE)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(pending)


def _group_id(group: str) -> int:
    found = file_io.group_id(group)
    if found is None:
        raise RefusedError([f"the group {group}, which is to read the node's key, does not exist on this host"])
    return found


def _openssl(run: Run, *arguments: str) -> str:
    try:
        code, out, error = run(["openssl", *arguments])
    except OSError as missing:
        raise ToolError("openssl is not installed on this host: install its package") from missing
    if code != 0:
        raise ToolError(f"openssl {arguments[0]} failed: {error.strip()}")
    return out
