"""The sample rule, run by ansible-rulebook: which alert restarts which node. A stand-in replaces the restart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from tests.integration.kafka_node import free_ports
from tests.long.environments import installed
from tests.long.lab_hosts import ANSIBLE, ROOT

RULE = ROOT / "samples/rulebook/restart_stuck_node.yml"
TOKEN = "only-for-a-test"  # noqa: S105 - of this test
STUCK = {"alertname": "KafkaThreadsDeadlocked", "cluster": "orders", "host": "kafka2"}


def stand_in(home: Path) -> Path:
    """Write a playbook that notes what it was given, as restart_cluster.yml would get it."""
    noted = {"nodes": "{{ kafka_restart_nodes }}", "limit": "{{ ansible_limit | default('') }}"}
    copy = {"content": "{{ noted | to_json }}", "dest": str(home / "restarted.json"), "mode": "0600"}
    play = {"hosts": "kafka", "gather_facts": False, "vars": {"noted": noted}}
    task = {"ansible.builtin.copy": copy, "run_once": True}
    path = home / "restart.yml"
    path.write_text(yaml.safe_dump([{**play, "tasks": [task]}]))
    return path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rulebook")


@pytest.fixture(scope="module")
def port(home: Path) -> Iterator[int]:
    """The port on which the rule listens."""
    programs = installed(ROOT / "requirements/samples/rulebook.lock", home)
    (number,) = free_ports(1)
    given = {"cluster": "orders", "listen_host": "127.0.0.1", "listen_port": number, "token": TOKEN}
    (home / "vars.yml").write_text(yaml.safe_dump({**given, "playbook": str(stand_in(home))}))
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    hosts = dict.fromkeys(("kafka1", "kafka2", "kafka3"), local)
    (home / "hosts.yml").write_text(json.dumps({"kafka": {"hosts": hosts}}))
    line = [str(programs / "ansible-rulebook"), "-r", str(RULE), "-i", str(home / "hosts.yml")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    environment = {**kept, "PATH": f"{programs}:{ANSIBLE}:{os.environ['PATH']}"}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [*line, "--vars", str(home / "vars.yml")], cwd=home, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        wait(lambda: post(number, "wrong", STUCK) == 401, 240)
        yield number
    finally:
        process.terminate()
        process.wait(60)


def post(port: int, token: str, labels: dict[str, str], status: str = "firing") -> int:
    """Send an alert as Alertmanager does; the status of the answer."""
    content = json.dumps({"status": status, "commonLabels": labels}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/alert", content, headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def wait(done: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(OSError):
            if done():
                return
        time.sleep(0.5)
    raise TimeoutError(f"not within {seconds:.0f} s")


def test_only_the_alert_of_one_node_of_this_cluster_restarts_it(home: Path, port: int) -> None:
    """Alerts about data, of another cluster, of no single node, and ended ones come first: none may be the restart."""
    others = (
        {**STUCK, "alertname": "KafkaLogDirOffline"},
        {**STUCK, "cluster": "another"},
        {"alertname": STUCK["alertname"]},
    )
    assert [post(port, TOKEN, labels) for labels in others] == [200] * 3
    assert post(port, TOKEN, {**STUCK, "host": "kafka3"}, "resolved") == 200
    assert post(port, TOKEN, STUCK) == 200
    found = home / "restarted.json"
    wait(found.exists, 240)
    assert json.loads(found.read_text()) == {"nodes": ["kafka2"], "limit": "all"}
    runs = (home / "log").read_text().count("PLAY RECAP")
    assert runs <= 1
