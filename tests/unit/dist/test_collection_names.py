"""The collection's files are made from the checkout's by syntax: names in full, all else unchanged."""

from __future__ import annotations

import io
import json
import tarfile

import pytest

from dist.collection import python, tasks
from dist.collection.build import described, tarball
from dist.collection.tasks import Names

PACKAGE = "ansible_collections.kraftwright.kafka"
NAMES = Names(
    collection="kraftwright.kafka",
    modules=frozenset({"kafka_node", "kafka_probe"}),
    roles=frozenset({"kafka", "kafka_probe"}),
    plugins=frozenset({"kraft_now", "kraft_now_or_never", "kraft_contributions", "kraft_guard", "kraft_home"}),
    playbooks=frozenset({"site", "add_nodes"}),
    packed=frozenset({"client", "spark"}),
)


def test_imports_of_our_modules_get_the_collections_name() -> None:
    source = (
        "from pathlib import Path\n"
        "import ansible.module_utils\n"
        "ansible.module_utils.__path__.append(\n    str(Path(__file__).resolve().parents[2])\n)\n"
        "from ansible.module_utils.basic import AnsibleModule\n"
        "from ansible.module_utils.kraft.errors import KraftError\n"
        'TEXT = "from ansible.module_utils.kraft.errors import KraftError"\n'
    )
    assert python.rewritten(source, PACKAGE) == (
        "from pathlib import Path\n"
        "from ansible.module_utils.basic import AnsibleModule\n"
        f"from {PACKAGE}.plugins.module_utils.kraft.errors import KraftError\n"
        'TEXT = "from ansible.module_utils.kraft.errors import KraftError"\n'
    )


def test_what_starts_alone_finds_the_collection() -> None:
    source = 'import ansible.module_utils\n\nansible.module_utils.__path__.append("x")\n'
    assert python.rewritten(source, PACKAGE, starts_alone=True) == f"import sys\n\n{python.FINDS_COLLECTION}\n"


@pytest.mark.parametrize(
    "source", ["import ansible.module_utils.kraft.errors\n", "from ansible.module_utils import kraft\n"]
)
def test_an_import_in_another_form_stops_the_build(source: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        python.rewritten(source, PACKAGE)


def test_an_action_calls_modules_by_their_full_names() -> None:
    source = 'MODULE = "kafka_node"\nTABLE = {"kafka_node": 1}\nx = loader.action_loader.get("kafka_node", task=1)\n'
    assert python.calls(source, NAMES.modules, "kraftwright.kafka") == (
        'MODULE = "kraftwright.kafka.kafka_node"\nTABLE = {"kafka_node": 1}\n'
        'x = loader.action_loader.get("kraftwright.kafka.kafka_node", task=1)\n'
    )


def test_only_own_documentation_fragments_are_renamed() -> None:
    source = "extends_documentation_fragment: [kafka_client, action_common]\n"
    renamed = python.fragments(source, frozenset({"kafka_client"}), "kraftwright.kafka")
    assert renamed == "extends_documentation_fragment: [kraftwright.kafka.kafka_client, action_common]\n"
    assert python.fragments("none here", frozenset({"kafka_client"}), "kraftwright.kafka") == "none here"


def test_filters_of_a_plugin_are_read_from_its_code() -> None:
    source = 'class FilterModule:\n    def filters(self):\n        return {"kraft_now": now, "kraft_to": to}\n'
    assert python.filters(source) == {"kraft_now", "kraft_to"}


def test_modules_and_roles_of_tasks_get_full_names_and_variables_do_not() -> None:
    source = (
        "- name: Keep # this\n  block:\n    - kafka_node:\n        kafka_node: kafka\n      vars: {kafka_probe: true}\n"
        "  always:\n    - ansible.builtin.include_role:\n        name: kafka\n        tasks_from: kafka\n"
        "- ansible.builtin.debug: {msg: kafka_node}\n"
    )
    assert tasks.rewritten(source, NAMES) == source.replace(
        "    - kafka_node:", "    - kraftwright.kafka.kafka_node:"
    ).replace("name: kafka\n        tasks", "name: kraftwright.kafka.kafka\n        tasks")


def test_every_play_is_guarded_and_an_anchor_stays() -> None:
    source = (
        "- hosts: &all \"{{ groups['x'] }}\"\n  roles:\n    - role: kafka\n- hosts: *all\n- hosts: kafka\n"
        "- ansible.builtin.import_playbook: verify_cluster.yml\n"
    )
    guard = "kraftwright.kafka.kraft_guard"
    assert tasks.rewritten(source, NAMES, "site.yml") == (
        f"- hosts: &all \"{{{{ (groups['x']) | {guard}(groups=groups) }}}}\"\n"
        "  roles:\n    - role: kraftwright.kafka.kafka\n"
        f"- hosts: *all\n- hosts: \"{{{{ 'kafka' | {guard}(groups=groups) }}}}\"\n"
        f"- ansible.builtin.import_playbook: \"{{{{ 'verify_cluster.yml' | {guard}(true) }}}}\"\n"
    )
    switch = tasks.rewritten("- hosts: localhost\n", NAMES, "mirror_cutover.yml")
    assert switch == f"- hosts: \"{{{{ 'localhost' | {guard}(switches=true, groups=groups) }}}}\"\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ a | kraft_now }}", "{{ a | kraftwright.kafka.kraft_now }}"),
        ("{{ a |kraft_now_or_never(1) }}", "{{ a |kraftwright.kafka.kraft_now_or_never(1) }}"),
        ("{{ a | map('kraft_now') }}", "{{ a | map('kraftwright.kafka.kraft_now') }}"),
        ("{{ query('kraft_contributions') }}", "{{ query('kraftwright.kafka.kraft_contributions') }}"),
        ("{{ kraft_now }}", "{{ kraft_now }}"),
        ("run playbooks/add_nodes.yml", "run kraftwright.kafka.add_nodes"),
        ("run playbooks/other.yml", "run playbooks/other.yml"),
        ("{{ playbook_dir | dirname }}/.cache/client/x.zip", "{{ playbook_dir | dirname }}/files/client/x.zip"),
        ("{{ playbook_dir | dirname }}/.kraftwright", "{{ playbook_dir | kraftwright.kafka.kraft_home }}/.kraftwright"),
    ],
)
def test_templates_and_sentences_name_what_the_collection_has(source: str, expected: str) -> None:
    assert tasks.text(source, NAMES) == expected


def test_the_tarball_lists_all_that_is_in_it_and_is_the_same_each_time() -> None:
    files = described({"README.md": b"read", "roles/kafka/files/run.sh": b"run"}, {"name": "kafka"})
    made = tarball(files, frozenset({"roles/kafka/files/run.sh"}))
    assert made == tarball(files, frozenset({"roles/kafka/files/run.sh"}))
    with tarfile.open(fileobj=io.BytesIO(made)) as archive:
        members = {member.name: member for member in archive.getmembers()}
        listed = {row["name"] for row in json.loads(files["FILES.json"])["files"]}
        assert listed == members.keys() - {"MANIFEST.json", "FILES.json"}
        assert members["roles/kafka/files/run.sh"].mode == 0o755
        assert members["README.md"].mode == 0o644
