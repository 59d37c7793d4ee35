"""Files of `render_monitoring.yml` for Prometheus: the same bytes each time, without any connection."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.control import authority

from scripts.watchers import tool
from tests.integration.matrix import later

ROOT = Path(__file__).resolve().parents[2]
NODES = {
    f"k{at}": {"kafka_node_id": at, "ansible_host": f"10.0.0.{at}", "kafka_rack": "abc"[at - 1]} for at in (1, 2, 3)
}
CLUSTER = {
    "kafka_cluster_name": "watched",
    "kafka_cluster_id": "bW9sZWN1bGUtY2x1c3Rlcg",
    "kafka_archive": "http://127.0.0.1/kafka.tgz",
    "kafka_archive_checksum": "sha256:" + "a" * 64,
    "kafka_heap_size": "512m",
}


def render(directory: Path, **variables: Any) -> subprocess.CompletedProcess[str]:
    """Runs the playbook for three hosts that do not exist."""
    inventory = directory / "hosts.yml"
    inventory.write_text(yaml.safe_dump({"kafka": {"hosts": NODES, "vars": {**CLUSTER, **variables}}}))
    command = ["ansible-playbook", "-i", str(inventory), "playbooks/render_monitoring.yml"]
    given = ["-e", json.dumps({"kafka_metrics_dir": str(directory)})]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "250"}
    return subprocess.run([*command, *given], cwd=ROOT, capture_output=True, text=True, check=False, env=environment)


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / "watched/monitoring").iterdir()}


def test_files_are_written_once_and_are_the_same_each_time(tmp_path: Path) -> None:
    given = {"kafka_metrics_page_receiver": "on call", "kafka_metrics_alertmanager": "alerts.example.com:9093"}
    first = render(tmp_path, kafka_metrics=True, kafka_metrics_port=9500, **given)
    assert first.returncode == 0, first.stdout + first.stderr
    before = files(tmp_path)
    second = render(tmp_path, kafka_metrics=True, kafka_metrics_port=9500, **given)
    assert "changed=0" in second.stdout
    assert files(tmp_path) == before
    place = tmp_path / "watched/monitoring"
    checks = [["promtool", "check", "config", "prometheus.yml"], ["amtool", "check-config", "alertmanager.yml"]]
    for name, *command in checks:
        checked = subprocess.run([tool(name), *command], cwd=place, capture_output=True, check=False)
        assert checked.returncode == 0, checked
    assert b"- alerts.example.com:9093" in before["prometheus.yml"]
    receivers = yaml.safe_load(before["alertmanager.yml"])["receivers"]
    assert receivers == [{"name": "on call"}, {"name": "kafka-ticket"}, {"name": "kafka-watchdog"}]
    assert b'"watched"' in before["rules.yml"]
    assert json.loads(before["dashboard_overview.json"])["title"] == "Kafka watched: Overview"
    found = json.loads(before["targets.json"])
    assert [each["targets"] for each in found] == [["10.0.0.1:9500"], ["10.0.0.2:9500"], ["10.0.0.3:9500"]]
    assert [each["labels"]["rack"] for each in found] == ["a", "b", "c"]


@pytest.mark.later
def test_the_key_of_prometheus_comes_and_goes_with_the_proxies(tmp_path: Path) -> None:
    place, directory = tmp_path / "watched/monitoring", tmp_path / "authority"
    users = [{"name": "prometheus", "authentication": "tls"}]
    tls = {"passphrase": "only-for-this-test-0", "directory": str(directory)}
    given = {"kafka_metrics": True, "kafka_users": users, "kafka_tls": tls}
    refused = render(tmp_path, kafka_metrics_tls=True, **given)
    assert refused.returncode != 0
    assert "apply_resources.yml" in refused.stdout
    authority.ensure(authority.Place(directory, tls["passphrase"]), "watched")
    (directory / "users").mkdir()
    (directory / "users/prometheus.pem").write_text("key\n")
    done = render(tmp_path, kafka_metrics_tls=True, **given)
    assert done.returncode == 0, done.stdout
    assert b"scheme: https" in files(tmp_path)["prometheus.yml"]
    assert (place / "scraper.pem").stat().st_mode & 0o777 == 0o600
    assert render(tmp_path, **given).returncode == 0
    assert not {"nodes.pem", "scraper.pem"} & set(files(tmp_path))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "No node publishes metrics"),
        ({"kafka_metrics": True, "kafka_metrics_port": 9092}, "The port is used by CLIENT, kafka_contribution_metrics"),
        ({"kafka_collector": True, "kafka_collector_interval": 1}, "must be from 5 to 60 seconds"),
        ({"kafka_metrics_prot": 9404}, "did you mean kafka_metrics_port?"),
        *later(
            ({"kafka_collector": True}, "No node publishes metrics"),
            ({"kafka_metrics": "maybe"}, "kafka_metrics "),
            ({"kafka_metrics": True, "kafka_metrics_level": "partition"}, "kafka_metrics_level"),
            ({"kafka_metrics": True, "kafka_metrics_port": 80}, "kafka_contribution_metrics.ports"),
            ({"kafka_metrics": True, "kafka_metrics_address": "::"}, "kafka_contribution_metrics.addresses"),
            ({"kafka_metrics": True, "kafka_metrics_address": "10.0.0.1 -Dx=y"}, "is neither an address nor a name"),
            ({"kafka_metrics": True, "kafka_metrics_address": ["a"]}, "kafka_metrics_address"),
            ({"kafka_metrics": True, "kafka_metrics_agent": "a\0b"}, "kafka_contribution_metrics.agents"),
            ({"kafka_metrics": True, "kafka_metrics_agent": "/nowhere.jar"}, "kafka_contribution_metrics.agents"),
            ({"kafka_metrics": True, "kafka_metrics_agent": "/etc/hostname"}, "has the sha256"),
            ({"kafka_collector": True, "kafka_collector_interval": "often"}, "kafka_collector_interval"),
            (
                {"kafka_collector": True, "kafka_collector_exporter": "distributoin"},
                "The file does not exist on this machine",
            ),
            (
                {"kafka_collector": True, "kafka_collector_exporter": "/etc/hostname"},
                "is not an archive of node_exporter",
            ),
            ({"kafka_collector": True, "kafka_collector_exporter_port": 9092}, "kafka_contribution_collector"),
            ({"kafka_collector": True, "kafka_collector_exporter_port": 443}, "kafka_contribution_collector.ports"),
            ({"kafka_collector": True, "kafka_collector_exporter_address": "0.0.0.0"}, "means every address"),  # noqa: S104
            ({"kafka_logs": True}, "has no effect any more"),
        ),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, dict) else "",
)
def test_what_cannot_work_is_refused(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    done = render(tmp_path, **given)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
    assert not (tmp_path / "watched").exists()
