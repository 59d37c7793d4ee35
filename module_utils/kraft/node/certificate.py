"""Private key and certificate of a node, on its host. The key is generated here and never leaves the host.

``node.pem`` holds both, ``<root>.pem`` the certificates of the authorities. While a certificate is requested, its key
waits in ``pending.key``: a killed run leaves the node with its previous pair.

A running node loads a renewed certificate without a restart (`loaded`). Its Raft client keeps the certificate and the
node authorities of its start (KAFKA-20025). So that certificate is kept in the record of the process, and systemd
removes both. The Raft client does not use the authorities of clients.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.other_services import mirror_workers
from ansible.module_utils.kraft.node.other_services.unit_files import is_behind, systemctl
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.service.record import STARTED_DIR
from ansible.module_utils.kraft.node.service.unit_state import Run, observe_service

DIRECTORY = "tls"  #: below the install directory
NODE, PENDING = "node.pem", "pending.key"
#: In STARTED_DIR: the certificate of the process's start, once it is replaced; and a marker while the new one is not
#: loaded.
OF_PROCESS, UNLOADED = "node.crt", "node.unloaded"
#: Also there: the authorities of clients that the running process has loaded, and the settings of its start.
LOADED, STARTED = "clients.pem", "server.properties"
COPY = "kafka-mirror"  #: a service with a copy of the certificate, which it reads at its start
#: A process is restarted if its first certificate expires within this many days.
NEAR_END_DAYS = 14
NODES, CLIENTS = "nodes", "clients"
ROOTS = (NODES, CLIENTS)
CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", re.DOTALL)
READ_KEY = ("openssl", "pkey", "-passin", "pass:", "-in")  #: without a prompt for a passphrase
DIRECTORY_MODE, SECRET_MODE, PUBLIC_MODE = 0o750, 0o640, 0o644


def observe(run: Run, directory: str) -> dict[str, Any]:
    """Return ``certificate`` (PEM, empty if missing), ``chain`` (with the authorities above it in the same file),
    ``key_fits`` and ``trust`` (root -> PEM). Never returns a key.
    """
    path = os.path.join(directory, NODE)
    found = CERTIFICATE.search(read_text(path))
    roots = {root: read_text(os.path.join(directory, f"{root}.pem")) for root in ROOTS}
    return {
        "certificate": found.group(0) if found else "",
        "chain": "".join(CERTIFICATE.findall(read_text(path))),
        "key_fits": bool(found) and _key_fits(run, path),
        "trust": {root: text for root, text in roots.items() if text},
        "unloaded": is_unloaded() or is_behind(COPY),
        "process": process(run, directory),
    }


def process(run: Run, directory: str) -> dict[str, Any]:
    """Return the certificates of the running process: ``trust``, the roots whose file it has read as it is now, and its
    ``certificate`` (PEM, empty if unknown). Empty if no process runs; without a record, both are unknown.

    A process that ``reads`` no certificates is never outdated: the files count.
    """
    started = file_io.lstat(os.path.join(STARTED_DIR, STARTED))
    if started is None:
        return {"reads": True, "trust": [], "certificate": ""} if observe_service(run).pid else {}

    reads = reads_certificates()

    def is_read(name: str) -> bool:
        found = file_io.lstat(os.path.join(directory, name))
        return found is not None and (not reads or found.st_mtime < started.st_mtime)

    shown = CERTIFICATE.search(read_text(os.path.join(directory, NODE))) if is_read(NODE) else None
    certificate = of_process() or (shown.group(0) if shown else "")
    trust = [root for root in ROOTS if is_read(f"{root}.pem") or (root == CLIENTS and is_trust_loaded(directory))]
    return {"reads": reads, "trust": trust, "certificate": certificate}


def _key_fits(run: Run, path: str) -> bool:
    """Check that key and certificate in one file belong together: both give the same public key."""
    asked = (["openssl", "pkey", "-in", path, "-pubout"], ["openssl", "x509", "-in", path, "-noout", "-pubkey"])
    answers = [run(command) for command in asked]
    return all(code == 0 for code, _, _ in answers) and len({out for _, out, _ in answers}) == 1


def request(run: Run, directory: str, group: str) -> str:
    """Generate a key and return its certificate request (PEM). The name in the request is ignored."""
    _ensure_directory(directory, group)
    pending = os.path.join(directory, PENDING)
    kind = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    _openssl(run, "genpkey", *kind, "-out", pending)
    os.chmod(pending, 0o600)
    return _openssl(run, "req", "-new", "-key", pending, "-subj", "/CN=node")


def _ensure_directory(directory: str, group: str) -> int:
    """Create the directory and return the id of the group that may read it."""
    group_id = _group_id(group)
    os.makedirs(directory, mode=DIRECTORY_MODE, exist_ok=True)
    os.chown(directory, 0, group_id)
    os.chmod(directory, DIRECTORY_MODE)
    return group_id


def host_key(run: Run, path: str) -> dict[str, str]:
    """Return the ``public`` key (PEM) of a private key on this host, or the ``fault`` that makes it unusable."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        return {"public": "", "fault": f"The key cannot be read: {error.strerror}"}
    if mode & 0o007:
        return {"public": "", "fault": "Others can read the key"}
    code, public, _ = run([*READ_KEY, path, "-pubout"])
    return {"public": public, "fault": "" if code == 0 else "The key is encrypted, or openssl cannot read it"}


def read_host_key(run: Run, path: str) -> str:
    """Return a private key as PEM in PKCS#8, the form that Kafka reads. Raises ToolError."""
    return _openssl(run, *READ_KEY[1:], path)


def install(directory: str, group: str, certificate: str, trust: Mapping[str, str], live: bool = False) -> None:
    """Install `certificate` with its key, and the trusted authorities; each file is replaced in one step.

    `live`: this run makes the running process load it; if this run is killed, the next one does.
    A key that was not generated here precedes the certificate.
    """
    group_id, pending = _ensure_directory(directory, group), os.path.join(directory, PENDING)
    if live and os.path.isdir(STARTED_DIR) and reads_certificates():
        _keep_of_process(directory, group_id, renewed=bool(certificate))
    elif certificate and not live:
        _forget_of_process()
    for root, text in trust.items():
        path = os.path.join(directory, f"{root}.pem")
        if trusted(read_text(path)) != trusted(text):  # a newer file causes a restart
            file_io.write_file(path, text.encode(), 0, group_id, PUBLIC_MODE)
    if certificate:
        made = b"" if "PRIVATE KEY" in certificate else file_io.read(pending)
        pair = made + certificate.encode()
        file_io.write_file(os.path.join(directory, NODE), pair, 0, group_id, SECRET_MODE)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(pending)


def trusted(text: str) -> frozenset[str]:
    """Return the certificates of a PEM text as a set: their order does not matter for trust."""
    return frozenset(CERTIFICATE.findall(text))


def _keep_of_process(directory: str, group_id: int, renewed: bool) -> None:
    kept, shown = os.path.join(STARTED_DIR, OF_PROCESS), CERTIFICATE.search(read_text(os.path.join(directory, NODE)))
    if shown and renewed and not os.path.exists(kept):
        file_io.write_file(kept, shown.group(0).encode(), 0, group_id, PUBLIC_MODE)
    file_io.write_file(os.path.join(STARTED_DIR, UNLOADED), b"", 0, group_id, PUBLIC_MODE)


def _forget_of_process() -> None:
    """Forget certificates that the process has loaded live: it cannot load the new one and must be restarted."""
    for name in (UNLOADED, OF_PROCESS):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(os.path.join(STARTED_DIR, name))


def is_unloaded() -> bool:
    """Check that the running process has not loaded the installed certificate yet."""
    return os.path.exists(os.path.join(STARTED_DIR, UNLOADED)) and reads_certificates()


def of_process() -> str:
    """Return the certificate (PEM) of the process's start if another one is loaded by now; else an empty text."""
    return read_text(os.path.join(STARTED_DIR, OF_PROCESS))


def loaded(directory: str) -> None:
    """Record that the running process has loaded the installed certificate and the authorities of clients."""
    text = read_text(os.path.join(directory, f"{CLIENTS}.pem"))
    if text:
        place = os.path.join(STARTED_DIR, LOADED)
        file_io.write_file(place, text.encode(), 0, os.stat(STARTED_DIR).st_gid, PUBLIC_MODE)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(STARTED_DIR, UNLOADED))


def restart_copies(run: Run, check_mode: bool) -> bool:
    """Restart MirrorMaker if it runs with an older certificate. Returns whether it was outdated."""
    behind = is_behind(COPY)
    if behind and not check_mode:
        mirror_workers.renew(COPY)
        systemctl(run, "try-restart", COPY)
    return behind


def started_with() -> list[str]:
    """Return the lines of the settings that the process was started with."""
    return read_text(os.path.join(STARTED_DIR, STARTED)).splitlines()


def reads_certificates() -> bool:
    """Check that the running process was started with a keystore or truststore; True if its settings are unknown.

    With plaintext listeners, only services beside Kafka use the node's certificate.
    """
    lines = started_with()
    return not lines or any("store.location" in line for line in lines)


def is_trust_loaded(directory: str) -> bool:
    """Check that the process has loaded the installed authorities of clients."""
    found = trusted(read_text(os.path.join(STARTED_DIR, LOADED)))
    return bool(found) and found == trusted(read_text(os.path.join(directory, f"{CLIENTS}.pem")))


def is_renewed_live(run: Run) -> bool:
    """Check that a newer ``node.pem`` needs no restart: it is loaded, and the first certificate is still valid."""
    kept = os.path.join(STARTED_DIR, OF_PROCESS)
    if not os.path.exists(kept):
        return False
    code, _, _ = run(["openssl", "x509", "-in", kept, "-noout", "-checkend", str(NEAR_END_DAYS * 86400)])
    return code == 0


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
