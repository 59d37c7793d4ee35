"""MirrorMaker's settings are judged by Kafka's own classes, without a cluster: lists, names and every definition."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from ansible.module_utils.kraft.operations.mirror import mirror_properties
from ansible.module_utils.kraft.spec.desired.mirror import Wanted
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway  # type: ignore[import-untyped]

from tests.integration.kafka_home import MIRROR_VERSION, kafka_home

NAMES = [
    *("orders", "orders.internal", "orders-internal", "orders.replica", "mm2.orders", "a.checkpoints", "internal"),
    *("__foo", "__consumer_offsets", ".hidden", "heartbeats", "device-heartbeats", "old.heartbeats"),
    *("a.checkpoints.internal", "mm2-offsets.old.internal", "mm2x.internal"),
]


@pytest.fixture(scope="module")
def mirror() -> Iterator[Any]:
    """Load Kafka's package of MirrorMaker in a separate JVM."""
    jars = ":".join(map(str, (kafka_home(MIRROR_VERSION) / "libs").glob("*.jar")))
    (gateway_jar,) = (Path(pyspark.__file__).parent / "jars").glob("py4j*.jar")
    port = launch_gateway(classpath=jars, die_on_exit=True, jarpath=str(gateway_jar))
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auto_convert=True))
    yield gateway.jvm
    gateway.shutdown()


def test_what_is_never_copied_is_what_mirrormaker_never_copies_under_its_name(mirror: Any) -> None:
    policy = mirror.org.apache.kafka.connect.mirror.IdentityReplicationPolicy()
    policy.configure({"source.cluster.alias": "old"})
    copied = [
        name for name in NAMES if not policy.isInternalTopic(name) and policy.formatRemoteTopic("old", name) == name
    ]
    assert list(filter(Wanted("old", ("a:1",)).takes_topic, NAMES)) == copied


def refused(mirror: Any, given: dict[str, str], kind: str) -> list[str]:
    """Return Connect's objections to a new connector, as ``PUT /connectors/…/config`` does."""
    package = mirror.org.apache.kafka.connect.mirror
    whole = package.MirrorMakerConfig({**given, "target.bootstrap.servers": "t:1"})
    of = mirror.java.lang.Class.forName(f"org.apache.kafka.connect.mirror.{kind}Connector")
    settings = whole.connectorBaseConfig(package.SourceAndTarget("old", "target"), of)
    values = getattr(package, f"{kind}Connector")().config().validate(settings)
    return [str(message) for one in values for message in one.errorMessages()]


ASKED = Wanted("old", ("a:1", "a:1"), topics=("x", "x"), groups=("g", "g"), exclude_groups=("__.*",))
UNKNOWN = ["message.timestamp.difference.max.ms", "message.format.version"]


@pytest.mark.parametrize("kind", ["MirrorSource", "MirrorCheckpoint"])
def test_kafka_takes_every_setting_that_the_mirror_gets(mirror: Any, kind: str) -> None:
    assert refused(mirror, mirror_properties.properties(ASKED, mirror_properties.Size(2, 512), 3, UNKNOWN), kind) == []


def test_kafka_refuses_a_list_that_names_something_twice(mirror: Any) -> None:
    """A copy failed by this."""
    given = mirror_properties.properties(ASKED, mirror_properties.Size(2, 512), 3, UNKNOWN)
    twice = given["config.properties.exclude"] + r",message\.timestamp\.difference\.max\.ms"
    (said,) = refused(mirror, {**given, "config.properties.exclude": twice}, "MirrorSource")
    assert "must not be duplicated" in said
