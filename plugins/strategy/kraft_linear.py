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
author: Kraftwright
"""

import os
from typing import Any

from ansible.plugins.strategy.linear import StrategyModule as Linear
from ansible.release import __version__
from ansible.utils.display import Display

NEWEST_CORE = (2, 19)  # the last ansible-core that mitogen 0.3.54 says it supports


def objection(core: str, switch: str) -> str:
    """Why mitogen must not be used with ansible-core `core` and the environment's `switch`; empty when it may."""
    if switch.strip().lower() in ("0", "no", "false", "off"):
        return f"KRAFTWRIGHT_MITOGEN is {switch}"
    if tuple(int(part) for part in core.split(".")[:2]) > NEWEST_CORE:
        return f"ansible-core {core} is newer than mitogen knows ({NEWEST_CORE[0]}.{NEWEST_CORE[1]})"
    return ""


def honour_ssh_args(connection: Any) -> None:
    """Let ``ansible_ssh_common_args`` decide over unknown host keys, as without mitogen.

    mitogen puts ``StrictHostKeyChecking yes`` before the arguments of the inventory, and of two values ssh takes the
    first: ``accept-new`` would have no effect.
    """
    boot_command = connection.get_boot_command

    def get_boot_command(self: Any) -> Any:
        if any("stricthostkeychecking" in str(word).lower() for word in self.options.ssh_args or ()):
            self.options.check_host_keys = "by ssh_args"  # neither of mitogen's own: it adds no option
        return boot_command(self)

    connection.get_boot_command = get_boot_command


def strategy() -> type[Linear]:
    """The class that runs a play: mitogen's on top of Ansible's own, or Ansible's own."""
    reason = objection(__version__, os.environ.get("KRAFTWRIGHT_MITOGEN", ""))
    if not reason:
        try:
            import mitogen.ssh  # noqa: PLC0415
            from ansible_mitogen.strategy import StrategyMixin  # noqa: PLC0415

            honour_ssh_args(mitogen.ssh.Connection)
            return type("StrategyModule", (StrategyMixin, Linear), {})
        except ImportError as error:
            reason = str(error)
    Display().v(f"Tasks go over plain ssh, without mitogen: {reason}")
    return Linear


StrategyModule = strategy()
