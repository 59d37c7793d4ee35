"""A record sent and all records read by a real client of each dialect, with its options as they were rendered."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer

from tests.integration.kafka_node import KafkaNode

SECONDS = 60.0


def java_sends(node: KafkaNode, file: Path, topic: str, text: str) -> None:
    """Send with Kafka's own tool and a file of properties."""
    asked = ["--bootstrap-server", _servers(file), "--topic", topic, "--command-config", str(file)]
    line = node.java("96m", "org.apache.kafka.tools.ConsoleProducer", *asked)
    subprocess.run(line, input=f"{text}\n", text=True, timeout=240, check=True, capture_output=True)


def java_reads(node: KafkaNode, file: Path, topic: str, count: int) -> set[str]:
    asked = ["--bootstrap-server", _servers(file), "--topic", topic, "--command-config", str(file)]
    more = ["--from-beginning", "--max-messages", str(count), "--timeout-ms", str(int(SECONDS * 1000))]
    line = node.java("96m", "org.apache.kafka.tools.consumer.ConsoleConsumer", *asked, *more)
    return set(subprocess.run(line, capture_output=True, text=True, timeout=240, check=True).stdout.split())


def _servers(file: Path) -> str:
    lines = file.read_text().splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("bootstrap.servers="))


def librdkafka_sends(options: Mapping[str, Any], topic: str, text: str) -> None:
    producer = Producer(dict(options))
    producer.produce(topic, text.encode())
    assert producer.flush(SECONDS) == 0


def librdkafka_reads(options: Mapping[str, Any], topic: str, count: int) -> set[str]:
    consumer = Consumer({"group.id": f"librdkafka-{topic}", "auto.offset.reset": "earliest", **options})
    consumer.subscribe([topic])
    found = {(message.value() or b"").decode() for message in consumer.consume(count, SECONDS)}
    consumer.close()
    return found


def kafka_python_sends(options: Mapping[str, Any], topic: str, text: str) -> None:
    """Send with kafka-python's own modules: the package may have no ``__init__`` (cluster/library.py)."""
    from kafka.producer.kafka import KafkaProducer  # noqa: PLC0415

    producer = KafkaProducer(**options)
    producer.send(topic, text.encode()).get(SECONDS)
    producer.close()


def kafka_python_reads(options: Mapping[str, Any], topic: str, count: int) -> set[str]:
    from kafka.consumer.group import KafkaConsumer  # noqa: PLC0415

    asked = {"auto_offset_reset": "earliest", "consumer_timeout_ms": SECONDS * 1000, "group_id": None}
    consumer = KafkaConsumer(topic, **options, **asked)
    found = {record.value.decode() for _, record in zip(range(count), consumer)}
    consumer.close()
    return found
