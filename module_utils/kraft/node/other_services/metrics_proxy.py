"""TLS in front of exporters: stunnel as a service for each of them, with the node's certificate.

An exporter listens on loopback, its proxy on the same port of the node's private address. A proxy starts with the unit
of its exporter, and only if that one was started on loopback. So neither can take the other's socket, whatever is
restarted, killed or reverted meanwhile: an agent that cannot listen would end Kafka's JVM.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.files.ensure import ensure_files
from ansible.module_utils.kraft.node.machine import accounts
from ansible.module_utils.kraft.node.other_services import stunnel_common, unit_files
from ansible.module_utils.kraft.node.other_services.unit_files import MARK, credentials, loading, systemctl
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.served import accepted, showing_other, subjects
from ansible.module_utils.kraft.node.service.record import STARTED_DIR
from ansible.module_utils.kraft.node.service.unit_state import Run

#: The contribution that a proxy serves -> its unit.
SERVICES = {"metrics": "kafka-metrics-proxy", "collector": "kafka-collector-proxy"}
#: Created by role kafka_metrics, without Kafka's group: systemd gives the services what they load.
USER = "kafka-metrics"
BOOT = "multi-user.target"
AGENT = "kafka"  #: the unit that the agent is a part of
LOOPBACK = "127.0.0.1"
SECONDS, POLL_SECONDS = 15.0, 0.2

Settings = Mapping[str, Any]
Proxy = Mapping[str, Any]


def proxies(settings: Settings) -> Sequence[Proxy]:
    """Return the proxies: ``name``, ``address``, ``port``, ``user``, and the unit ``behind`` them (empty: not ours)."""
    found: Sequence[Proxy] = settings.get("proxies", ())
    return found


def config_path(install_dir: str, proxy: Proxy) -> str:
    return f"{install_dir}/metrics_proxy/{proxy['name']}.conf"


def unit_path(name: str) -> str:
    return unit_files.unit_path(SERVICES[name])


def link_path(proxy: Proxy) -> str:
    """Return the link by which systemd starts the proxy with its exporter."""
    wanting = f"{proxy['behind']}.service" if proxy["behind"] else "multi-user.target"
    return f"{unit_files.UNITS}/{wanting}.wants/{SERVICES[proxy['name']]}.service"


def public(proxy: Proxy) -> str:
    return host_port(str(proxy["address"]), int(proxy["port"]))


def config_text(proxy: Proxy, directory: str) -> str:
    """Return stunnel's configuration. An address has no brackets: its last colon is before the port."""
    lines = (
        f"accept = {proxy['address']}:{proxy['port']}",
        f"connect = {LOOPBACK}:{proxy['port']}",
        f"cert = {directory}/{certificate.NODE}",
        f"CAfile = {directory}/{certificate.CLIENTS}.pem",
        "requireCert = yes",
        f"checkHost = {proxy['user']}",
        "TIMEOUTidle = 60",
    )
    return stunnel_common.config_text(proxy["name"], lines)


def sign(proxy: Proxy) -> tuple[str, str]:
    """Return the text that proves a start of the exporter on loopback, and its file; empty if it is not ours."""
    where = f"{LOOPBACK}:{proxy['port']}"
    if proxy["behind"] == AGENT:
        return f"={where}:", f"{STARTED_DIR}/jvm.options"
    if proxy["behind"]:
        return f"--web.listen-address={where} ", unit_files.unit_path(proxy["behind"])
    return "", ""


def is_free(proxy: Proxy) -> bool:
    """Check that the exporter has left the proxy's address."""
    text, path = sign(proxy)
    return text in read_text(path) if text else True


def unit_text(proxy: Proxy, settings: Settings, install_dir: str) -> str:
    """Return the proxy's unit. It loads copies of its certificate and of the authorities of clients at its start."""
    text, path = sign(proxy)
    behind = f"{proxy['behind']}.service" if proxy["behind"] else ""
    condition = f"ExecCondition=+/usr/bin/grep --quiet --fixed-strings --regexp='{text}' {path}\n" if text else ""
    bound = f"After=network-online.target {behind}\nPartOf={behind}\n" if behind else "After=network-online.target\n"
    names = (certificate.NODE, f"{certificate.CLIENTS}.pem")
    lines = condition + loading({name: f"{settings['directory']}/{name}" for name in names})
    return f"""{MARK}; changes made here are lost.
[Unit]
Description=TLS in front of an exporter ({proxy["name"]}), for Prometheus
{bound}StartLimitIntervalSec=0

{stunnel_common.service_text(config_path(install_dir, proxy), USER, settings["log_dirs"], lines, behind or BOOT)}"""


def wanted(settings: Settings, install_dir: str) -> dict[str, Any]:
    """Return the desired files for ``ensure_files``; without proxies, all are absent."""
    given, home = proxies(settings), f"{install_dir}/metrics_proxy"
    contents = {}
    for proxy in given:
        contents[config_path(install_dir, proxy)] = config_text(proxy, credentials(SERVICES[proxy["name"]]))
        contents[unit_path(proxy["name"])] = unit_text(proxy, settings, install_dir)
    ours = [config_path(install_dir, {"name": name}) for name in SERVICES]
    ours += [path for path in map(unit_path, SERVICES) if unit_files.is_ours(path)]
    owned = {"owner": "root", "group": "root", "mode": "0644", "sensitive": False}
    return {
        "directories": [{"path": home, "owner": "root", "group": "root", "mode": "0755"}] if given else [],
        "files": [{"path": path, "content": content, **owned} for path, content in contents.items()],
        "absent": [path for path in ours if path not in contents and os.path.lexists(path)],
    }


def is_active(run: Run, proxy: Proxy) -> bool:
    return run(["systemctl", "is-active", "--quiet", SERVICES[proxy["name"]]])[0] == 0


def pids(run: Run) -> list[int]:
    """Return the processes of the proxies that we have set up, whether or not they are still desired."""
    return stunnel_common.pids(run, SERVICES.values())


def is_stale(run: Run, proxy: Proxy, directory: str) -> bool:
    """Check whether it shows another certificate than the node's, or accepts clients of other authorities."""
    found = certificate.CERTIFICATE.search(read_text(f"{directory}/{certificate.NODE}"))
    if found is None or showing_other([public(proxy)], found.group(0)):
        return True
    trusted = subjects(run, read_text(f"{directory}/{certificate.CLIENTS}.pem"))
    return accepted(public(proxy)) != trusted


def is_wrong(run: Run, proxy: Proxy, directory: str) -> bool:
    """Check whether a proxy runs although its exporter has the address, or is down or stale although it has not."""
    active = is_active(run, proxy)
    if not is_free(proxy):
        return active
    return not active or is_stale(run, proxy, directory)


def due(run: Run, settings: Settings, install_dir: str) -> bool:
    """Check for any difference. A change that must wait for the exporter comes with the exporter's start."""
    given = proxies(settings)
    if ensure_files(wanted(settings, install_dir), check_mode=True)["changed"]:
        return True
    if not given:
        return accounts.is_of_service(USER)
    return (
        not stunnel_common.program()
        or any(not os.path.lexists(link_path(each)) for each in given)
        or any(is_wrong(run, each, settings["directory"]) for each in given)
    )


def ensure(run: Run, settings: Settings, install_dir: str, check_mode: bool) -> bool:
    """Ensure files and services. Returns whether anything was changed, or would be in check mode."""
    changed = due(run, settings, install_dir)
    if not changed or check_mode:
        return changed
    given = proxies(settings)
    if given and not stunnel_common.program():
        raise RefusedError([stunnel_common.MISSING])
    unit_files.refuse_foreign((unit_path(each["name"]) for each in given), "Give your own service another name")
    files = wanted(settings, install_dir)
    known = [name for name in SERVICES if unit_files.is_ours(unit_path(name))]
    if known:  # an exporter may come with other units from now on
        systemctl(run, "disable", "--now", *(SERVICES[name] for name in known))
    ensure_files(files)
    systemctl(run, "daemon-reload")
    for proxy in given:
        systemctl(run, "enable", SERVICES[proxy["name"]])
        systemctl(run, "start", SERVICES[proxy["name"]])
    if not given:
        accounts.remove_user(run, USER)
    wait(run, settings)
    return True


def reload(run: Run, settings: Settings, check_mode: bool) -> bool:
    """Restart proxies with an older certificate, or other authorities. Returns whether any were stale."""
    active = [each for each in proxies(settings) if is_free(each) and is_active(run, each)]
    stale = [each for each in active if is_stale(run, each, settings["directory"])]
    if not check_mode:
        for proxy in stale:
            systemctl(run, "restart", SERVICES[proxy["name"]])
        wait(run, {**settings, "proxies": stale})  # others may not be set up yet, or be down with their exporter
    return bool(stale)


def await_answers(run: Run, settings: Settings) -> None:
    """Wait until each installed proxy answers, as `wait`: a cluster may run before the deployment that adds them."""
    ours = [each for each in proxies(settings) if unit_files.is_ours(unit_path(each["name"]))]
    wait(run, {**settings, "proxies": ours})


def wait(run: Run, settings: Settings) -> None:
    """Wait until each proxy answers whose exporter has left the address. Raises ToolError for the others."""
    deadline = time.monotonic() + SECONDS
    while wrong := [each for each in proxies(settings) if is_wrong(run, each, settings["directory"])]:
        if time.monotonic() > deadline:
            said = ", ".join(f"{SERVICES[one['name']]} on {public(one)}" for one in wrong)
            raise ToolError(
                f"{said}: does not show the node's certificate after {SECONDS:.0f} s; see journalctl --unit "
                f"{SERVICES[wrong[0]['name']]}"
            )
        time.sleep(POLL_SECONDS)
