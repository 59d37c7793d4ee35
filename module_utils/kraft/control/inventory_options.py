"""The inventory of this run and what it needs to be read, as options of the next command."""

from __future__ import annotations

import os
import shlex

from ansible import constants, context

#: What a run asks for when it starts -> the option.
FLAGS = {"ask_vault_pass": "--ask-vault-pass", "become_ask_pass": "--ask-become-pass"}


def inventory_options() -> str:
    """The options with which the next command reads the same inventory and becomes root; nothing for defaults.

    Inventories, vault passwords, the question for sudo's password, the remote user and files of variables. Values that
    were given on the command line one by one are the run's own.
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
    """A path as one types it from here; a list of hosts as it is."""
    relative = os.path.relpath(source) if os.path.isabs(source) else source
    text = source if relative.startswith("..") else relative
    return text if text.startswith("~/") else shlex.quote(text)
