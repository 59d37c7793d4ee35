"""Playbooks, tasks and templates of the checkout, converted for the collection: our names in full. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

HERE = "{{ playbook_dir | dirname }}"
BLOCKS = ("block", "rescue", "always", "tasks", "pre_tasks", "post_tasks", "handlers")
ROLE_TASKS = ("ansible.builtin.include_role", "ansible.builtin.import_role")
IMPORT = "ansible.builtin.import_playbook"
PROOF = "verify_cluster.yml"
SWITCH = "mirror_cutover.yml"
ANCHOR = re.compile(r"&\w+ +")


@dataclass(frozen=True)
class Names:
    """Short names of the checkout that have full names in the collection."""

    collection: str
    modules: frozenset[str] = field(default_factory=frozenset)
    roles: frozenset[str] = field(default_factory=frozenset)
    #: Filters and lookups that templates call.
    plugins: frozenset[str] = field(default_factory=frozenset)
    playbooks: frozenset[str] = field(default_factory=frozenset)
    #: Directories below .cache that are packed into the collection.
    packed: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Edit:
    """Replacement of the characters ``start`` to ``end`` of a file by ``text``."""

    start: int
    end: int
    text: str


def rewritten(source: str, names: Names, playbook: str = "") -> str:
    """Rewrite a YAML file of tasks, or the `playbook` of that name, in full names. Comments and layout stay."""
    tree = yaml.compose(source, Loader=yaml.SafeLoader)
    for edit in sorted(set(edits(tree, names, playbook)), key=lambda one: -one.start):  # an alias is its anchor's node
        anchor = ANCHOR.match(source, edit.start, edit.end)
        source = source[: anchor.end() if anchor else edit.start] + edit.text + source[edit.end :]
    return text(source, names)


def edits(node: yaml.Node | None, names: Names, playbook: str) -> Iterator[Edit]:
    """Yield the edits at the keys and values of plays, tasks and blocks."""
    if isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from edits(each, names, playbook)
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.value in names.modules:
            yield full(key, names)
        elif key.value in BLOCKS:
            yield from edits(value, names, playbook)
        elif key.value in ROLE_TASKS:
            yield from role_names(value, names)
        elif key.value == "roles":
            yield from (edit for each in value.value for edit in role_names(each, names))
        elif playbook and (key.value == "hosts" or (key.value, value.value) == (IMPORT, PROOF)):
            yield guarded(value, playbook)


def full(node: yaml.Node, names: Names) -> Edit:
    """Return the edit that replaces a short name by the full one."""
    return Edit(node.start_mark.index, node.end_mark.index, f"{names.collection}.{node.value}")


def role_names(node: yaml.Node, names: Names) -> Iterator[Edit]:
    """Yield edits for the role of an include, of an import, or of an entry of a play's roles."""
    if isinstance(node, yaml.ScalarNode):
        yield from [full(node, names)] if node.value in names.roles else []
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value in ("name", "role") and value.value in names.roles:
                yield full(value, names)


def guarded(node: yaml.Node, playbook: str) -> Edit:
    """Pass the hosts of a play of `playbook`, or the name of another one, through the filter that refuses a run."""
    inner = re.fullmatch(r"\{\{ (.*) \}\}", node.value)
    value = f"({inner[1]})" if inner else f"'{node.value}'"
    given = ["true"] if PROOF in (playbook, node.value) else []
    given += ["switches=true"] if playbook == SWITCH else []
    given += ["groups=groups"] if not node.value.endswith(".yml") else []  # an import is none of a play
    call = f"kraft_guard({', '.join(given)})" if given else "kraft_guard"
    return Edit(node.start_mark.index, node.end_mark.index, json.dumps(f"{{{{ {value} | {call} }}}}"))


def text(source: str, names: Names) -> str:
    """Rewrite templates and sentences: filters, lookups, the user's folder, packed files, names of playbooks."""
    kept = "|".join(sorted(names.packed))
    source = re.sub(rf"\.cache/(?={kept})", "files/", source) if kept else source
    source = re.sub(re.escape(HERE) + r"(?!/files/)", "{{ playbook_dir | kraft_home }}", source)
    called = "|".join(sorted(names.plugins, key=len, reverse=True))
    if called:
        source = re.sub(rf"(\| *|\b(?:map|query|lookup)\(')({called})\b", rf"\1{names.collection}.\2", source)
    return sentences(source, names)


def sentences(source: str, names: Names) -> str:
    """Rewrite the names of playbooks in messages and comments."""
    known = "|".join(sorted(names.playbooks, key=len, reverse=True))
    return re.sub(rf"\bplaybooks/({known})\.yml\b", rf"{names.collection}.\1", source) if known else source
