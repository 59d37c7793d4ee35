"""Ansible's linear strategy, carried by mitogen where mitogen is installed and may be used.

Plays say nothing of it: the result is the same either way, only the time differs.
Switch mitogen off with ``KRAFTWRIGHT_MITOGEN=0``; ``-v`` says why it is not used.
"""

from __future__ import annotations

DOCUMENTATION = """
name: kraft_linear
short_description: Host by host in lock step, by mitogen where it is there
description:
  - Task by task on all hosts at the same time, as P(ansible.builtin.linear#strategy) does it.
  - mitogen keeps one Python process on each host in place of one ssh command for each task. It is used when it can be
    imported, when this version of ansible-core is one that it supports, and when C(KRAFTWRIGHT_MITOGEN) is not V(0).
  - Under mitogen, too, a task whose connection failed is repeated as often as C(retries) in C(ansible.cfg) says.
author: Kraftwright
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.strategy.linear import StrategyModule as Linear
from ansible.release import __version__
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control import reconnect

DISPLAY = Display()
#: How ansible-core begins what it says in every run with a strategy that is not its own.
OWN_DEPRECATION = "Use of strategy plugins not included in ansible.builtin"
NEWEST_CORE = (2, 19)  # the last ansible-core that mitogen 0.3.54 says it supports


#: Characters of a socket's path on Linux (unix(7)), and of what mitogen adds to the directory of temporary files.
SOCKET_PATH = 107
SOCKET_NAME = len("/mitogen_unix_12345678.sock")


def objection(core: str, switch: str, temporary: str = "") -> str:
    """Why mitogen must not be used with ansible-core `core` and the environment's `switch`; empty when it may.

    `temporary`: the directory of temporary files. Where its name is too long for a socket, mitogen waits for ever.
    """
    if switch.strip().lower() in ("0", "no", "false", "off"):
        return f"KRAFTWRIGHT_MITOGEN is {switch}"
    if tuple(int(part) for part in core.split(".")[:2]) > NEWEST_CORE:
        return f"ansible-core {core} is newer than mitogen knows ({NEWEST_CORE[0]}.{NEWEST_CORE[1]})"
    if len(os.fsencode(temporary)) + SOCKET_NAME > SOCKET_PATH:
        return f"the name of the directory of temporary files is too long for its socket ({temporary})"
    return ""


def honour_ssh_args(connection: Any) -> None:
    """Let ssh's arguments decide over unknown host keys and over hosts that fall silent, as without mitogen.

    mitogen puts ``StrictHostKeyChecking yes`` and a keepalive of five minutes before the arguments of inventory and
    ansible.cfg, and of two values ssh takes the first: ``accept-new`` would have no effect.
    """
    boot_command = connection.get_boot_command

    def get_boot_command(self: Any) -> Any:
        given = " ".join(map(str, self.options.ssh_args or ())).lower()
        if "serveraliveinterval" in given:
            self.options.keepalive_enabled = False
        if "stricthostkeychecking" in given:
            self.options.check_host_keys = "by ssh_args"  # neither of mitogen's own: it adds no option
        return boot_command(self)

    connection.get_boot_command = get_boot_command


def strategy() -> type[Linear]:
    """The class that runs a play: mitogen's on top of Ansible's own, or Ansible's own."""
    reason = objection(__version__, os.environ.get("KRAFTWRIGHT_MITOGEN", ""), tempfile.gettempdir())
    if not reason:
        try:
            import mitogen.ssh  # noqa: PLC0415
            from ansible_mitogen.mixins import ActionModuleMixin  # noqa: PLC0415
            from ansible_mitogen.strategy import StrategyMixin  # noqa: PLC0415

            ActionModuleMixin.run = reconnect.persistent(ActionModuleMixin.run, DISPLAY.display)
            honour_ssh_args(mitogen.ssh.Connection)
            return type("StrategyModule", (StrategyMixin, Linear), {})
        except ImportError as error:
            reason = str(error)
    DISPLAY.v(f"Tasks go over plain ssh, without mitogen: {reason}")
    return Linear


def without_own_deprecation(deprecated: Callable[..., None]) -> Callable[..., None]:
    """Ansible's ``Display.deprecated`` that leaves out what is said of this plugin; the plays do without it, too."""

    def shown(msg: str, *arguments: Any, **options: Any) -> None:
        _skip_stackwalk = True  # by this name ansible-core knows frames that are not the caller's
        if not msg.startswith(OWN_DEPRECATION):
            deprecated(msg, *arguments, **options)

    return shown


StrategyModule = strategy()
DISPLAY.deprecated = without_own_deprecation(DISPLAY.deprecated)
