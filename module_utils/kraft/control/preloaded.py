"""Make Ansible's workers cheap, once in its main process.

Ansible starts a worker for each task and host, as a copy of its main process. That one uses hardly any filter and has
none loaded, so each worker would load all of them. Filters loaded in the main process are loaded in each worker.

A worker shares the memory of the main process until it writes to it. Python's garbage collector writes to every object,
so the kernel would copy all of it for each worker. A worker ends with its task, so it needs no collection.
"""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil

from ansible.plugins.loader import filter_loader, test_loader

COLLECTIONS = "ansible_collections."

os.register_at_fork(after_in_child=gc.disable)  # once: Python keeps this module


def load_filters(plugin: str) -> None:
    """Load filters and tests of Ansible and of this project. `plugin`: ``__name__`` of an action plugin beside them."""
    filter_loader.get("default")  # with one of them, Ansible loads all that belong to no collection
    test_loader.get("defined")
    package = plugin.partition(".plugins.")[0]
    if package.startswith(COLLECTIONS):
        filters = importlib.import_module(f"{package}.plugins.filter")
        for file in pkgutil.iter_modules(filters.__path__):
            importlib.import_module(f"{filters.__name__}.{file.name}")
