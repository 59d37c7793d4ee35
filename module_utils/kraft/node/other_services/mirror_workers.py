"""MirrorMaker's workers on several hosts: the REST listener by which one reaches another, and its keystore.

In a cluster with TLS the listener shows the node's certificate, and answers only to certificates of nodes' authority.
Connect's server reads no PEM files, so it gets a keystore that is made of them. Source: Connect's ``SSLUtils``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ansible.module_utils.kraft.client_config import PEM, host_port
from ansible.module_utils.kraft.node.files.apply import read, write_file
from ansible.module_utils.kraft.node.java_keystore import PASSWORD, keystore
from ansible.module_utils.kraft.node.other_services.unit_files import loaded

STORE = "workers.jks"
KEYSTORE, TRUSTSTORE = "ssl.keystore", "ssl.truststore"
TARGET = "target."  #: before the settings of the cluster that the node belongs to


def listener(address: str, port: int, name: str, tls: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a worker that listens. `name`: its host for others; `tls`: as of `secured`, or empty."""
    scheme = "https" if tls else "http"
    return {
        "dedicated.mode.enable.internal.rest": "true",
        "listeners": f"{scheme}://{host_port(address, port)}",
        "rest.advertised.listener": scheme,
        "rest.advertised.host.name": name,
        "rest.advertised.port": str(port),
        **{f"listeners.https.{key}": value for key, value in tls.items()},
    }


def secured(own: Mapping[str, str], copies: str) -> dict[str, str]:
    """Return TLS settings of the listener by those of the client of the node (`own`); none without a keystore.

    `copies`: the directory of the service's files.
    """
    tls = {key.removeprefix(TARGET): value for key, value in own.items() if key.startswith(f"{TARGET}ssl.")}
    if f"{KEYSTORE}.location" not in tls:
        return {}
    places = {key: f"{copies}/{TARGET}{key}" for key in tls if key.endswith("store.location")}
    if is_converted(own):
        made = {"location": f"{copies}/{STORE}", "type": "JKS", "password": PASSWORD}
        places = {f"{store}.{key}": value for store in (KEYSTORE, TRUSTSTORE) for key, value in made.items()}
    return {**tls, **places, "ssl.client.auth": "required"}


def is_converted(own: Mapping[str, str]) -> bool:
    """Check whether the node's keystore is PEM, so that the listener needs `STORE`."""
    return own.get(f"{TARGET}{KEYSTORE}.type") == PEM


def content(loads: Mapping[str, str]) -> bytes:
    """Return the keystore of the PEM files in `loads` (name of the copy -> file). Raises RefusedError, OSError."""
    files = [loads.get(f"{TARGET}{store}.location") for store in (KEYSTORE, TRUSTSTORE)]
    key, trusted = (read(file).decode() if file else "" for file in files)
    return keystore(key, trusted)


def is_stale(loads: Mapping[str, str]) -> bool:
    """Check whether `STORE` is among `loads` and differs from the node's files. Raises RefusedError, OSError."""
    if STORE not in loads:
        return False
    wanted = content(loads)
    return not os.path.isfile(loads[STORE]) or read(loads[STORE]) != wanted


def write(loads: Mapping[str, str]) -> None:
    """Write `STORE`, readable for root alone, if it is among `loads`."""
    if is_stale(loads):
        write_file(loads[STORE], content(loads), 0, 0, 0o600)


def renew(service: str) -> None:
    """Write `STORE` again after the node's certificate was renewed, if the unit of `service` loads it."""
    write(loaded(service))
