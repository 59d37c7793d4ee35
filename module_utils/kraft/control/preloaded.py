"""Loads filters before the first worker of a run begins.

Ansible starts a worker for each task and host, as a copy of its main process. That one uses hardly any filter itself
and has none loaded, so each worker loads all of them anew. What the main process has loaded, each worker has.
"""

from __future__ import annotations

import importlib
import pkgutil

from ansible.plugins.loader import filter_loader, test_loader

COLLECTIONS = "ansible_collections."


def load_filters(plugin: str) -> None:
    """Filters and tests of Ansible and of this project. `plugin`: ``__name__`` of an action plugin beside them."""
    filter_loader.get("default")  # with one of them, Ansible loads all that belong to no collection
    test_loader.get("defined")
    package = plugin.partition(".plugins.")[0]
    if package.startswith(COLLECTIONS):
        filters = importlib.import_module(f"{package}.plugins.filter")
        for file in pkgutil.iter_modules(filters.__path__):
            importlib.import_module(f"{filters.__name__}.{file.name}")
