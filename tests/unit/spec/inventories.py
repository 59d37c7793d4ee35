"""Inventories as files, looked at with the action plugin's own eyes but without a playbook's run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from ansible.inventory.manager import InventoryManager
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
from ansible.vars.hostvars import HostVars
from ansible.vars.manager import VariableManager

from plugins.action import kafka_desired

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "inventories/example"


@lru_cache(maxsize=1)
def load_plugins() -> None:
    """Ansible's own start, which it wants once."""
    init_plugin_loader()


def host_variables(source: Path, secrets: list[Any] | None = None) -> HostVars:
    """The variables of an inventory's hosts, as every task sees them."""
    load_plugins()
    loader = DataLoader()
    loader.set_vault_secrets(secrets or [])
    inventory = InventoryManager(loader=loader, sources=[str(source)])
    return HostVars(inventory, VariableManager(loader=loader, inventory=inventory), loader)


def read_inventory(
    source: Path, group: str = "kafka", needs: Sequence[str] = ("release",)
) -> tuple[Cluster, list[Problem]]:
    """The cluster that an inventory describes, and what is wrong with it."""
    hostvars = host_variables(source)
    hosts = [str(host) for host in hostvars._inventory.groups[group].get_hosts()]
    return kafka_desired.read_inventory(hostvars, hostvars._loader, hosts, kafka_desired.Run(needs))


def written(path: Path, files: dict[str, Any]) -> Path:
    """An inventory of files below `path`, with an archive that is there."""
    for name, content in files.items():
        file = path / "inventories/it" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    archive = path / ".cache/kafka/kafka_2.13-4.4.0.tgz"
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.touch()
    digest = hashlib.sha256(b"").hexdigest()
    archive.with_name(archive.name + ".sha256").write_text(f"{digest}  {archive.name}\n")
    return path / "inventories/it"


#: Placeholders of the example that a reader must replace -> replacement.
REPLACED = {"192.0.2.": "10.0.1.", "by-id/example-": "by-id/nvme-", "ZXhhbXBsZS1jaGFuZ2UtbQ": "nq3DoF4lQiqcqPnYvYPP7g"}


def edited(text: str) -> str:
    """A file of the example as a reader leaves it."""
    for placeholder, own in REPLACED.items():
        text = text.replace(placeholder, own)
    return text


def example(path: Path, hosts: str | dict[str, str] | None = None, **overrides: Any) -> Path:
    """A copy of the example whose placeholders are replaced, with other hosts and with other variables."""
    files: dict[str, Any] = {
        str(file.relative_to(EXAMPLE)): edited(file.read_text()) for file in EXAMPLE.rglob("*.yml") if file.is_file()
    }
    for name in files if overrides else ():
        content = yaml.safe_load(files[name]) if name.startswith("group_vars/") else {}
        if set(content) & set(overrides):
            files[name] = yaml.safe_dump({key: each for key, each in content.items() if key not in overrides})
    given = hosts if isinstance(hosts, dict) else {"hosts.yml": hosts} if hosts else {}
    return written(path, {**files, **given, **({"group_vars/kafka/zz.yml": overrides} if overrides else {})})


def variants() -> list[dict[str, str]]:
    """Return the inventories in the example's comments: the hosts file, and the files that go with it."""
    found: list[dict[str, str]] = []
    text = (EXAMPLE / "hosts.yml").read_text()
    for name, block in re.findall(
        r"^(?:# File (\S+):\n#\n)?(# kafka\w*:.*\n(?:#.*\n)+|# kafka\w*:.*\n)", text, re.MULTILINE
    ):
        content = edited("".join(f"{line[2:]}\n" for line in block.splitlines()))
        if name:
            found[-1][name] = content
        else:
            found.append({"hosts.yml": content})
    return found
