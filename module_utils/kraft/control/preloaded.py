"""Load filters before the first worker of a run begins.

Ansible starts a worker for each task and host, as a copy of its main process. That one uses hardly any filter and has
none loaded, so each worker would load all of them. Filters loaded in the main process are loaded in each worker.
"""

from __future__ import annotations

import importlib
import pkgutil

from ansible.plugins.loader import filter_loader, test_loader

COLLECTIONS = "ansible_collections."


def load_filters(plugin: str) -> None:
    """Load filters and tests of Ansible and of this project. `plugin`: ``__name__`` of an action plugin beside them."""
    filter_loader.get("default")  # with one of them, Ansible loads all that belong to no collection
    test_loader.get("defined")
    package = plugin.partition(".plugins.")[0]
    if package.startswith(COLLECTIONS):
        filters = importlib.import_module(f"{package}.plugins.filter")
        for file in pkgutil.iter_modules(filters.__path__):
            importlib.import_module(f"{filters.__name__}.{file.name}")
