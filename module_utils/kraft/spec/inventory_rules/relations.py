"""Settings that must fit each other: what Kafka refuses at start, or regrets later without saying so.

Source: kafka.server.KafkaConfig.validateValues and the coordinators' configuration classes of Kafka 4.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.kafka_terms import BROKER, CONTROLLER
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.desired.model import STATIC, Node
from ansible.module_utils.kraft.spec.inventory.definitions import Definitions, Setting, load, nearest_version
from ansible.module_utils.kraft.spec.inventory_rules.resources import TOPICS, given_of
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject
from ansible.module_utils.kraft.spec.resources.topics import TIERED
from ansible.module_utils.kraft.wording import named

MEGABYTE = 1024 * 1024
STORAGE_MANAGER, METADATA_LISTENER = (
    "remote.log.storage.manager.class.name",
    "remote.log.metadata.manager.listener.name",
)
#: Sections that a node without the broker role ignores.
OF_BROKERS = frozenset(
    {
        "AddPartitionsToTxnConfig",
        "CleanerConfig",
        "GroupCoordinatorConfig",
        "RemoteLogManagerConfig",
        "ShareCoordinatorConfig",
        "ShareGroupConfig",
        "TransactionLogConfig",
        "TransactionStateManagerConfig",
    }
)
#: Settings that a node without the controller role ignores (kafka.server.ControllerServer).
OF_CONTROLLERS = frozenset(
    {
        "alter.config.policy.class.name",
        "auto.leader.rebalance.enable",
        "broker.session.timeout.ms",
        "controller.performance.always.log.threshold.ms",
        "controller.performance.sample.period.ms",
        "create.topic.policy.class.name",
        "leader.imbalance.check.interval.seconds",
        "metadata.max.idle.interval.ms",
        "unclean.leader.election.interval.ms",
    }
)
#: (smaller, larger, why): the first must not be above the second.
ORDERED = (
    ("replica.fetch.wait.max.ms", "replica.lag.time.max.ms", "replicas would leave the ISR repeatedly"),
    ("replica.fetch.wait.max.ms", "replica.socket.timeout.ms", "replicas would close the connections to their leaders"),
    ("message.max.bytes", "socket.request.max.bytes", "a record of that size could never be sent"),
    ("group.min.session.timeout.ms", "group.max.session.timeout.ms", "no consumer could join a group"),
    ("log.retention.check.interval.ms", "log.retention.ms", "records would outlive their retention"),
    ("controller.quorum.fetch.timeout.ms", "broker.session.timeout.ms", "brokers would be fenced before an election"),
)
#: Times that must pass, and that Kafka's definitions do not bound.
POSITIVE = ("broker.heartbeat.interval.ms", "broker.session.timeout.ms", "replica.lag.time.max.ms")
#: Families of keys with a smallest and a largest value.
RANGES = (
    "group.consumer.{}.assignment.interval.ms",
    "group.consumer.{}.heartbeat.interval.ms",
    "group.consumer.{}.session.timeout.ms",
    "group.share.{}.assignment.interval.ms",
    "group.share.{}.heartbeat.interval.ms",
    "group.share.{}.record.lock.duration.ms",
    "group.share.{}.session.timeout.ms",
    "group.streams.{}.assignment.interval.ms",
    "group.streams.{}.heartbeat.interval.ms",
    "group.streams.{}.session.timeout.ms",
)


class Values:
    """A node's settings as numbers, with Kafka's defaults for unset ones."""

    def __init__(self, node: Node, settings: Mapping[str, str], definitions: Definitions) -> None:
        self.node, self._settings, self._definitions = node, settings, definitions
        self._given = {str(key): layer.variable for layer in node.layers for key in layer.settings}

    def text(self, key: str) -> str:
        return self._settings.get(key) or self.default(key)

    def default(self, key: str) -> str:
        setting = self._definitions.server.get(key)
        return (setting.default if setting else "") or ""

    def number(self, key: str) -> float | None:
        """Return a number, or None; other faults belong to the rule of values."""
        try:
            return float(self.text(key))
        except ValueError:
            return None

    def is_true(self, key: str) -> bool:
        return self.text(key).strip().lower() == "true"

    def given(self, *keys: str) -> str:
        """Return the place of the first of `keys` that the inventory sets; empty if it sets none."""
        return next((f"{self._given[key]}[{key}]" for key in keys if key in self._given), "")


def _values(subject: Subject) -> Iterator[Values]:
    definitions = load(nearest_version(subject.cluster.version))
    for node in subject.cluster.nodes:
        if any(layer.settings for layer in node.layers):
            yield Values(node, subject.settings[node.host], definitions)


def order(subject: Subject) -> Iterator[Problem]:
    """Check pairs: the first must not be above the second."""
    ranges = [(pattern.format("min"), pattern.format("max"), "the range would be empty") for pattern in RANGES]
    for values in _values(subject):
        for smaller, larger, why in (*ORDERED, *ranges):
            where = values.given(smaller, larger)
            low, high = values.number(smaller), values.number(larger)
            if where and low is not None and high is not None and low > high >= 0:
                message = f"{smaller} {low:.0f} is above {larger} {high:.0f}: {why}"
                yield Problem("settings_order", message, "lower the first or raise the second", where, values.node.host)


def sessions(subject: Subject) -> Iterator[Problem]:
    """Report too rare heartbeats: brokers are fenced and unfenced in turn; Kafka only logs it."""
    for values in _values(subject):
        beat, session = values.number("broker.heartbeat.interval.ms"), values.number("broker.session.timeout.ms")
        where = values.given("broker.heartbeat.interval.ms", "broker.session.timeout.ms")
        if where and beat and session and beat > session / 2:
            message = (
                f"broker.heartbeat.interval.ms {beat:.0f} is above half of broker.session.timeout.ms {session:.0f}"
            )
            remedy = f"give {session / 4:.0f}: brokers would be fenced repeatedly"
            yield Problem("heartbeat", message, remedy, where, values.node.host)


def buffers(subject: Subject) -> Iterator[Problem]:
    """Check sizes that depend on a number beside them."""
    for values in _values(subject):
        size, threads = values.number("log.cleaner.dedupe.buffer.size"), values.number("log.cleaner.threads")
        where = values.given("log.cleaner.dedupe.buffer.size", "log.cleaner.threads")
        if where and size and threads and size / threads <= MEGABYTE:
            message = f"Each of {threads:.0f} cleaner threads would get 1 MiB or less"
            remedy = "raise log.cleaner.dedupe.buffer.size"
            yield Problem("cleaner_buffer", message, remedy, where, values.node.host, int(size))
        queued, request = values.number("queued.max.request.bytes"), values.number("socket.request.max.bytes")
        where = values.given("queued.max.request.bytes", "socket.request.max.bytes")
        if where and queued and request and 0 < queued < request:
            message = f"queued.max.request.bytes {queued:.0f} is below socket.request.max.bytes {request:.0f}"
            yield Problem("queued_bytes", message, "raise it, or leave it out", where, values.node.host)


def zeros(subject: Subject) -> Iterator[Problem]:
    """Report numbers that are refused although their type allows them."""
    for values in _values(subject):
        for key in ("log.retention.ms", "log.retention.minutes", "log.retention.hours"):
            where, value = values.given(key), values.number(key)
            if where and value is not None and (value == 0 or value < -1):
                message, remedy = "The value keeps no records", "give -1 for ever, or a time above 0"
                yield Problem("retention", message, remedy, where, values.node.host, int(value))
        where = values.given("max.connections.per.ip")
        if (
            where
            and values.number("max.connections.per.ip") == 0
            and not values.text("max.connections.per.ip.overrides")
        ):
            remedy = "set max.connections.per.ip.overrides for the addresses that may connect"
            yield Problem("connections", "The value blocks every connection", remedy, where, values.node.host, 0)


def positive(subject: Subject) -> Iterator[Problem]:
    """Report times with which Kafka only waits, or never does anything."""
    for values in _values(subject):
        for key in POSITIVE:
            where, value = values.given(key), values.number(key)
            if where and value is not None and value < 1:
                default = values.default(key)
                remedy = f"give a time in milliseconds; Kafka's default is {default}"
                yield Problem(
                    "setting_zero", "The time must be greater than 0 ms", remedy, where, values.node.host, int(value)
                )


def roles(subject: Subject) -> Iterator[Problem]:
    """Report settings of a role that the node does not have."""
    join = "controller.quorum.auto.join.enable"
    for values in _values(subject):
        node, where = values.node, values.given(join)
        if where and values.is_true(join) and not node.is_controller:
            message, remedy = (
                "The setting stops a node that is not a controller",
                "move it to kafka_group_config of the controllers",
            )
            yield Problem("auto_join", message, remedy, where, node.host, value=True)
        elif where and values.is_true(join) and subject.cluster.quorum == STATIC:
            remedy = "remove it, or use kafka_quorum: dynamic"
            yield Problem(
                "auto_join", "The setting has no effect on a static quorum", remedy, where, node.host, True, WARNING
            )


def readers(subject: Subject) -> Iterator[Problem]:
    """Report settings that only nodes of another role read."""
    definitions = load(nearest_version(subject.cluster.version))
    for node in subject.cluster.nodes:
        for layer in node.layers:
            for key in layer.settings if layer.variable != "kafka_config" else ():
                setting = definitions.server.get(str(key))
                reader = _only_reader(setting) if setting else ""
                if reader and reader not in node.roles:
                    message, remedy = (
                        f"Only {reader}s read this setting",
                        f"move it to the {reader}s' group, or to kafka_config",
                    )
                    where = f"{layer.variable}[{key}]"
                    yield Problem("setting_role", message, remedy, where, node.host, severity=WARNING)


def _only_reader(setting: Setting) -> str:
    """Return the role that alone reads a setting; empty if both do."""
    if setting.name in OF_CONTROLLERS:
        return CONTROLLER
    if setting.name == TIERED:  # controllers read it if a topic has remote storage
        return ""
    return BROKER if setting.section in OF_BROKERS else ""


def elections(subject: Subject) -> Iterator[Problem]:
    """Report unclean elections: a leader that lacks records makes them lost."""
    for values in _values(subject):
        where = values.given("unclean.leader.election.enable")
        if where and values.is_true("unclean.leader.election.enable"):
            message, remedy = "The setting can elect a leader that lacks acknowledged records", "remove it"
            yield Problem("unclean_election", message, remedy, where, values.node.host, True, RISK)


def tiered(subject: Subject) -> Iterator[Problem]:
    """Check remote storage: a broker's settings at start, and the switch on every node if a topic uses it."""
    topics = [
        topic
        for topic in given_of(subject, TOPICS)
        if value_text((topic.get("config") or {}).get("remote.storage.enable", "")).strip().lower() == "true"
    ]
    for values in _values(subject):
        node, enabled = values.node, values.is_true(TIERED)
        where = values.given(TIERED) or f"kafka_config[{TIERED}]"
        if enabled and node.is_broker and not values.text(STORAGE_MANAGER):
            message, remedy = (
                f"The setting is true without {STORAGE_MANAGER}: the broker would not start",
                f"set {STORAGE_MANAGER}",
            )
            yield Problem("tiered_storage", message, remedy, where, node.host, True)
        name = values.text(METADATA_LISTENER)
        if enabled and name and name not in {each.name for each in node.listeners}:
            message, remedy = (
                "The value is not a listener of the node",
                f"name one of {named(each.name for each in node.listeners)}",
            )
            yield Problem("tiered_storage", message, remedy, values.given(METADATA_LISTENER), node.host, name)
    on = [node.host for node in subject.cluster.nodes if subject.settings[node.host].get(TIERED, "").lower() == "true"]
    for node in subject.cluster.nodes if topics and on else ():
        if node.host not in on:
            message = f"The setting is missing, but topic {topics[0]['name']} needs it on every node"
            remedy = "set it in kafka_config, for brokers and controllers alike"
            yield Problem("tiered_storage", message, remedy, f"kafka_config[{TIERED}]", node.host)


RULES = (zeros, positive, order, sessions, buffers, roles, readers, elections, tiered)
