"""Options of this run for the next command: its inventory and what reading it needs."""

from __future__ import annotations

import os
import shlex

from ansible import constants, context

#: Prompt at the start of a run -> its option.
FLAGS = {"ask_vault_pass": "--ask-vault-pass", "become_ask_pass": "--ask-become-pass"}


def inventory_options() -> str:
    """Return the options with which the next command reads the same inventory and becomes root; none for defaults.

    Inventories, vault passwords, the prompt for sudo's password, the remote user and files of variables. Single values
    on the command line belong to this run alone.
    """
    given = context.CLIARGS
    sources = [str(source) for source in given.get("inventory") or ()]
    named = [] if sources == [str(source) for source in constants.DEFAULT_HOST_LIST] else sources
    words = [f"-i {shown(source)}" for source in named]
    words += [f"--vault-id {each}" for each in given.get("vault_ids") or ()]
    words += [f"--vault-password-file {shown(str(each))}" for each in given.get("vault_password_files") or ()]
    words += [option for name, option in FLAGS.items() if given.get(name)]
    words += (
        [f"-u {given['remote_user']}"] if given.get("remote_user") not in (None, constants.DEFAULT_REMOTE_USER) else []
    )
    files = [str(each)[1:] for each in given.get("extra_vars") or () if str(each).startswith("@")]
    return " ".join([*words, *(f"-e @{shown(file)}" for file in files)])


def shown(source: str) -> str:
    """Return a path as typed from here; a list of hosts as it is."""
    relative = os.path.relpath(source) if os.path.isabs(source) else source
    text = source if relative.startswith("..") else relative
    return text if text.startswith("~/") else shlex.quote(text)
