"""One filter chooses the host from which a cluster is queried, so that no run uses a host outside the cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TASK_FILES = [ROOT / "site.yml", *sorted(ROOT.glob("playbooks/**/*.yml")), *sorted(ROOT.glob("roles/*/tasks/**/*.yml"))]
FILES = [*TASK_FILES, *sorted(ROOT.glob("roles/*/vars/*.yml"))]
CHOICE = "kraft_asked("
#: Other delegated hosts: this machine, the node of a batch that the task is about, the host
#: that keeps a file, those whose lock is taken, and the one that `status` found to answer.
NO_CHOICE = {
    "localhost",
    "{{ __kafka_rolled.host }}",
    "{{ __kafka_reverted }}",
    "{{ kafka_hosts | select('in', ansible_play_hosts) | first }}",
    "{{ __kafka_lock_host }}",
    "{{ __kafka_status_through.host | default(inventory_hostname) }}",
    "{{ __kafka_status_through.first | default(inventory_hostname) }}",
}
#: Ansible's filters that make a set, whose order is another one in each run, over names of hosts.
UNORDERED = re.compile(
    r"(hosts|groups\['\w+'\]|members|staying|added|removed|leaving|coming)\w*\s*\|\s*(difference|intersect|union|symmetric_difference)\("
)
#: Uses in which an order makes no difference: counts, or output.
COUNTED = re.compile(r"\)\s*\|\s*(length|join\()")
FIRST = re.compile(r"(hosts\w*|groups\['kafka'\]|nodes)(\[0\](?!\])|\s*\|\s*first\b)")
#: A task that one host of the play does; which one makes no difference.
ONCE = "when: inventory_hostname == ansible_play_hosts[0]"


def values(data: Any) -> Iterator[tuple[str, Any]]:
    """Every key of a YAML document with its value."""
    for key, value in data.items() if isinstance(data, dict) else ():
        yield str(key), value
        yield from values(value)
    for one in data if isinstance(data, list) else ():
        yield from values(one)


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def variables() -> dict[str, str]:
    """Every variable that a role or playbook sets to a text."""
    return {
        key: value
        for path in FILES
        for key, value in values(yaml.safe_load(path.read_text()))
        if isinstance(value, str)
    }


def test_a_task_that_is_delegated_names_its_host_by_the_one_filter() -> None:
    named = variables()
    found = [
        (path, value)
        for path in TASK_FILES
        for key, value in values(yaml.safe_load(path.read_text()))
        if key == "delegate_to" and value not in NO_CHOICE
    ]
    assert found
    for path, value in found:
        variable = re.fullmatch(r"\{\{ (\w+) \}\}", value)
        assert CHOICE in (named[variable[1]] if variable else value), f"{shown(path)}: delegate_to: {value}"


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_no_host_is_the_first_of_a_set_or_of_the_inventory(path: Path) -> None:
    for line in path.read_text().splitlines():
        code = line.split(" #")[0]
        unordered = UNORDERED.search(code) and not COUNTED.search(code)
        assert not unordered, f"{shown(path)}: use reject('in', ...) or select('in', ...), which keep the order: {line}"
        assert not FIRST.search(code.replace(ONCE, "")), f"{shown(path)}: use {CHOICE}...): {line}"
