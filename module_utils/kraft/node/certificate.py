"""A node's private key and certificate on its host. The key is made here and never leaves.

``node.pem`` holds both, ``<root>.pem`` the certificates of the authorities. While a certificate is asked for, its key
waits in ``pending.key``: a run that is killed leaves the node with the pair that it had.

A running node loads a renewed certificate without a restart (`loaded`), but its Raft client keeps the one that it was
started with (KAFKA-20025), and the authorities of nodes that it trusted then. So that certificate is kept beside what
the process was started with; systemd removes both with it. Authorities of clients are of no use to the Raft client.
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
from ansible.module_utils.kraft.node.service.record import STARTED_DIR
from ansible.module_utils.kraft.node.service.state import Run, observe_service
from ansible.module_utils.kraft.node.unit_files import is_behind, systemctl

DIRECTORY = "tls"  #: below the install directory
NODE, PENDING = "node.pem", "pending.key"
#: In STARTED_DIR: the certificate that the process was started with, where it has another one by now; and a mark while
#: it has not loaded that one.
OF_PROCESS, UNLOADED = "node.crt", "node.unloaded"
#: There, too: the authorities of clients that the process has loaded while it ran, and the settings of its start.
LOADED, STARTED = "clients.pem", "server.properties"
COPY = "kafka-mirror"  #: a service with a copy of the certificate, which it reads when it starts
#: A process whose first certificate ends within so many days is restarted.
NEAR_END_DAYS = 14
NODES, CLIENTS = "nodes", "clients"
ROOTS = (NODES, CLIENTS)
CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n", re.DOTALL)
READ_KEY = ("openssl", "pkey", "-passin", "pass:", "-in")  #: nobody is asked for a passphrase
DIRECTORY_MODE, SECRET_MODE, PUBLIC_MODE = 0o750, 0o640, 0o644


def observe(run: Run, directory: str) -> dict[str, Any]:
    """``certificate`` (PEM, empty where there is none), ``chain`` (it, and the authorities above it in the same file),
    ``key_fits`` and ``trust`` (root -> PEM). Shows no key.
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
    """What the process that runs was started with: ``trust``, the roots whose file it has read as it is now, and its
    ``certificate`` (PEM, empty where that is not known). Empty where none runs. One without a record runs with
    certificates that are not known.

    One that ``reads`` no certificates is behind in nothing: the files count.
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
    """Whether key and certificate in one file belong together: each gives the same public key."""
    asked = (["openssl", "pkey", "-in", path, "-pubout"], ["openssl", "x509", "-in", path, "-noout", "-pubkey"])
    answers = [run(command) for command in asked]
    return all(code == 0 for code, _, _ in answers) and len({out for _, out, _ in answers}) == 1


def request(run: Run, directory: str, group: str) -> str:
    """A new key, and the request for its certificate as PEM. The name in the request does not count."""
    _ensure_directory(directory, group)
    pending = os.path.join(directory, PENDING)
    kind = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    _openssl(run, "genpkey", *kind, "-out", pending)
    os.chmod(pending, 0o600)
    return _openssl(run, "req", "-new", "-key", pending, "-subj", "/CN=node")


def _ensure_directory(directory: str, group: str) -> int:
    """The id of the group that may read it."""
    group_id = _group_id(group)
    os.makedirs(directory, mode=DIRECTORY_MODE, exist_ok=True)
    os.chown(directory, 0, group_id)
    os.chmod(directory, DIRECTORY_MODE)
    return group_id


def host_key(run: Run, path: str) -> dict[str, str]:
    """Of a private key that lies on this host: its ``public`` key as PEM, or the ``fault`` by which it is of no use."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        return {"public": "", "fault": f"cannot be read: {error.strerror}"}
    if mode & 0o007:
        return {"public": "", "fault": "can be read by others"}
    code, public, _ = run([*READ_KEY, path, "-pubout"])
    return {"public": public, "fault": "" if code == 0 else "is encrypted, or no private key that openssl reads"}


def read_host_key(run: Run, path: str) -> str:
    """As PEM, in the form PKCS#8, which Kafka reads. Raises ToolError."""
    return _openssl(run, *READ_KEY[1:], path)


def install(directory: str, group: str, certificate: str, trust: Mapping[str, str], live: bool = False) -> None:
    """Put `certificate` in place with its key, and what the node trusts; each file in one step.

    `live`: a process that runs will be asked to load it, by this run or, if it is killed, by the next.
    A key that was not made here stands before the certificate.
    """
    group_id, pending = _ensure_directory(directory, group), os.path.join(directory, PENDING)
    if live and os.path.isdir(STARTED_DIR) and reads_certificates():
        _keep_of_process(directory, group_id, renewed=bool(certificate))
    elif certificate and not live:
        _forget_of_process()
    for root, text in trust.items():
        path = os.path.join(directory, f"{root}.pem")
        if trusted(read_text(path)) != trusted(text):  # a younger file has the node restarted
            file_io.write_file(path, text.encode(), 0, group_id, PUBLIC_MODE)
    if certificate:
        made = b"" if "PRIVATE KEY" in certificate else file_io.read(pending)
        pair = made + certificate.encode()
        file_io.write_file(os.path.join(directory, NODE), pair, 0, group_id, SECRET_MODE)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(pending)


def trusted(text: str) -> frozenset[str]:
    """The certificates of a PEM text; their order says who signs, and nothing to those who trust them."""
    return frozenset(CERTIFICATE.findall(text))


def _keep_of_process(directory: str, group_id: int, renewed: bool) -> None:
    kept, shown = os.path.join(STARTED_DIR, OF_PROCESS), CERTIFICATE.search(read_text(os.path.join(directory, NODE)))
    if shown and renewed and not os.path.exists(kept):
        file_io.write_file(kept, shown.group(0).encode(), 0, group_id, PUBLIC_MODE)
    file_io.write_file(os.path.join(STARTED_DIR, UNLOADED), b"", 0, group_id, PUBLIC_MODE)


def _forget_of_process() -> None:
    """The process cannot load what it gets: what it has loaded before must not keep it from its restart."""
    for name in (UNLOADED, OF_PROCESS):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(os.path.join(STARTED_DIR, name))


def is_unloaded() -> bool:
    """Whether the process that runs has still to load the certificate that lies there."""
    return os.path.exists(os.path.join(STARTED_DIR, UNLOADED)) and reads_certificates()


def of_process() -> str:
    """The certificate (PEM) that the process was started with, where it shows another one by now; else empty."""
    return read_text(os.path.join(STARTED_DIR, OF_PROCESS))


def loaded(directory: str) -> None:
    """The process that runs shows the certificate that lies there, and trusts those authorities of clients."""
    text = read_text(os.path.join(directory, f"{CLIENTS}.pem"))
    if text:
        place = os.path.join(STARTED_DIR, LOADED)
        file_io.write_file(place, text.encode(), 0, os.stat(STARTED_DIR).st_gid, PUBLIC_MODE)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(STARTED_DIR, UNLOADED))


def restart_copies(run: Run, check_mode: bool) -> bool:
    """Restart MirrorMaker where it runs with an older certificate; whether it did."""
    behind = is_behind(COPY)
    if behind and not check_mode:
        systemctl(run, "try-restart", COPY)
    return behind


def started_with() -> list[str]:
    """The lines of the settings that the process was started with."""
    return read_text(os.path.join(STARTED_DIR, STARTED)).splitlines()


def reads_certificates() -> bool:
    """Whether the process that runs was started with a keystore or a truststore; not known without its settings.

    With plaintext listeners a node's certificate is for what runs beside Kafka.
    """
    lines = started_with()
    return not lines or any("store.location" in line for line in lines)


def is_trust_loaded(directory: str) -> bool:
    """Whether the process has loaded the authorities of clients that lie there."""
    found = trusted(read_text(os.path.join(STARTED_DIR, LOADED)))
    return bool(found) and found == trusted(read_text(os.path.join(directory, f"{CLIENTS}.pem")))


def is_renewed_live(run: Run) -> bool:
    """Whether the process may go on although ``node.pem`` is younger: it has loaded it, and its first is good."""
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
