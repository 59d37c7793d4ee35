"""Kafka's log files to a receiver: the configurations of rsyslog and stunnel, and their units. Pure.

rsyslog reads the files and keeps lines in a queue on disk while the receiver is away (RELP). It connects to stunnel
on loopback, which connects to the receiver with TLS. Neither is the system's own instance.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.node import certificate, stunnel
from ansible.module_utils.kraft.node.unit_files import MARK, hardened, loading

SHIPPER, PROXY = SERVICES = ("kafka-logs", "kafka-logs-proxy")
RSYSLOG = "/usr/sbin/rsyslogd"
USER = "kafka-logs"  #: role kafka_logs makes it; not Kafka's own
QUEUE = "kafka-logs"  #: how the names of the queue's files begin, in the work directory
ROOTS = "receiver.pem"  #: whom stunnel trusts
#: Of role kafka's log4j2.yaml.j2, without ``.log``.
FILES = ("server", "controller", "state-change", "kafka-authorizer")
LOOPBACK = "127.0.0.1"
#: Level of log4j -> severity of syslog.
SEVERITIES = {"FATAL": 2, "ERROR": 3, "WARN": 4, "INFO": 6, "DEBUG": 7, "TRACE": 7}
USUAL = "INFO"  #: of a line without a level
FACILITY = 16  #: local0
LEVEL = rf"^\[[^]]*\] ({'|'.join(SEVERITIES)}) "
BEGIN = r"^\[[0-9]{4}-[0-9]{2}-[0-9]{2} "  #: of a message; other lines belong to the one before
LONGEST_KB = 256  #: of a message, such as a stack trace
HELD_SECONDS = 2  #: for which a last message waits for more lines
FILE_MB = 16  #: the queue consists of such files
KEPT = 100  #: after so many lines the place in a file is noted; as many come twice after a kill

Settings = Mapping[str, Any]


def quoted(text: str) -> str:
    """As a string of rsyslog's language; in an expression it must have no dollar sign."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def message(settings: Settings) -> str:
    """The template of a message (RFC 5424). Its text is an object of JSON."""
    known = json.dumps({key: settings[key] for key in ("cluster", "cluster_id", "node_id", "host")})
    host = re.sub(r"[^A-Za-z0-9.:_-]", "_", settings["host"])
    head = f"<%$.priority%>1 %timereported:::date-rfc3339% {host} kafka {settings['node_id']} %syslogtag% - "
    rest = ', "file": "%syslogtag:::json%.log", "level": "%$.level%", "message": "%msg:::json%"}'
    return head + known.removesuffix("}").replace("%", "\\u0025") + rest


def priorities() -> str:
    """The severity of each message, by its level."""
    lines = [f'  set $.level = re_extract($msg, {quoted(LEVEL)}, 0, 1, "{USUAL}");']
    lines += [
        f'  if ($.level == "{level}") then {{ set $.priority = "{8 * FACILITY + severity}"; }}'
        for level, severity in SEVERITIES.items()
    ]
    return "\n".join(lines)


def inputs(settings: Settings) -> str:
    """The pattern also finds a file that Kafka has renamed meanwhile: its rest is read by its inode."""
    patterns = {name: quoted(f"{settings['log_dir']}/{name}.log*") for name in FILES}
    return "\n".join(
        f'input(type="imfile" ruleset="ship" tag="{name}" file={pattern} startmsg.regex={quoted(BEGIN)}\n'
        f'  readTimeout="{HELD_SECONDS}" escapeLF="off" persistStateInterval="{KEPT}" maxSubmitAtOnce="1")'
        for name, pattern in patterns.items()
    )


def rsyslog_text(settings: Settings, work: str, since: str) -> str:
    """`since`: the time at which shipping was switched on, as Kafka writes it. Older lines are not shipped.

    The queue notes each line before the place in the file is noted, so a kill loses none. Where the queue is full,
    reading waits: lines stay in Kafka's files.
    """
    queue_mb = int(settings["queue_mb"])
    return f"""{MARK}; changes made here are lost.
global(workDirectory={quoted(work)} maxMessageSize="{LONGEST_KB}k" localHostname={quoted(settings["host"])}
  net.enableDNS="off")
main_queue(queue.type="Direct")
module(load="imfile" mode="inotify")
module(load="omrelp")
template(name="message" type="string" string={quoted(message(settings))})
ruleset(name="ship" queue.type="Direct") {{
  if ($msg < {quoted(f"[{since}")}) then {{ stop }}
{priorities()}
  action(type="omrelp" target="{LOOPBACK}" port="{settings["port"]}" template="message" timeout="30" conn.timeout="10"
    action.resumeRetryCount="-1" action.resumeInterval="1" action.resumeIntervalMax="15"
    queue.type="Disk" queue.filename="{QUEUE}" queue.maxDiskSpace="{queue_mb}m"
    queue.maxFileSize="{max(1, min(FILE_MB, queue_mb // 4))}m" queue.size="1000000000" queue.checkpointInterval="1"
    queue.saveOnShutdown="on" queue.timeoutEnqueue="2000000000" queue.timeoutShutdown="1000")
}}
{inputs(settings)}
"""


def stunnel_text(settings: Settings, place: str) -> str:
    """The receiver must have a certificate of the roots in `place` with its name, and sees the one there."""
    receiver = settings["receiver"]
    return stunnel.config_text(
        "logs",
        (
            "client = yes",
            f"accept = {LOOPBACK}:{settings['port']}",
            f"connect = {receiver['host']}:{receiver['port']}",
            "delay = yes",  # the receiver's name is looked up at each connection
            f"cert = {place}/{certificate.NODE}",
            f"CAfile = {place}/{ROOTS}",
            f"{'checkIP' if is_ip(receiver['host']) else 'checkHost'} = {receiver['host']}",
        ),
    )


def is_ip(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def shipper_unit(settings: Settings, config: str, group: str, install_dir: str) -> str:
    """It reads the log files by the group of Kafka. It sees no data, and of the install dir only its configuration.

    It is stopped by a kill: asked to end, rsyslog takes lines out of the queue that nobody has acknowledged.
    A configuration is tried first: rsyslog starts with what it understands of a faulty one. Each of its threads is
    started with the usual scheduling, by a call that other services do not need.
    """
    hidden = " ".join(f"-{path}" for path in settings["hidden"])
    return f"""{MARK}; changes made here are lost.
[Unit]
Description=Kafka's log files to a receiver, by rsyslog
After={PROXY}.service
Wants={PROXY}.service
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStartPre={RSYSLOG} -N1 -f {config}
ExecStart={RSYSLOG} -n -iNONE -f {config}
Group={group}
StateDirectory={SHIPPER}
StateDirectoryMode=0700
KillSignal=SIGKILL
SuccessExitStatus=SIGKILL
TemporaryFileSystem={install_dir}:ro
BindReadOnlyPaths={os.path.dirname(config)} {settings["log_dir"]}
InaccessiblePaths={hidden}
SocketBindDeny=any
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
ProtectProc=invisible
MemoryMax=128M
{hardened(USER, allowed="sched_setscheduler")}"""


def proxy_unit(settings: Settings, config: str, roots: str) -> str:
    """It has copies of its certificate and of the `roots`, as they are when it starts."""
    lines = loading({certificate.NODE: f"{settings['directory']}/{certificate.NODE}", ROOTS: roots})
    return f"""{MARK}; changes made here are lost.
[Unit]
Description=TLS of Kafka's log files, to their receiver
After=network-online.target
StartLimitIntervalSec=0

{stunnel.service_text(config, USER, settings["hidden"], lines)}"""
