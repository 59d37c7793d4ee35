"""The rules on a running cluster: every name has a series, only the watchdog fires, and a killed node is seen."""

from __future__ import annotations

import re
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import kafka
import pytest
from ansible.module_utils.kraft.control.prometheus import asking
from ansible.module_utils.kraft.monitoring import dashboards, rules
from ansible.module_utils.kraft.monitoring.agent import config_text
from ansible.module_utils.kraft.monitoring.catalogue import TOPIC, at_level, read
from ansible.module_utils.kraft.node import planned_work
from ansible.module_utils.kraft.status import watched
from kafka.admin import NewTopic

from tests.integration.metrics_nodes import MeasuredCluster, measured
from tests.integration.prometheus import Prometheus, collecting, watching
from tests.promql import names

DATA = rules.data("watched")
EXPRESSIONS = {
    **{one["record"]: one["expr"] for one in DATA["records"]},
    **{one["alert"]: one["expr"] for one in DATA["alerts"]},
}
OF_TLS = {
    "kafka_certificate_begin_seconds",
    "kafka_certificate_end_seconds",
}  #: these nodes have none; tests/integration/test_collector.py has
USED = set().union(*map(names, EXPRESSIONS.values())) - OF_TLS | {one["record"] for one in DATA["records"]}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredCluster]:
    with measured(
        tmp_path_factory.mktemp("measured"), {1: ("controller",), 2: ("broker", "controller"), 3: ("broker",)}
    ) as made:
        admin = kafka.KafkaAdminClient(bootstrap_servers=made.bootstrap_servers)
        admin.create_topics([NewTopic("traffic", 4, 2)])
        admin.close()
        made.agent_config.write_text(config_text(at_level(TOPIC)))  # while Kafka runs
        yield made


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of Prometheus' files, and the collectors'."""
    return tmp_path_factory.mktemp("prometheus")


@pytest.fixture(scope="module")
def watcher(cluster: MeasuredCluster, place: Path) -> Iterator[Prometheus]:
    with collecting(cluster, place) as beside, watching(cluster, place, beside) as made:
        consumer = kafka.KafkaConsumer("traffic", bootstrap_servers=cluster.bootstrap_servers, group_id="readers")
        producer = kafka.KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks="all")

        planned_work.begin(marked(place, 2))

        def settled() -> bool:
            for partition in range(4):
                producer.send("traffic", b"record", partition=partition)
            producer.flush()
            consumer.poll(100)
            consumer.commit()
            try:
                healthy = all(rule["health"] == "ok" for rule in made.rules())
                return healthy and not without_series(made) and not without_data(made)
            except (urllib.error.URLError, ConnectionError):
                return False  # it starts

        try:
            made.wait_until(settled)
        finally:
            producer.close()
            consumer.close()
        yield made


def marked(place: Path, node_id: int) -> str:
    """Return the path of the marker of a node's planned work."""
    return str(place / f"collector{node_id}")


def without_series(watcher: Prometheus) -> list[str]:
    return sorted(name for name in USED if not watcher.series(name))


def without_data(watcher: Prometheus) -> list[str]:
    """Panels that would be empty, or whose legend names a label that no series has; with the page that they are on."""
    panels = [(page, panel) for page in read("dashboards") for row in page["rows"] for panel in row["panels"]]
    return [
        f"{page['title']}: {panel['title']}"
        for page, panel in panels
        if not shown(watcher.series(dashboards.expression(panel, "watched", ".*")), panel.get("legend", ""))
    ]


def shown(series: list[dict[str, str]], legend: str) -> bool:
    return bool(series) and all(label in one for one in series for label in re.findall(r"{{(\w+)}}", legend))


def test_every_name_of_a_rule_has_a_series(watcher: Prometheus) -> None:
    watcher.wait_until(lambda: not without_series(watcher))  # a scrape that a busy machine misses leaves a gap
    assert len(watcher.rules()) == len(EXPRESSIONS)


def test_every_panel_of_a_dashboard_has_data(watcher: Prometheus) -> None:
    watcher.wait_until(lambda: not without_data(watcher))


def test_only_the_watchdog_fires(watcher: Prometheus) -> None:
    assert watcher.alerts("firing") == {("KafkaWatchdog", "")}


def test_a_status_shows_what_prometheus_knows(watcher: Prometheus) -> None:
    url = f"http://{watcher.address}"
    ask = asking(url)

    def every_log_dir_has_a_rate() -> bool:
        return len(watched.query_prometheus(url, "watched", ask).filling) == 2

    def is_known() -> bool:
        found = watched.query_prometheus(url, "watched", ask)
        sound = (found.error, found.watches, found.alerts) == ("", True, ())
        return sound and {one.node_id for one in found.filling} == {2, 3}

    watcher.wait_until(every_log_dir_has_a_rate)
    watcher.wait_until(is_known)
    other = watched.query_prometheus(url, "other", ask)
    assert (other.watches, other.filling) == (False, ())


def test_a_killed_broker_is_seen_and_the_controllers_are_not_blamed(
    cluster: MeasuredCluster, watcher: Prometheus
) -> None:
    cluster.kill_node(3)
    expected = {("KafkaNodeDown", "3"), ("KafkaPartitionsUnderReplicated", "2"), ("KafkaBrokerFenced", "")}
    others = {"KafkaNoActiveController", "KafkaQuorumAtRisk", "KafkaPartitionsOffline"}

    def seen_alone() -> bool:
        """A scrape that a busy machine has missed may begin another alert, which then never fires."""
        pending = watcher.alerts("pending")
        return pending >= expected and others.isdisjoint(name for name, _ in pending)

    watcher.wait_until(seen_alone)
    assert others.isdisjoint(name for name, _ in watcher.alerts("firing"))


def test_planned_work_keeps_the_alerts_of_its_own_node_quiet(watcher: Prometheus, place: Path) -> None:
    """Node 3 is down, and work on node 2 is planned."""
    down = {("KafkaNodeDown", "3")}

    def raised() -> set[tuple[str, str]]:
        return watcher.alerts("pending") | watcher.alerts("firing")

    watcher.wait_until(lambda: raised() >= down)
    planned_work.begin(marked(place, 3))
    other = ("KafkaPartitionsUnderReplicated", "2")  # a missed scrape takes it away for a moment
    watcher.wait_until(lambda: not down & (seen := raised()) and other in seen)
    planned_work.end(marked(place, 3))
    watcher.wait_until(lambda: down <= watcher.alerts("pending"))
