"""Causes of a host that cannot be reached or changed: from messages of ssh and sudo to cause and remedy. Pure.

The messages come from runs against hosts with each fault.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Cause:
    """``rule``: its stable name; ``message``: a clause about the host; ``{target}``: arguments of ssh in a command."""

    rule: str
    pattern: str
    message: str
    remedy: str


BY_HAND = "`ssh {target}` shows why"
#: The first match is the cause: narrower patterns precede wider ones.
CAUSES = (
    Cause(
        "jump_host",
        # No "open failed": then the host in between has let ssh in, and reports why it goes no further.
        r"(?s)\A(?!.*open failed).*Connection closed by UNKNOWN port 65535",
        "ssh does not get into the host in between (ProxyJump or ProxyCommand)",
        "log in to the host in between by hand: it is down, refuses the login, or ssh does not know its host key",
    ),
    Cause(
        "jump_host_forbids",
        r"open failed: administratively prohibited",
        "the host in between (ProxyJump) forwards no connection to it",
        "allow that in the sshd_config of the host in between (AllowTcpForwarding, PermitOpen)",
    ),
    Cause(
        "jump_host_apart",
        r"open failed: connect failed: (?!Connection refused)",
        "the host in between (ProxyJump) does not reach it",
        "bring the host up, or correct ansible_host: the host in between must resolve and reach it",
    ),
    Cause(
        "host_key_changed",
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for \S+ has changed",
        "its host key is not the one that ssh knows",
        "if the machine was installed again, forget the old key (ssh-keygen -R and its address) and confirm the new one"
        " with `ssh {target}`; if it was not, another machine may answer",
    ),
    Cause(
        "host_key_unknown",
        r"No \S+ host key is known|Host key verification failed",
        "ssh does not know its host key, or knows another one",
        "run `ssh {target}` once: compare the fingerprint that it shows with the host's, and confirm it; for machines"
        " that were just made set ansible_ssh_common_args: -o StrictHostKeyChecking=accept-new",
    ),
    Cause(
        "key_open",
        r"UNPROTECTED PRIVATE KEY|bad permissions",
        "ssh ignores a private key that others can read",
        "chmod 600 the key file",
    ),
    Cause(
        "sshpass_missing",
        r"sshpass",
        "ssh passwords need the program sshpass on this machine",
        "install sshpass, or bring your key to the host: ssh-copy-id {target}",
    ),
    Cause(
        "login_refused",
        r"Permission denied \(|Permission denied, please try again"
        r"|SSH password (is|was)|Too many authentication failures|Invalid/incorrect (username/)?password",
        "it refuses the login: it has no such user, or does not know the key",
        "check ansible_user and ansible_ssh_private_key_file with `ssh {target}`; ssh-copy-id {target} brings a key,"
        " and a key with a passphrase needs ssh-agent",
    ),
    Cause(
        "name_unresolved",
        r"Could not resolve hostname|Name or service not known|Temporary failure in name resolution",
        "its name does not resolve on this machine",
        "correct ansible_host, or bring the name into DNS or into /etc/hosts of this machine",
    ),
    Cause(
        "sudo_password_wrong",
        r"Incorrect sudo password|incorrect password attempt",
        "sudo does not take the password",
        "give the password of the user on the host (--ask-become-pass); if hosts differ, ansible_become_password"
        " in a vault",
    ),
    Cause(
        "sudo_password_missing",
        r"Missing sudo password|sudo: a password is required",
        "sudo asks for a password",
        "add --ask-become-pass to the command, or let the user use sudo without one (NOPASSWD in /etc/sudoers.d)",
    ),
    Cause(
        "sudo_needs_terminal",
        r"you must have a tty to run sudo",
        "sudo wants a terminal, and Ansible gives it none",
        "let the user use sudo without one: `Defaults:<user> !requiretty` in /etc/sudoers.d of the host",
    ),
    Cause(
        "password_expired",
        r"[Pp]assword has expired|Password change required|required to change your password"
        r"|[Aa]ccount (or password )?(is|has) expired",
        "the account or its password has expired",
        "`ssh {target}` asks for a new password; an account of machines needs none that ends (chage -M -1 -E -1)",
    ),
    Cause(
        "sudo_refused",
        r"is not in the sudoers file|is not allowed to (execute|run)|may not run sudo",
        "its user may not use sudo",
        "let the user use sudo (visudo on the host), or log in as another one (ansible_user)",
    ),
    Cause(
        "sudo_absent",
        r"sudo: (command )?not found|sudo: No such file",
        "it has no sudo",
        "install sudo on the host, or log in as root (ansible_user: root)",
    ),
    Cause(
        "python_absent",
        r"python[\d.]*'?: (command )?(not found|No such file)|No python interpreters found"
        r"|module interpreter \S+ was not found",
        "there is no Python where Ansible looks for it",
        "install python3 on the host, or set ansible_python_interpreter",
    ),
    Cause(
        "python_old",
        r"requires a minimum of Python version|SyntaxError: (future feature annotations is not defined|invalid syntax)",
        "its Python is too old for Ansible",
        "install Python 3.9 or newer beside it, and name that as ansible_python_interpreter of the host",
    ),
    Cause(
        "ssh_refused",
        r"Connection refused",
        "nothing listens on its ssh port (connection refused)",
        "start sshd on it, or correct ansible_host and ansible_port",
    ),
    Cause(
        "ssh_closed",
        r"kex_exchange_identification|Connection (closed|reset) by",
        "its sshd closes the connection",
        "look at sshd's log on the host (journalctl -u ssh): AllowUsers, MaxStartups, a firewall that bans; " + BY_HAND,
    ),
)


def error_text(result: Mapping[str, Any]) -> str:
    """Return all messages of a failed task; a host that refuses before Python runs reports it on its own outputs."""
    said = (str(result.get(name) or "").strip() for name in ("module_stderr", "module_stdout", "msg"))
    return "\n".join(each for each in said if each) or "no answer"


def explain(text: str) -> Cause | None:
    """Return the cause of a failed connection from its messages; None if they show none."""
    return next((cause for cause in CAUSES if re.search(cause.pattern, text)), None)


def remedy(cause: Cause, target: str) -> str:
    """Return the remedy for a host that is reached by ``ssh <target>``."""
    return cause.remedy.format(target=target or "<host>")


def target(variables: Mapping[str, Any], host: str) -> str:
    """Return the arguments of ``ssh`` to reach a host by hand, from its variables."""
    user, port = variables.get("ansible_user"), variables.get("ansible_port")
    address = str(variables.get("ansible_host") or host)
    return " ".join([*(["-p", str(port)] if port else []), f"{user}@{address}" if user else address])
