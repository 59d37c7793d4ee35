"""Two clusters from one control machine at the same time: runs, locks and state apart. One is known by names alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.long.lab_hosts import ROOT, LabHosts, name_of

NAMED_HOSTS = ("east1", "east2", "east3")
#: Nodes are reached by names; one listener is advertised as a NAT would forward it, by another name and port.
NAMED = [
    {"name": "CLIENT", "port": 9092, "purpose": "client", "bind": "0.0.0.0", "advertised": "{host}"},  # noqa: S104
    {"name": "NAT", "port": 29092, "purpose": "client", "bind": "0.0.0.0", "advertised": "{host}.nat:39092"},  # noqa: S104
    {"name": "INTERNAL", "port": 19092, "purpose": "inter_broker", "advertised": "{host}"},
    {"name": "CONTROLLER", "port": 9093, "purpose": "controller", "advertised": "{host}"},
]


def listeners() -> list[dict[str, object]]:
    """``NAMED`` in the form of an inventory."""
    made: list[dict[str, object]] = []
    for entry in NAMED:
        host, _, port = str(entry["advertised"]).replace("{host}", "{{ inventory_hostname }}").partition(":")
        made.append({**entry, "advertised": {"host": host, "port": int(port or str(entry["port"]))}})
    return made


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    home = tmp_path_factory.mktemp("side")
    lab = LabHosts(home, name_of("side"), (*NAMED_HOSTS, "west1"))
    try:
        lab.play("main")
        yield lab
    finally:
        lab.play("destroy")


def names(lab: LabHosts) -> dict[str, str]:
    """Address of each name, those of the forwarded ports, too."""
    known = yaml.safe_load((lab.home / "hosts.yml").read_text())["all"]["hosts"]
    addresses = {host: str(entry["ansible_host"]) for host, entry in known.items()}
    return addresses | {f"{host}.nat": address for host, address in addresses.items()}


def with_names(lab: LabHosts) -> tuple[str, ...]:
    """Return a command's prefix on this machine for the lab's names beside its own: the machine's file stays."""
    own = lab.home / "names"
    lines = [f"{address} {name}" for name, address in names(lab).items()]
    own.write_text(Path("/etc/hosts").read_text() + "\n".join(lines) + "\n")
    return ("unshare", "--mount", "sh", "-c", f'mount --bind {own} /etc/hosts && exec "$@"', "sh")


@pytest.fixture(scope="module")
def clusters(lab: LabHosts) -> Iterator[dict[str, Path]]:
    """Both are built and proven at the same time; name of the cluster -> its state directory."""
    east, west = (f"{lab.name}-{side}" for side in ("east", "west"))
    inventories = {
        east: lab.inventory(east, NAMED_HOSTS, kafka_cluster_id="c2lkZS1ieS1zaWRlLWVhcw", kafka_listeners=listeners()),
        west: lab.inventory(west, ("west1",), kafka_cluster_id="c2lkZS1ieS1zaWRlLXdlcw"),
    }
    for host in NAMED_HOSTS:
        lines = "".join(f"{address} {name}\\n" for name, address in names(lab).items())
        lab.podman(host, "sh", "-c", f"printf '{lines}' >>/etc/hosts")
    state = {name: ROOT / ".kraftwright" / name for name in inventories}
    started = {
        name: lab.start("-i", str(path), "site.yml", "-e", "kafka_smoke_records=5000", before=with_names(lab))
        for name, path in inventories.items()
    }
    ended = {name: (*process.communicate(timeout=550), process.returncode) for name, process in started.items()}
    try:
        assert {name: code for name, (_, _, code) in ended.items()} == dict.fromkeys(ended, 0), ended
        yield state
    finally:
        for directory in state.values():
            shutil.rmtree(directory, ignore_errors=True)


def test_two_clusters_are_built_and_proven_at_the_same_time_each_with_its_own_state(clusters: dict[str, Path]) -> None:
    reports = [json.loads((directory / "report.json").read_text()) for directory in clusters.values()]
    assert [report["verdict"]["outcome"] for report in reports] == ["proven", "proven"]
    ids = {str(report["cluster"]["cluster_id"]) for report in reports}
    assert ids == {"c2lkZS1ieS1zaWRlLWVhcw", "c2lkZS1ieS1zaWRlLXdlcw"}
    timelines = [(directory / "timeline.jsonl").read_text() for directory in clusters.values()]
    assert ["west1" in text for text in timelines] == [False, True]
    assert ["east1" in text for text in timelines] == [True, False]
    files = [(directory / "CLIENT.properties").read_text() for directory in clusters.values()]
    assert ["east1:9092" in text for text in files] == [True, False]


def test_a_run_of_one_cluster_does_not_wait_for_a_run_of_the_other(lab: LabHosts, clusters: dict[str, Path]) -> None:
    east, west = (lab.home / name for name in clusters)
    restart = "playbooks/restart_cluster.yml"
    running = lab.start("-i", str(east), restart, before=with_names(lab))
    done = lab.run("-i", str(west), restart)
    seen = running.poll()
    out, err = running.communicate(timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert running.returncode == 0, out + err
    assert seen is None, "one node restarted while three did"


@pytest.mark.usefixtures("clusters")
def test_voters_and_bootstrap_servers_are_names(lab: LabHosts) -> None:
    settings = lab.podman("east1", "cat", "/opt/kafka/config/server.properties")
    advertised = next(line for line in settings.splitlines() if line.startswith("advertised.listeners="))
    assert "CLIENT://east1:9092" in advertised
    assert "NAT://east1.nat:39092" in advertised
    assert "controller.quorum.bootstrap.servers=east1:9093,east2:9093,east3:9093" in settings
