"""Kafka's own opinion: of what we derive, of what we refuse, and of its definitions as we keep them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import errors
from ansible.module_utils.kraft.spec.desired.describe import desired_state
from ansible.module_utils.kraft.spec.desired.files import properties_text

from dist.__main__ import VERSION
from tests.integration.kafka_home import MIRROR_VERSION, kafka_home
from tests.unit.spec.inventory import LISTENERS, ROOT, cluster, hosts, problems_of

DEDICATED = {
    "k1": {"kafka_process_roles": ["controller"]},
    "k2": {"kafka_process_roles": ["broker"], "kafka_rack": "b"},
}
PORTS = {
    f"k{at}": {"kafka_listeners": [*LISTENERS[:2], {**LISTENERS[2], "port": at * 10000 + 9093}]} for at in (1, 2, 3)
}
OUTSIDE = {**LISTENERS[0], "bind": "0.0.0.0", "advertised": {"host": "kafka.example.com", "port": 9094}}  # noqa: S104
GOOD: dict[str, dict[str, Any]] = {
    "combined": {},
    "dedicated": {"count": 2, "per_host": DEDICATED},
    "dedicated_static": {"count": 2, "per_host": DEDICATED, "kafka_quorum": "static"},
    "static_ports": {"per_host": PORTS, "kafka_quorum": "static"},
    "outside": {"count": 1, "kafka_listeners": [OUTSIDE, *LISTENERS[1:]]},
    "version_six": {"count": 1, "kafka_address": "fd00::1"},
    "alone": {"count": 1, "kafka_metadata_log_dir": "/srv/meta", "kafka_log_dirs": ["/srv/a", "/srv/b"]},
    "escapes": {
        "count": 1,
        "kafka_config": {"ssl.keystore.password": " \\ü=#", "super.users": "User:CN=a b,O=x;User:c"},
    },
}
#: Settings that Kafka refuses to start with: so must we.
REFUSED: dict[str, dict[str, Any]] = {
    "cleaner": {"log.cleaner.threads": 200},
    "fetch_wait": {"replica.fetch.wait.max.ms": 40000},
    "retention": {"log.retention.ms": 0},
    "small": {"log.segment.bytes": 10},
    "text": {"num.io.threads": "eight"},
    "choice": {"compression.type": "gzipped"},
    "twice": {"log.cleanup.policy": "delete,remove"},
    "queued": {"queued.max.request.bytes": 1000},
    "nobody": {"max.connections.per.ip": 0},
}


def java(source: Path, *arguments: str, version: str = VERSION) -> str:
    """Return the output of a Java source with Kafka's classes on its path."""
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{kafka_home(version)}/libs/*", str(source), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def opinions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return file name -> Kafka's verdict; one JVM for all of them."""
    place = tmp_path_factory.mktemp("configs")
    for name, given in GOOD.items():
        for host, node in desired_state(cluster(**given))["nodes"].items():
            (place / f"good-{name}-{host}").write_text(properties_text(node, [given.get("kafka_config", {})]))
    for name, settings in REFUSED.items():
        node = desired_state(cluster(1, kafka_config=settings))["nodes"]["k1"]
        (place / f"refused-{name}").write_text(properties_text(node, [settings]))
    said = java(ROOT / "tests/integration/ReadConfig.java", *sorted(str(path) for path in place.iterdir()))
    lines = (line.partition(": ") for line in said.splitlines() if line.startswith(str(place)))
    return {Path(path).name: opinion for path, _, opinion in lines}


def test_kafka_accepts_every_configuration_that_we_derive(opinions: dict[str, str]) -> None:
    good = {name: opinion for name, opinion in opinions.items() if name.startswith("good-")}
    assert len(good) == 3 + 2 + 2 + 3 + 1 + 1 + 1 + 1
    assert set(good.values()) == {"accepted"}, good


@pytest.mark.parametrize("name", REFUSED)
def test_what_kafka_refuses_at_start_we_refuse_before(opinions: dict[str, str], name: str) -> None:
    assert opinions[f"refused-{name}"] != "accepted"
    assert errors(problems_of(hosts(1, kafka_config=REFUSED[name])))


def test_the_definitions_are_those_of_kafkas_own_classes() -> None:
    dumped = java(ROOT / "scripts/kafka_definitions/DumpDefinitions.java")
    assert dumped == (ROOT / "module_utils/kraft/spec/inventory/data/kafka_4.4.0.json").read_text()
    of_mirror = java(ROOT / "scripts/kafka_definitions/DumpDefinitions.java", "mirror", version=MIRROR_VERSION)
    assert of_mirror == (ROOT / f"module_utils/kraft/spec/inventory/data/mirror_{MIRROR_VERSION}.json").read_text()
