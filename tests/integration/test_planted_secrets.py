"""A secret in every place of an inventory that can carry one; real runs show it nowhere but in the node's own files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import secret_watch
import yaml
from ansible.module_utils.kraft.control.generated_passwords import Kept
from ansible.module_utils.kraft.secret_values import HIDDEN
from ansible.parsing.vault import VaultLib, VaultSecret
from secret_watch import MARK, files_with

from tests.unit.spec.inventories import ROOT

BIN = Path(sys.executable).parent
HOSTS = ("kafka1", "kafka2", "kafka3")
PEM = "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----"
JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="{}";'
PLAYBOOK = """
- hosts: kafka1
  connection: local
  gather_facts: false
  vars:
    kafka_hosts: "{{ groups['kafka'] }}"
  tasks:
    - name: Compute the desired state of every node
      kafka_desired:
        hosts: "{{ kafka_hosts }}"
      run_once: true

    - name: Make the directories
      kafka_files:
        directories:
          - {path: "{{ own_place }}", mode: "0755"}
          - {path: "{{ own_place }}/next", mode: "0750"}

    - name: Predict the start, with other files than those that lie there
      ansible.builtin.import_role:
        name: kafka
        tasks_from: steps/start
      check_mode: true
      vars: {__kafka_plans_only: true}

    - name: Write the node's configuration
      ansible.builtin.import_role:
        name: kafka
        tasks_from: steps/configure

    - name: Loop over what is known of the nodes
      ansible.builtin.debug:
        msg: "{{ __kafka_each.node_id }}"
      loop: "{{ ansible_facts['kafka_desired']['nodes'].values() }}"
      loop_control:
        loop_var: __kafka_each
"""


KEY = "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n"
WITH_SECRETS = ("jvm.options", "planted.password", "planted.pem", "server.properties")


def planted(*names: str) -> str:
    """Return a unique secret for each place, so that a found one identifies its origin."""
    return MARK + "-".join(names)


def layer(place: str) -> dict[str, str]:
    """Settings of each kind that carry a secret."""
    return {
        "ssl.keystore.password": planted(place, "named"),
        "listener.name.client.plain.sasl.jaas.config": JAAS.format(planted(place, "jaas")),
        "ssl.keystore.key": PEM.format(planted(place, "pem")),
        "sasl.oauthbearer.jwks.endpoint.url": f"https://a:{planted(place, 'url')}@id.example.com/jwks",
        f"{place}.plugin.api.key": planted(place, "plugin"),
        "remote.log.storage.manager.class.name": "org.example.Manager",
        "rsm.config.storage.aws.secret.access.key": planted(place, "rsm"),
    }


def variables(generation: str) -> dict[str, object]:
    """Return the variables of all hosts; `generation` distinguishes the secrets of one run from those of the next."""
    client = {"kafka.ssl.key.password": planted("client", generation)}
    return {
        "kafka_cluster_name": "planted",
        "kafka_cluster_id": "cGxhbnRlZC1zZWNyZXRzLQ",
        "kafka_profile": "test",
        "kafka_accepted_risks": ["plugin_class", "setting_unknown"],
        "kafka_archive": f"https://a:{planted('archive')}@example.com/kafka_2.13-4.4.0.tgz",
        "kafka_archive_checksum": "sha256:" + "a" * 64,
        "kafka_group": "daemon",
        "ansible_python_interpreter": sys.executable,
        "kafka_config": layer("all"),
        "kafka_group_config": {"ssl.truststore.password": planted("group", generation)},
        "kafka_host_config": {"ssl.key.password": f"{planted('host', generation)}-{{{{ inventory_hostname }}}}"},
        "kafka_jvm_options": [
            f"-Djavax.net.ssl.trustStorePassword={planted('jvm', generation)}",
            f"-javaagent:/opt/agent.jar=port=1,password={planted('agent', generation)}",
        ],
        "kafka_contribution_planted": {
            "files": [
                {"name": "planted.password", "content": planted("whole", generation), "sensitive": True},
                {"name": "planted.pem", "content": KEY.format(planted("key", generation))},
            ]
        },
        "kafka_smoke_client_options": client,
        "kafka_probe_client_options": client,
    }


def written(directory: Path, generation: str, **more: object) -> Path:
    """Write an inventory of three hosts; the play inspects one of them, on this machine."""
    hosts = {name: {"kafka_node_id": at, "kafka_address": f"10.77.0.{at}"} for at, name in enumerate(HOSTS, 1)}
    content = {"kafka": {"hosts": hosts, "vars": {**variables(generation), **more}}}
    path = directory / "inventory" / "hosts.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content))
    return path


def play(directory: Path, playbook: Path, inventory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run with all of Ansible's output; its log, its temporary files and the output of processes are in
    `directory`."""
    (directory / "temporary").mkdir(exist_ok=True)
    given = {
        **os.environ,
        "ANSIBLE_LOG_PATH": str(directory / "ansible.log"),
        "ANSIBLE_LOCAL_TEMP": str(directory / "temporary"),
        "ANSIBLE_REMOTE_TMP": str(directory / "temporary"),
        "TMPDIR": str(directory / "temporary"),
        "KRAFTWRIGHT_TIMELINE": str(directory / "timeline.jsonl"),
        "KRAFTWRIGHT_SECRETS_FOUND": str(directory / "shown"),
        **environment,
    }
    command = [str(BIN / "ansible-playbook"), "-vvv", "--diff", "-i", str(inventory), str(playbook)]
    node = "{{ ansible_facts['kafka_desired']['nodes'][inventory_hostname] | combine({'install_dir': own_place}) }}"
    own_place = f"{directory}/nodes/{{{{ inventory_hostname }}}}"
    command += ["-e", json.dumps({"own_place": own_place, "__kafka_node": node})]
    with subprocess.Popen(command, cwd=ROOT, env=given, stdout=-1, stderr=subprocess.STDOUT, text=True) as process:
        watch = [sys.executable, secret_watch.__file__, "watch", str(directory / "shown"), str(process.pid)]
        with subprocess.Popen(watch):
            said, _ = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, said)


def lines_with_mark(text: str) -> list[str]:
    return [line[:500] for line in text.splitlines() if MARK in line]


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({}, id="pipelining"),
        pytest.param(
            {"ANSIBLE_PIPELINING": "0", "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json"},
            id="files and json",
            marks=pytest.mark.later,
        ),
    ],
)
def test_a_planted_secret_is_in_the_nodes_own_files_alone(tmp_path: Path, environment: dict[str, str]) -> None:
    if os.geteuid() != 0:
        pytest.skip("the node's files belong to root")
    playbook = tmp_path / "play.yml"
    playbook.write_text(PLAYBOOK)
    (tmp_path / "nodes").mkdir()
    kept = [tmp_path / "nodes/kafka1/next" / name for name in WITH_SECRETS]
    inventory = tmp_path / "inventory" / "hosts.yml"
    for generation in ("first", "second"):  # the second one's diff has the first one's secrets on its other side
        written(tmp_path, generation)
        done = play(tmp_path, playbook, inventory, **environment)
        assert done.returncode == 0, done.stdout[-3000:]
        assert lines_with_mark(done.stdout) == []
        assert files_with(tmp_path) == sorted([*kept, inventory])
    assert (tmp_path / "shown").read_text() == ""
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o640}
    text = kept[-1].read_text()
    assert set(layer("all")) <= {line.partition("=")[0] for line in text.splitlines()}
    assert all(planted(*place) in text for place in [("all", "named"), ("all", "pem"), ("group", "second")])
    assert f"{planted('host', 'second')}-kafka1" in text
    assert planted("jvm", "second") in kept[0].read_text()


ISSUED = """
- hosts: kafka1
  connection: local
  gather_facts: false
  tasks:
    - name: Issue the node's certificate
      kafka_certificate:
        directory: "{{ place }}/host"
        group: daemon
        node: {host: kafka1, cluster: planted, names: [kafka1]}
        authority: "{{ place }}/authority"
        passphrase: "{{ passphrase }}"
      register: issued

    - name: Loop over what is known of it
      ansible.builtin.debug:
        msg: "{{ issued }}"
"""


def test_neither_the_passphrase_nor_a_key_is_shown_when_a_certificate_is_issued(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("the node's files belong to root")
    playbook = tmp_path / "play.yml"
    playbook.write_text(ISSUED)
    inventory = written(tmp_path, "first", place=str(tmp_path), passphrase=planted("passphrase"))
    done = play(tmp_path, playbook, inventory)
    assert done.returncode == 0, done.stdout[-3000:]
    assert lines_with_mark(done.stdout) == []
    assert files_with(tmp_path) == [inventory]
    assert (tmp_path / "shown").read_text() == ""
    assert "PRIVATE KEY" not in done.stdout
    keys = [path for path in tmp_path.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]
    assert sorted(path.name for path in keys if path != inventory) == ["clients.key", "node.pem", "nodes.key"]
    assert {path.stat().st_mode & 0o077 for path in keys if path.suffix == ".key"} == {0}
    assert [path.stat().st_mode & 0o777 for path in keys if path.name == "node.pem"] == [0o640]


LOGGED_IN = """
- hosts: kafka1
  connection: local
  gather_facts: false
  tasks:
    - name: Let users log in
      kafka_user:
        client: {bootstrap_servers: ["127.0.0.1:1"]}
        users: "{{ kafka_users | kraft_credentials }}"
        logins: {SCRAM-SHA-512: {bootstrap_servers: ["127.0.0.1:1"], security_protocol: SASL_SSL}}
        timeout: 1
      register: made
      failed_when: made.msg is not search('nothing listens')

    - name: Loop over what is known of it
      ansible.builtin.debug:
        msg: "{{ made }}"
"""


def test_no_password_of_a_user_is_shown(tmp_path: Path) -> None:
    playbook = tmp_path / "play.yml"
    playbook.write_text(LOGGED_IN)
    inventory = written(tmp_path, "first", kafka_users=[{"name": "a", "password": planted("user")}])
    done = play(tmp_path, playbook, inventory)
    assert done.returncode == 0, done.stdout[-3000:]
    assert lines_with_mark(done.stdout) == []
    assert files_with(tmp_path) == [inventory]
    assert (tmp_path / "shown").read_text() == ""


GENERATED = """
- hosts: kafka1
  connection: local
  gather_facts: false
  vars:
    people: "{{ query('kraft_users', kafka_users, kept) }}"
  tasks:
    - name: Generate passwords
      kafka_credentials:
        kind: passwords
        users: "{{ kafka_users }}"
        passwords: "{{ kept }}"
      register: made

    - name: Write what users need to connect
      kafka_client_files:
        path: "{{ place }}/clients"
        desired: "{{ desired }}"
        users: "{{ people }}"

    - name: Let users log in
      kafka_user:
        client: {bootstrap_servers: ["127.0.0.1:1"]}
        users: "{{ people | kraft_credentials }}"
        logins: {SCRAM-SHA-512: {bootstrap_servers: ["127.0.0.1:1"], security_protocol: SASL_SSL}}
        timeout: 1
      register: failure
      failed_when: failure.msg is not search('nothing listens')

    - name: Loop over what is known of it
      ansible.builtin.debug:
        msg: "{{ made }} {{ failure }}"
"""
DESIRED = {
    "cluster": {
        "name": "planted",
        "clients": {"LOGIN": {"bootstrap.servers": "127.0.0.1:1", "security.protocol": "SASL_SSL"}},
        "login_mechanisms": {"LOGIN": ["SCRAM-SHA-512"]},
        "mutual_listeners": [],
    },
    "nodes": {"kafka1": {"certificate": None}},
}


def test_a_generated_password_is_kept_before_it_is_used_and_shown_nowhere(tmp_path: Path) -> None:
    playbook, unlock = tmp_path / "play.yml", tmp_path / "unlock"
    playbook.write_text(GENERATED)
    unlock.write_text(planted("vault"))
    kept = Kept(tmp_path / "kept" / "passwords.yml", VaultLib([("default", VaultSecret(planted("vault").encode()))]))
    kept.write({"before": planted("kept")})  # by a run that was killed before it let the user log in
    users = [{"name": "before"}, {"name": "drawn"}]
    inventory = written(tmp_path, "first", kafka_users=users, place=str(tmp_path), kept=str(kept.path), desired=DESIRED)
    outputs = []
    for changed in (True, False):
        done = play(tmp_path, playbook, inventory, ANSIBLE_VAULT_PASSWORD_FILE=str(unlock))
        assert done.returncode == 0, done.stdout[-3000:]
        assert ("generate a password for drawn" in done.stdout) is changed
        assert "generate a password for before" not in done.stdout
        outputs.append(done.stdout)
    passwords = kept.read()
    assert passwords["before"] == planted("kept")
    assert not any(each in output for each in passwords.values() for output in outputs)
    assert lines_with_mark(outputs[0] + outputs[1]) == []
    assert files_with(tmp_path) == sorted([inventory, unlock, *(tmp_path / "clients" / "before").iterdir()])
    with_drawn = {path for path in tmp_path.rglob("*") if path.is_file() and passwords["drawn"] in path.read_text()}
    assert with_drawn == set((tmp_path / "clients" / "drawn").iterdir())
    assert (tmp_path / "shown").read_text() == ""


WRONG = {
    "kafka_users": [{"name": "a", "passwords": planted("user-typo")}, f"b:{planted('user-text')}"],
    "kafka_tls": {"passphrase": [planted("tls")]},
    "kafka_config": {"ssl.keystore.pasword": planted("typo"), "ssl.key": {"password": planted("nested")}},
    "kafka_group_config": f"{planted('no-mapping')} password={planted('text')}",
    "kafka_jvm_options": f"-Dx.password={planted('no-list')}",
    "kafka_archive": f"s3://a:{planted('scheme')}@example.com/kafka.zip",
    "kafka_smoke_client_options": [f"kafka.ssl.key.password={planted('list')}"],
    "kafka_pasword": planted("unknown"),
    "kafka_contribution_wrong": {
        "jvm_options": [f"-Dx.password={planted('option')}"],
        "unit_lines": [f"Environment=X_PASSWORD={planted('line')}"],
        "files": [{"name": "wrong.txt", "contents": planted("key-of-no-name")}],
    },
}


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_refusal_shows_none(tmp_path: Path, form: str) -> None:
    inventory = written(tmp_path, "first", **WRONG, kafka_report=form)
    done = play(tmp_path, ROOT / "playbooks/validate_inventory.yml", inventory)
    assert done.returncode != 0
    assert [name for name in WRONG if name not in done.stdout] == []
    assert HIDDEN in done.stdout
    assert lines_with_mark(done.stdout) == []
    assert files_with(tmp_path) == [inventory]
