"""Metrics that the agent publishes on nodes of each kind, compared with the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

import kafka
import pytest
from ansible.module_utils.kraft.monitoring.agent import config_text
from ansible.module_utils.kraft.monitoring.catalogue import NODE, TOPIC, at_level, catalogue
from kafka.admin import NewTopic

from tests.integration.metrics_nodes import MeasuredCluster, Series, measured, scrape
from tests.integration.patience import until

ROLES = {1: ("controller",), 2: ("broker", "controller"), 3: ("broker",)}
MOST_SERIES = 600


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredCluster]:
    with measured(tmp_path_factory.mktemp("measured"), ROLES) as made:
        yield made


def make_topics(cluster: MeasuredCluster, *names: str) -> None:
    """Topics with one record in each partition, which is read, too: by then brokers have their counts."""
    admin = kafka.KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    admin.create_topics([NewTopic(name, 2, 2) for name in names])
    admin.close()
    producer = kafka.KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks="all")
    for name in names:
        producer.send(name, b"record", partition=0)
        producer.send(name, b"record", partition=1)
    producer.flush()
    producer.close()
    consumer = kafka.KafkaConsumer(*names, bootstrap_servers=cluster.bootstrap_servers, auto_offset_reset="earliest")
    for _ in range(2 * len(names)):
        next(consumer)
    consumer.close()


def names(found: list[Series], begin: str = "") -> set[str]:
    return {each.name for each in found if each.name.startswith(begin)}


@pytest.mark.parametrize("node_id", ROLES)
def test_a_node_publishes_every_entry_of_its_roles_and_no_other(cluster: MeasuredCluster, node_id: int) -> None:
    expected = {each.name for each in at_level(NODE) if each.belongs_to(ROLES[node_id])}
    found = until(lambda: scrape(cluster.address(node_id)), lambda seen: expected <= names(seen))
    assert expected - names(found) == set()
    assert names(found, "kafka_") <= {each.name for each in catalogue()}
    assert len(found) < MOST_SERIES


def test_types_and_units_are_those_of_the_catalogue(cluster: MeasuredCluster) -> None:
    types = {each.name: each.type for each in scrape(cluster.address(2))}
    ours = {each.name: each.type for each in catalogue() if each.mbean and each.belongs_to(ROLES[2])}
    assert {name: kind for name, kind in types.items() if name in ours}.items() <= ours.items()


def test_more_topics_make_no_more_series_until_they_are_asked_for(cluster: MeasuredCluster) -> None:
    make_topics(cluster, "first")
    before = len(scrape(cluster.address(2)))
    make_topics(cluster, *(f"topic-{at}" for at in range(20)))
    assert len(scrape(cluster.address(2))) == before

    cluster.agent_config.write_text(config_text(at_level(TOPIC)))  # while Kafka runs
    wanted = {each.name for each in at_level(TOPIC) if each.level == TOPIC}
    found = until(lambda: scrape(cluster.address(2)), lambda seen: wanted <= names(seen))
    assert wanted - names(found) == set()
    labels = {each.labels for each in found if each.name == "kafka_topic_bytes_in_total"}
    assert 'topic="topic-7"' in labels


def test_topics_have_series_where_their_names_are_asked_for_and_no_other_has(cluster: MeasuredCluster) -> None:
    make_topics(cluster, "orders", "orders.eu", "payments-1", "payments-2", "unpaid")
    cluster.agent_config.write_text(config_text(at_level(TOPIC), ["orders", "payments-*"]))  # while Kafka runs
    wanted = {f'topic="{name}"' for name in ("orders", "payments-1", "payments-2")}

    def seen() -> set[str]:
        return {each.labels for each in scrape(cluster.address(2)) if "topic=" in each.labels}

    assert until(seen, lambda found: found == wanted) == wanted
    own = [each for each in scrape(cluster.address(2)) if each.name.startswith("kafka_topic_")]
    assert {each.name for each in own} == {each.name for each in at_level(TOPIC) if each.level == TOPIC}
    assert len(own) == len(wanted) * 3
