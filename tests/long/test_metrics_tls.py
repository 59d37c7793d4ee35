"""Exporters behind a TLS proxy: who gets in, what a renewal does, and what a second run does, on three real hosts."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.long.lab_hosts import ROOT, LabHosts, temporary

#: Setup of the first test includes two deployments: at a load of 40 they took longer than the usual 600 s.
pytestmark = pytest.mark.timeout(1800)
HOSTS = ("scraped1", "scraped2", "scraped3")
PORTS = {9404: "kafka_quorum_leader_id", 9100: "kafka_collector_timestamp_seconds"}
PID = "systemctl show --value --property=MainPID "
SETTINGS: dict[str, Any] = {
    "kafka_cluster_id": "bWV0cmljcy10bHMtbGFiMQ",
    "kafka_security": "tls",
    "kafka_metrics": True,
    "kafka_collector": True,
    "kafka_users": [
        {"name": "prometheus", "authentication": "tls"},
        {"name": "stranger", "authentication": "tls"},
    ],
}
ON = ("-e", json.dumps({"kafka_metrics_tls": True}))
WAITING = ("-e", json.dumps({"kafka_restart_nodes": []}))
#: Metrics off and a listener with tokens, which gives each node a file of keys and an option of the JVM.
TOKENS: dict[str, Any] = {
    "kafka_metrics": False,
    "kafka_collector": False,
    "kafka_listeners": [
        {"name": "CLIENT", "port": 9092, "purpose": "client"},
        {
            "name": "TOKENS",
            "port": 9094,
            "purpose": "client",
            "protocol": "SASL_SSL",
            "mechanisms": ["OAUTHBEARER"],
            "oauth": {
                "issuer": "https://id.example.org/",
                "audience": "kafka",
                "jwks": str(ROOT / "molecule/cluster/vars/jwks.json"),
            },
        },
        {"name": "INTERNAL", "port": 19092, "purpose": "inter_broker"},
        {"name": "CONTROLLER", "port": 9093, "purpose": "controller"},
    ],
}
#: A node is killed while its new files wait. Its first start must succeed, with the record of what it ran with.
KILLED = """
before=$(sha256sum /run/kafka-started/* | sha256sum) pid=$(systemctl show kafka --property=MainPID --value)
restarts=$(systemctl show kafka --property=NRestarts --value)
test -n "$(diff -q /opt/kafka/next/jvm.options /opt/kafka/config/jvm.options)"
systemctl kill --signal=KILL kafka
until [ ! -e /proc/$pid ] && ss --listening --tcp --numeric --processes 'sport = :9092' | grep -q java; do
  sleep 0.2
done
test "$before" = "$(sha256sum /run/kafka-started/* | sha256sum)"
test "$(systemctl show kafka --property=NRestarts --value)" = $((restarts + 1))
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("scraped", HOSTS, tmp_path_factory)


@pytest.fixture(scope="module")
def inventory(lab: LabHosts) -> Path:
    """Deploy a cluster whose exporters have no TLS yet; its authority is below the test's own directory."""
    tls = {"passphrase": "only-for-this-test-0", "directory": str(lab.home / "authority")}
    own = lab.inventory(lab.name, lab.hosts, kafka_tls=tls, **SETTINGS)
    play(lab, own, "deploy_cluster")
    return own


def play(lab: LabHosts, inventory: Path, name: str, *more: str) -> str:
    done = lab.run("-i", str(inventory), f"playbooks/{name}.yml", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def change(lab: LabHosts, inventory: Path, *values: str) -> None:
    """Deploy; while the new files wait for restarts, every node is killed and must come back by itself."""
    play(lab, inventory, "deploy_cluster", *values, *WAITING)
    for host in HOSTS:
        lab.podman(host, "timeout", "120", "bash", "-euc", KILLED)
    play(lab, inventory, "deploy_cluster", *values)


def address(inventory: Path, host: str) -> str:
    found = yaml.safe_load((inventory / "hosts.yml").read_text())["kafka"]["hosts"][host]
    return str(found["ansible_host"])


def pids(lab: LabHosts, unit: str = "kafka") -> dict[str, str]:
    return {host: lab.podman(host, "sh", "-c", PID + unit).strip() for host in lab.hosts}


def changed(output: str) -> list[str]:
    """Return the changed hosts of the recap."""
    lines = [line for line in output.splitlines() if line.startswith("scraped") and " changed=" in line]
    assert len({line.split()[0] for line in lines}) == len(HOSTS), output
    return [line for line in lines if "changed=0" not in line]


def scrape(where: tuple[str, int], folder: Path, pair: Path | None, scheme: str = "https") -> str:
    """Return the metrics that Prometheus would read with these files; raises OSError on a refusal."""
    context = ssl.create_default_context(cafile=str(folder / "nodes.pem"))
    if pair:
        context.load_cert_chain(pair)
    url = f"{scheme}://{where[0]}:{where[1]}/metrics"
    try:
        with urllib.request.urlopen(url, timeout=10, context=context) as answer:  # noqa: S310 - both are meant
            return str(answer.read().decode())
    except urllib.error.URLError as error:
        raise OSError(str(error)) from error


def serial(where: tuple[str, int], folder: Path) -> str:
    """Return the serial of the certificate that is shown."""
    context = ssl.create_default_context(cafile=str(folder / "nodes.pem"))
    context.load_cert_chain(folder / "scraper.pem")
    with socket.create_connection(where, 10) as plain, context.wrap_socket(plain, server_hostname=where[0]) as secured:
        found = secured.getpeercert()
        return str((found or {})["serialNumber"])


@pytest.fixture(scope="module")
def folder(lab: LabHosts, inventory: Path) -> Path:
    """Switch TLS on: predicted, one roll; write Prometheus' files."""
    before = pids(lab)
    predicted = play(lab, inventory, "deploy_cluster", *ON, "--check", "--diff")
    assert len(changed(predicted)) == len(HOSTS)
    assert pids(lab) == before
    with socket.create_connection((address(inventory, HOSTS[0]), 9404), 5):
        pass  # still without TLS
    change(lab, inventory, *ON)
    after = pids(lab)
    assert [host for host in HOSTS if after[host] == before[host]] == []
    play(lab, inventory, "apply_resources", *ON)
    play(lab, inventory, "render_monitoring", *ON)
    return ROOT / ".kraftwright" / lab.name / "monitoring"


def test_who_shows_the_certificate_of_the_scraper_gets_in_and_no_one_else(
    lab: LabHosts, inventory: Path, folder: Path
) -> None:
    jobs = yaml.safe_load((folder / "prometheus.yml").read_text())["scrape_configs"]
    assert {job["scheme"] for job in jobs} == {"https"}
    assert (folder / "scraper.pem").stat().st_mode & 0o777 == 0o600
    others = lab.home / "authority/users/stranger.pem"
    foreign = lab.home / "foreign.pem"
    made = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    text = lab.podman(HOSTS[0], *made, "-subj", "/CN=prometheus", "-keyout", "/dev/stdout", "-out", "/dev/stdout")
    foreign.write_text(text)
    targets = json.loads((folder / "targets.json").read_text())
    assert {each["targets"][0] for each in targets} == {f"{address(inventory, host)}:9404" for host in HOSTS}
    for host in HOSTS:
        for port, name in PORTS.items():
            where = (address(inventory, host), port)
            assert name in scrape(where, folder, folder / "scraper.pem")
            for pair, scheme in ((None, "https"), (others, "https"), (foreign, "https"), (None, "http")):
                with pytest.raises(OSError, match=r"."):
                    scrape(where, folder, pair, scheme)


@pytest.mark.usefixtures("folder")
def test_the_exporters_themselves_listen_on_loopback_alone(lab: LabHosts, inventory: Path) -> None:
    for host in HOSTS:
        said = lab.podman(host, "ss", "--listening", "--tcp", "--numeric", "--processes", "--no-header")
        for port in PORTS:
            found = {(line.split()[3], "stunnel" in line) for line in said.splitlines() if f":{port} " in line}
            assert {where.replace("[::ffff:127.0.0.1]", "127.0.0.1") for where, proxy in found if not proxy} == {
                f"127.0.0.1:{port}"
            }
            assert {where for where, proxy in found if proxy} == {f"{address(inventory, host)}:{port}"}


def test_a_second_run_changes_nothing(lab: LabHosts, inventory: Path, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    kafka, proxies = pids(lab), pids(lab, "kafka-metrics-proxy")
    assert changed(play(lab, inventory, "deploy_cluster", *ON)) == []
    assert " changed=0 " in play(lab, inventory, "render_monitoring", *ON)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert (pids(lab), pids(lab, "kafka-metrics-proxy")) == (kafka, proxies)


def test_a_renewed_certificate_is_shown_and_no_node_restarts(lab: LabHosts, inventory: Path, folder: Path) -> None:
    places = [(address(inventory, host), port) for host in HOSTS for port in PORTS]
    before, kafka, proxies = [serial(each, folder) for each in places], pids(lab), pids(lab, "kafka-metrics-proxy")
    play(lab, inventory, "rotate_certificates", *ON, "-e", "kafka_renew_all=true")
    after = [serial(each, folder) for each in places]
    assert [place for place, old, new in zip(places, before, after, strict=True) if old == new] == []
    assert pids(lab) == kafka
    assert [host for host in HOSTS if pids(lab, "kafka-metrics-proxy")[host] in ("0", proxies[host])] == []
    assert changed(play(lab, inventory, "deploy_cluster", *ON)) == []


@pytest.mark.usefixtures("folder")
def test_the_neighbours_of_a_node_cannot_read_its_key(lab: LabHosts) -> None:
    for host in HOSTS:
        lab.keeps_key_from(host, "kafka-metrics-proxy", "kafka-collector-proxy", "kafka-collector")


def test_a_proxy_that_shows_what_is_no_longer_there_is_found_and_corrected(
    lab: LabHosts, inventory: Path, folder: Path
) -> None:
    kafka = pids(lab)
    lab.podman(HOSTS[1], "systemctl", "stop", "kafka-metrics-proxy")
    (line,) = changed(play(lab, inventory, "deploy_cluster", *ON))
    assert line.startswith(HOSTS[1])
    assert "kafka" in scrape((address(inventory, HOSTS[1]), 9404), folder, folder / "scraper.pem")
    assert pids(lab) == kafka


@pytest.mark.usefixtures("folder")
def test_a_restarted_node_brings_its_proxy(lab: LabHosts, inventory: Path) -> None:
    before = pids(lab, "kafka-metrics-proxy")
    play(lab, inventory, "restart_cluster", *ON)
    after = pids(lab, "kafka-metrics-proxy")
    assert [host for host in HOSTS if after[host] in ("0", before[host])] == []
    assert changed(play(lab, inventory, "deploy_cluster", *ON)) == []


def test_switched_off_the_exporters_are_back_on_the_nodes_address(lab: LabHosts, inventory: Path, folder: Path) -> None:
    change(lab, inventory)
    for host in HOSTS:
        for port, name in PORTS.items():
            assert name in scrape((address(inventory, host), port), folder, None, "http")
        assert pids(lab, "kafka-metrics-proxy")[host] == "0"
    assert changed(play(lab, inventory, "deploy_cluster")) == []


@pytest.mark.parametrize("values", [TOKENS, {}], ids=["tokens_on_metrics_off", "tokens_off_metrics_on"])
def test_every_node_that_is_killed_before_its_restart_comes_back(
    lab: LabHosts, inventory: Path, values: dict[str, Any]
) -> None:
    change(lab, inventory, "-e", json.dumps(values))
    assert changed(play(lab, inventory, "deploy_cluster", "-e", json.dumps(values))) == []
