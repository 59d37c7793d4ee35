"""The collector on its host: program, settings and unit, and the unit of node_exporter that reads its output."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import ALGORITHM, node_setting
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.kafka_terms import SSL
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.files.ensure import ensure_files
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.machine import accounts
from ansible.module_utils.kraft.node.other_services import departed
from ansible.module_utils.kraft.node.other_services.mirror_service import lines
from ansible.module_utils.kraft.node.other_services.unit_files import (
    MARK,
    credentials,
    hardened,
    is_ours,
    loading,
    refuse_foreign,
    systemctl,
    unit_path,
)
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.service.unit_state import Run

COLLECTOR, EXPORTER = SERVICES = ("kafka-collector", "prometheus-node-exporter")
OF_DISTRIBUTION = "/usr/bin/prometheus-node-exporter"
DIRECTORY = "/run/kafka-collector"  #: output of the collector; systemd creates it, and removes it with the service
CORE = __name__.partition(".node.")[0]
PACKAGES = CORE.split(".")[:-1]
LAUNCH = f"import sys\nfrom {CORE}.monitoring.collector import main\nmain(sys.argv[1])\n"
#: Settings that name a file of the node which the collector logs in with.
STORES = ("ssl.truststore.location", "ssl.keystore.location")
OF_NODE = (*STORES, "ssl.keystore.type", "ssl.key.password", ALGORITHM)
MISSING = "\0"
NODE = "node.properties"  #: these settings, readable by root only
#: Created by role kafka_collector. Not Kafka's user: a process of the same user can read Kafka's memory.
USER = "kafka-collector"

Settings = Mapping[str, Any]


def of_node(settings: Settings) -> dict[str, str]:
    """Return the settings by which the collector logs in as the node; empty if it needs no certificate."""
    client = settings["client"]
    path, listener = client.get("node") or "", client.get("listener") or ""
    if not path or not client.get("security_protocol", "").endswith(SSL):
        return {}
    own = parse_properties(read_text(path))
    found = {key: node_setting(own, listener, key, MISSING) for key in OF_NODE}
    return {key: value for key, value in found.items() if value != MISSING}


def loaded(settings: Settings, home: str) -> dict[str, str]:
    """Return name of the collector's copy -> original file."""
    own = of_node(settings)
    stores = {key: path for key, path in own.items() if key in STORES}
    return {NODE: f"{home}/{NODE}", **stores} if own else {}


def node_text(settings: Settings) -> str:
    """Return the settings of `of_node` as text, with the collector's copies in place of the node's files."""
    own = of_node(settings)
    copies = {key: f"{credentials(COLLECTOR)}/{key}" for key in own if key in STORES}
    return lines({**own, **copies})


def collector_unit(settings: Settings, home: str, python: str) -> str:
    """Return the collector's unit. The service reads only what it loads, no data, and cannot listen."""
    hidden = " ".join(f"-{path}" for path in settings["log_dirs"])
    return f"""{MARK}; changes made here are lost.
[Unit]
Description=Lag of Kafka's groups and bytes of its log dirs, for Prometheus
After=network-online.target kafka.service
StartLimitIntervalSec=0

[Service]
Type=exec
{loading(loaded(settings, home))}ExecStart={python} -I {home}/collector.pyz {home}/settings.json
RuntimeDirectory={os.path.basename(DIRECTORY)}
RuntimeDirectoryPreserve=restart
InaccessiblePaths={hidden}
SocketBindDeny=any
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
ProtectProc=invisible
MemoryMax=160M
CPUQuota=25%
{hardened(USER)}"""


def exporter_unit(exporter: Settings) -> str:
    """Return the exporter's unit. It replaces the distribution's, which would listen on every address."""
    return f"""{MARK}; changes made here are lost.
[Unit]
Description=Figures of the machine, and the collector's, for Prometheus
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={exporter["binary"]} --web.listen-address={exporter["listen"]} --collector.textfile.directory={DIRECTORY}
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
{hardened(USER)}"""


def wanted(settings: Settings, install_dir: str, python: str) -> dict[str, Any]:
    """Return the desired files for ``ensure_files``; without `settings`, all are absent."""
    home = f"{install_dir}/collector"
    contents, secret = dict[str, str](), f"{home}/{NODE}"
    if settings:
        own = {**settings, "directory": DIRECTORY, "copied": bool(of_node(settings))}
        if own["copied"]:
            own["client"] = {**settings["client"], "node": f"{credentials(COLLECTOR)}/{NODE}"}
            contents[secret] = node_text(settings)
        contents[f"{home}/settings.json"] = json.dumps(own, indent=1, sort_keys=True) + "\n"
        contents[unit_path(COLLECTOR)] = collector_unit(settings, home, python)
    if settings.get("exporter"):
        contents[unit_path(EXPORTER)] = exporter_unit(settings["exporter"])
    ours = [f"{home}/settings.json", secret, f"{home}/collector.pyz", *filter(is_ours, map(unit_path, SERVICES))]
    gone = [path for path in ours if path not in contents and not (settings and path.endswith(".pyz"))]
    owned = {"owner": "root", "group": "root"}
    return {
        "directories": [{"path": home, "owner": "root", "group": "root", "mode": "0755"}] if settings else [],
        "files": [
            {"path": path, "content": content, "mode": "0600" if path == secret else "0644", **owned}
            | {"sensitive": path == secret}
            for path, content in contents.items()
        ],
        "absent": [path for path in gone if os.path.lexists(path)],
    }


def services(settings: Settings) -> list[str]:
    """Return the services that should run."""
    return [*([COLLECTOR] if settings else []), *([EXPORTER] if settings.get("exporter") else [])]


def due(run: Run, settings: Settings, install_dir: str) -> bool:
    """Check for any difference. The program is identified by the digest in the settings."""
    files = ensure_files(wanted(settings, install_dir, sys.executable), check_mode=True)
    running = services(settings)
    return bool(
        files["changed"]
        or departed.left(install_dir)
        or lacks_exporter(settings)
        or (not settings and accounts.is_of_service(USER))
        or any(run(["systemctl", "is-active", "--quiet", name])[0] != 0 for name in running)
        or (running and not os.path.exists(f"{install_dir}/collector/collector.pyz"))
    )


def lacks_exporter(settings: Settings) -> bool:
    return bool(settings.get("exporter")) and not os.access(settings["exporter"]["binary"], os.X_OK)


def program() -> bytes:
    """Return the loaded modules of the core as a file that Python runs; the same code gives the same bytes."""
    loaded: dict[str, Any] = {name: one.__spec__ for name, one in sys.modules.items() if name.startswith(CORE)}
    above = ["/".join(PACKAGES[: depth + 1]) for depth in range(len(PACKAGES))]
    contents = {"__main__.py": LAUNCH, **{f"{path}/__init__.py": "" for path in above}}
    for name, spec in loaded.items():
        path = name.replace(".", "/") + ("/__init__.py" if spec.submodule_search_locations is not None else ".py")
        contents[path] = spec.loader.get_source(name)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(contents):
            archive.writestr(zipfile.ZipInfo(path), contents[path])
    return made.getvalue()


def ensure(run: Run, settings: Settings, install_dir: str, check_mode: bool) -> bool:
    """Ensure files and services. Returns whether anything was changed, or would be in check mode."""
    changed = due(run, settings, install_dir)
    if not changed or check_mode:
        return changed
    refuse_foreign(map(unit_path, services(settings)), "Set kafka_collector_exporter to present")
    if lacks_exporter(settings):
        raise RefusedError([f"{settings['exporter']['binary']}: is no program. Give another kafka_collector_exporter"])
    files = wanted(settings, install_dir, sys.executable)
    leaving = [name for name in SERVICES if unit_path(name) in files["absent"]]
    if leaving:
        systemctl(run, "disable", "--now", *leaving)
    departed.remove(run, install_dir)
    run(["systemctl", "stop", *services(settings)])  # after a kill the next run starts them; there may be none yet
    ensure_files(files)
    if settings:
        file_io.write_file(f"{install_dir}/collector/collector.pyz", program(), 0, 0, 0o644)
    systemctl(run, "daemon-reload")
    for name in services(settings):
        systemctl(run, "enable", name)
        systemctl(run, "start", name)
    if not settings:
        accounts.remove_user(run, USER)
    return True
