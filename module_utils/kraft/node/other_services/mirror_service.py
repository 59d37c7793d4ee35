"""MirrorMaker on its host: its settings, its secrets, its unit, and whether it runs.

Secrets are in a separate file. ``mirror.properties`` refers to them through Kafka's FileConfigProvider, and so
does what Connect keeps in its topic ``mm2-configs``: no password is written to the cluster.
The service's user reads neither that file nor a key: systemd gives it copies when it starts (``LoadCredential=``).
"""

from __future__ import annotations

import dataclasses
import glob
import ipaddress
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.files.ensure import ensure_files
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.files.plan import temporary
from ansible.module_utils.kraft.node.machine import accounts
from ansible.module_utils.kraft.node.machine.network import ports_in_use
from ansible.module_utils.kraft.node.other_services import mirror_notes, mirror_workers, unit_files
from ansible.module_utils.kraft.node.other_services.unit_files import CONFINED, MARK, credentials, loading, systemctl
from ansible.module_utils.kraft.node.service.client_moves import advertised
from ansible.module_utils.kraft.node.service.unit_state import Run
from ansible.module_utils.kraft.secret_values import is_secret

SERVICE = "kafka-mirror"
USER = "kafka-mirror"  #: role kafka_mirror makes it; not Kafka's own, whose memory it could look into
TARGET = "target"  #: MirrorMaker's alias of this cluster
SECRETS = "secrets.properties"
FILES = (SECRETS, "mirror.properties", "log4j2.yaml", mirror_notes.NOTED, mirror_workers.STORE)
#: Settings that name a file; the service gets a copy of it.
STORES = ("ssl.keystore.location", "ssl.truststore.location")
#: Settings that a client shares with its node to connect to other nodes. Source: Kafka's ``SslConfigs``.
OF_NODE = (
    *("ssl.truststore.location", "ssl.truststore.type", "ssl.truststore.password"),
    *("ssl.keystore.location", "ssl.keystore.type", "ssl.keystore.password", "ssl.key.password"),
    *("ssl.endpoint.identification.algorithm", "ssl.enabled.protocols", "ssl.cipher.suites"),
)
Refuse = Callable[[Mapping[str, str]], None]
LOG4J = f"""{MARK}; changes made here are lost.
Configuration:
  status: warn
  Appenders:
    Console:
      - name: journal
        PatternLayout:
          pattern: "%p %m (%c)%n"
  Loggers:
    Root:
      level: warn
      AppenderRef:
        - ref: journal
    Logger:
      - name: org.apache.kafka.connect.mirror
        level: info
"""


def listed(entries: Iterable[str]) -> str:
    """Every list that MirrorMaker gets: Kafka refuses one that names something twice, and then nothing is copied."""
    return ",".join(dict.fromkeys(entries))


@dataclasses.dataclass(frozen=True)
class Settings:
    """Hold the parts of one host's service.

    ``properties`` and ``secrets``: of MirrorMaker, by whole names. ``listener``, ``protocol``, ``servers``: how
    brokers of this cluster are reached. ``address``, ``port``: where workers of the other ``hosts`` do.
    ``release``: the unpacked release of Kafka that MirrorMaker runs from; brokers may run another one.
    ``into``: alias of the cluster that is written; on the way back after a switch, the other one.
    ``topic_ids``: of the source's topics when their copy began; the service does not read them.
    ``copies``: the directory in which the service finds its own copies of secrets, keys and trusted certificates.
    """

    install_dir: str
    release: str
    java: str
    properties: Mapping[str, str]
    listener: str
    protocol: str
    servers: tuple[str, ...]
    address: str
    port: int
    hosts: int
    heap_mb: int
    secrets: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    into: str = TARGET
    topic_ids: Mapping[str, str] = dataclasses.field(default_factory=dict)
    copies: str = credentials(SERVICE)

    @property
    def home(self) -> str:
        return f"{self.install_dir}/mirror"

    @property
    def libs(self) -> str:
        return f"{self.install_dir}/releases/{self.release}/libs"


def unit_path() -> str:
    return unit_files.unit_path(SERVICE)


def unit(settings: Settings, server: Mapping[str, str]) -> str:
    """The service: it reads what it loads and files that all users may read, and writes nothing."""
    home = settings.home
    return f"""{MARK}; changes made here are lost. To override a line use `systemctl edit {SERVICE}`.
[Unit]
Description=Copies topics between clusters (MirrorMaker of Kafka {settings.release})
Wants=network-online.target
After=network-online.target kafka.service
StartLimitIntervalSec=0

[Service]
Type=exec
User={USER}
{loading(loads(settings, server))}ExecStart={settings.java} -Xms{settings.heap_mb}m -Xmx{settings.heap_mb}m \\
  -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -Dlog4j2.configurationFile={home}/log4j2.yaml -cp {settings.libs}/* \\
  org.apache.kafka.connect.mirror.MirrorMaker {home}/mirror.properties --clusters {settings.into}
Restart=always
RestartSec=5s
SuccessExitStatus=143
TimeoutStopSec=30s
Nice=5
LimitCORE=0
UMask=0077
SyslogIdentifier={SERVICE}
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
{CONFINED}
[Install]
WantedBy=multi-user.target
"""


def of_node(settings: Settings, server: Mapping[str, str]) -> dict[str, str]:
    """Settings of the client that reaches this cluster as the node on whose host it runs; `server`: the node's own."""
    found = {"bootstrap.servers": listed(settings.servers), "security.protocol": settings.protocol}
    if settings.protocol.endswith("SSL"):
        own = {key: server.get(f"listener.name.{settings.listener.lower()}.{key}", server.get(key)) for key in OF_NODE}
        found.update({key: value for key, value in own.items() if value is not None})
    return {f"{TARGET}.{key}": value for key, value in found.items()}


def properties(settings: Settings, server: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return ``mirror.properties`` and the content of the file of secrets."""
    target, own = of_node(settings, server), worker(settings, server)
    secrets = {**settings.secrets, **{key: value for key, value in {**target, **own}.items() if is_secret(key)}}
    plain = {**settings.properties, **target}
    copied = {key: f"{settings.copies}/{key}" for key in stores(plain)}
    return {**plain, **copied, **own, **references(secrets, settings.copies)}, secrets


def loads(settings: Settings, server: Mapping[str, str]) -> dict[str, str]:
    """The files that the service gets a copy of: name of the copy -> file."""
    own = of_node(settings, server)
    workers = settings.hosts > 1 and mirror_workers.is_converted(own)
    made = {mirror_workers.STORE: f"{settings.home}/{mirror_workers.STORE}"} if workers else {}
    return {SECRETS: f"{settings.home}/{SECRETS}", **stores({**settings.properties, **own}), **made}


def stores(properties: Mapping[str, str]) -> dict[str, str]:
    """The settings that name a keystore or a truststore, with its file."""
    return {key: path for key, path in properties.items() if key.endswith(STORES) and path.startswith("/")}


def references(secrets: Iterable[str], directory: str) -> dict[str, str]:
    """A reference for each secret in the file in `directory`, and what resolves it."""
    provider = {
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
        "config.providers.file.param.allowed.paths": directory,
    }
    found = {key: f"${{file:{directory}/{SECRETS}:{key}}}" for key in secrets}
    return {**provider, **found} if found else {}


def worker(settings: Settings, server: Mapping[str, str]) -> dict[str, str]:
    """Return the listener for workers of other hosts; a single worker has none. `server`: the node's own settings."""
    if settings.hosts == 1:
        return {"dedicated.mode.enable.internal.rest": "false"}
    tls = mirror_workers.secured(of_node(settings, server), settings.copies)
    where = advertised(server).get(settings.listener, "").partition(" ")[0]
    name = where.rpartition(":")[0].strip("[]") if tls else ""  # the certificate's
    return mirror_workers.listener(settings.address, settings.port, name or settings.address, tls)


def lines(settings: Mapping[str, str]) -> str:
    """The text of a ``.properties`` file. Source: ``java.util.Properties``."""
    return "".join(f"{key} = {_escaped(value)}\n" for key, value in sorted(settings.items()))


def _escaped(value: str) -> str:
    body = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f"\\{body}" if body.startswith(" ") else body


def wanted(settings: Settings, server: Mapping[str, str]) -> dict[str, Any]:
    """The files as ``ensure_files`` takes them."""
    given, secrets = properties(settings, server)
    home = settings.home
    everybodys = {"owner": "root", "group": "root", "mode": "0644"}
    roots = {**everybodys, "mode": "0600"}
    return {
        "directories": [{"path": home, "owner": "root", "group": "root", "mode": "0755"}],
        "files": [
            {"path": f"{home}/{SECRETS}", "content": lines(secrets), "sensitive": True, **roots},
            {"path": f"{home}/mirror.properties", "content": lines(given), "sensitive": False, **everybodys},
            {"path": f"{home}/log4j2.yaml", "content": LOG4J, "sensitive": False, **everybodys},
            {"path": unit_path(), "content": unit(settings, server), "sensitive": False, **everybodys},
        ],
    }


def is_ours() -> bool:
    """Check that a unit file exists, and that Kraftwright wrote it."""
    return unit_files.is_ours(unit_path())


def refuse_taken_port(run: Run, port: int) -> None:
    """Raises RefusedError if another process listens for other machines at the workers' port."""
    _, said, _ = run(["systemctl", "show", "--property", "MainPID", "--value", SERVICE])
    own = int(said.strip() or 0)
    for one in ports_in_use([port], own):
        if one["pid"] != own and not ipaddress.ip_address(one["address"]).is_loopback:
            holder = f"{one['process'] or 'another process'} (pid {one['pid']})"
            raise RefusedError([f"kafka_mirror_port: {port} is held by {holder}. Give the mirror a free port"])


def ensure(run: Run, settings: Settings, refuse: Refuse, restart: bool, check_mode: bool) -> dict[str, Any]:
    """Bring files and service to what is wanted: ``changed`` and ``diff``.

    `refuse` raises RefusedError for a wrong ``mirror.properties``. `restart`: even if nothing differs.
    """
    unpacked = os.path.isdir(settings.libs) or not check_mode  # in check mode it would be unpacked before
    if unpacked and not glob.glob(f"{settings.libs}/connect-mirror-*.jar"):
        remedy = "Set kafka_mirror_version and kafka_mirror_archive to a release that has it (`make archive-mirror`)"
        raise RefusedError([f"{settings.libs} has no MirrorMaker. {remedy}"])
    unit_files.refuse_foreign([unit_path()], "Remove it, or run this mirror on other hosts")
    if settings.hosts > 1:
        refuse_taken_port(run, settings.port)
    with open(f"{settings.install_dir}/current/config/server.properties", encoding="utf-8") as file:
        server = parse_properties(file.read())
    refuse(properties(settings, server)[0])
    files, loaded = wanted(settings, server), loads(settings, server)
    found = ensure_files(files, check_mode=True)
    notes = ensure_files(mirror_notes.wanted(settings.home, settings.topic_ids), check_mode=check_mode)
    current = not mirror_workers.is_stale(loaded) and is_active(run) and not unit_files.is_behind(SERVICE)
    changed = bool(found["changed"] or restart or not current)
    if changed and not check_mode:
        run(["systemctl", "stop", SERVICE])  # an interrupted run is repeated; the unit may not exist yet
        ensure_files(files)
        mirror_workers.write(loaded)
        systemctl(run, "daemon-reload")
        systemctl(run, "enable", SERVICE)
        systemctl(run, "start", SERVICE)
    return {"changed": bool(changed or notes["changed"]), "diff": found["diff"]}


def remove(run: Run, install_dir: str, check_mode: bool) -> dict[str, Any]:
    """Stop the service and remove its files and its user, if it is the one that role kafka_mirror makes.

    Nothing of what was copied, and nothing that others keep beside them.
    """
    home = f"{install_dir}/mirror"
    changed = _has_ours(home) or is_ours() or accounts.is_of_service(USER)
    if changed and not check_mode:
        if is_ours():
            systemctl(run, "disable", "--now", SERVICE)
        if os.path.isdir(home):
            for name in FILES:
                file_io.remove(f"{home}/{name}")  # with what a killed run has left beside it
            if not os.listdir(home):
                os.rmdir(home)
        if is_ours():  # the last one: it shows the next run that the service must be stopped
            file_io.remove(unit_path())
            systemctl(run, "daemon-reload")
        accounts.remove_user(run, USER)
    return {"changed": changed, "diff": []}


def _has_ours(home: str) -> bool:
    """Check for our files, remains of an interrupted run, or an empty directory."""
    ours = [path for name in FILES for path in (f"{home}/{name}", temporary(f"{home}/{name}"))]
    return any(map(os.path.lexists, ours)) or (os.path.isdir(home) and not os.listdir(home))


def is_active(run: Run) -> bool:
    return run(["systemctl", "is-active", "--quiet", SERVICE])[0] == 0
