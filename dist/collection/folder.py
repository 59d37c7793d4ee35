"""The folder of a new user of the collection: settings of Ansible, packages of the control machine, an inventory."""

from __future__ import annotations

import configparser
import io
import re
from pathlib import Path
from typing import Any

import tomllib

from dist import checkout
from dist.collection import tasks
from dist.collection.tasks import Names

#: In the collection. One command unpacks it into the user's folder, before anything is installed.
PLACE = "files/example"
EXAMPLE = "inventories/example"
#: Settings of the checkout that lead to its own plugins: Ansible finds those of a collection by itself.
OWN = (
    *(
        "roles_path",
        "library",
        "module_utils",
        "action_plugins",
        "filter_plugins",
        "lookup_plugins",
        "inventory_plugins",
    ),
    *("doc_fragment_plugins", "callback_plugins"),
)
CALLBACKS = ("callbacks_enabled", "stdout_callback")
#: Texts of the example: in the checkout -> in a folder with the collection.
TEXTS = {
    "# Your hosts. Copy this directory (`cp -r inventories/example inventories/mine`), change it,": (
        "# Your hosts. Change this directory,"
    ),
    " -i inventories/mine ": " ",
    "{{ inventory_dir }}/../../.cache/kafka/": "{{ inventory_dir }}/../",
    "`make cluster-id`": "`kafka-storage.sh random-uuid`",
}
ARCHIVE = re.compile(r"# Kafka's archive: .*?(?=^kafka_version)", re.DOTALL | re.MULTILINE)
ARCHIVE_TEXT = (
    "# Kafka's archive: a path on this machine, or a URL that each node can reach.\n"
    "# With Apache's archive in the folder above:\n"
    "# `sha256sum kafka_2.13-4.4.0.tgz > kafka_2.13-4.4.0.tgz.sha256`, once it has the digest that Apache publishes.\n"
)


def folder(root: Path, names: Names) -> dict[str, bytes]:
    """Return path in the collection -> content."""
    found = {str(path): (root / path).read_text(encoding="utf-8") for path in checkout.tracked(root, EXAMPLE)}
    inventory = {f"inventory/{path.removeprefix(f'{EXAMPLE}/')}": example(text, names) for path, text in found.items()}
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    made = {
        **inventory,
        "ansible.cfg": settings((root / "ansible.cfg").read_text(encoding="utf-8"), names.collection),
        "requirements.txt": requirements(project),
    }
    return {f"{PLACE}/{path}": text.encode() for path, text in made.items()}


def example(source: str, names: Names) -> str:
    """Return a file of the example inventory."""
    for of_checkout, of_collection in TEXTS.items():
        source = source.replace(of_checkout, of_collection)
    return tasks.sentences(ARCHIVE.sub(ARCHIVE_TEXT, source), names)


def requirements(project: dict[str, Any]) -> str:
    """Return the Python packages of the control machine, in pip's format."""
    return "".join(f"{line}\n" for line in project["dependencies"])


def settings(source: str, collection: str) -> str:
    """Return the checkout's ansible.cfg without its own paths, with callbacks by their full names."""
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.read_string(source)
    defaults = parsed["defaults"]
    for name in OWN:
        del defaults[name]
    for name in CALLBACKS:
        defaults[name] = f"{collection}.{defaults[name]}"
    defaults.update({"inventory": "inventory", "collections_path": "collections"})
    written = io.StringIO()
    parsed.write(written)
    return written.getvalue()
