"""The inventory of this run, as options of the next command."""

from __future__ import annotations

import os

from ansible import constants, context


def inventory_options() -> str:
    """The options that name this run's inventory to the next command; nothing when it is the default."""
    sources = [str(source) for source in context.CLIARGS.get("inventory") or ()]
    if sources in ([], [str(source) for source in constants.DEFAULT_HOST_LIST]):
        return ""
    return " ".join(f"-i {shown(source)}" for source in sources)


def shown(source: str) -> str:
    """A path as one types it from here; a list of hosts as it is."""
    relative = os.path.relpath(source) if os.path.isabs(source) else source
    return source if relative.startswith("..") else relative
