"""Destruction of a cluster, killed on the way: its data stay and restore it, until they are named."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from lab import INSTALL, Lab
from runs import Outcome, Runs, hold

TOPIC, PARTITIONS, RECORDS = "kept", 3, 3000
KILLS, LASTS = 3, 8.0  #: number of kills, and the seconds within which they happen
PATHS = f"{INSTALL} /etc/systemd/system/kafka.service /etc/sysctl.d/90-kafka.conf /var/log/kafka"
#: Remains of a node, a line each.
LEFT = f"ls -d {PATHS} {INSTALL}/* 2>/dev/null; getent passwd kafka | cut -d: -f1; pgrep -l -u kafka; true"


class Ending:
    """``destroy_cluster.yml`` on the scenario's hosts. `draw` gives the moments of the kills."""

    def __init__(self, lab: Lab, directory: Path, draw: random.Random) -> None:
        self._lab, self._runs, self._draw = lab, Runs(lab.project, directory), draw
        self._inventory = lab.project / "molecule/interrupted/inventory"
        given = yaml.safe_load((self._inventory / "group_vars/kafka.yml").read_text())
        self._name, self._id = given["kafka_cluster_name"], given["kafka_cluster_id"]
        servers = ",".join(f"{lab.address(host)}:{lab.port}" for host in lab.known)
        self._client: dict[str, Any] = {"bootstrap.servers": servers}

    def go_through(self) -> Iterator[str]:
        """Yield a line about each part."""
        sent, known = self._send(), self._lab.identity()
        run = self._destroyed()
        self._hold_left(f"{INSTALL}\n{INSTALL}/kraft-logs\nkafka\n", run)
        hold(self._lab.identity() == known, "the identity changed", run)
        yield f"destroyed in {run.seconds:.1f} s after {KILLS} killed runs: the data are there"
        run = self._run("deploy_cluster")
        hold(run.code == 0 and not self._lab.trouble(), "the cluster did not come back", run)
        hold(self._lab.identity() == known, "the identity changed", run)
        hold(self._received() == sent, "the cluster came back without some of its records", run)
        yield f"deployed again in {run.seconds:.1f} s: {len(sent)} records are back"
        run = self._destroyed(f"kafka_destroy_data={self._id}")
        self._hold_left("", run)
        yield f"destroyed with its data in {run.seconds:.1f} s after {KILLS} killed runs: nothing is left"

    def _destroyed(self, *more: str) -> Outcome:
        """Return the run after those that are killed; the one after it has nothing to do."""
        given = [f"kafka_destroy={self._name}", *more]
        for _ in range(KILLS):
            self._run("destroy_cluster", *given, after=self._draw.uniform(0.5, LASTS))
        run = self._run("destroy_cluster", *given)
        hold(run.code == 0, f"the run after killed ones failed (exit code {run.code})", run)
        again = self._run("destroy_cluster", *given)
        hold(again.code == 0 and not again.changed, f"the run after that changed {again.changed}", again)
        return run

    def _run(self, playbook: str, *given: str, after: float | None = None) -> Outcome:
        words = [word for one in given for word in ("-e", one)]
        moment = {} if after is None else {"after": after}
        return self._runs.run(["-i", str(self._inventory), *words, f"playbooks/{playbook}.yml"], moment)

    def _hold_left(self, wanted: str, run: Outcome) -> None:
        left = self._lab.everywhere(LEFT)
        hold(set(left.values()) == {wanted}, f"left on the hosts: {left}, wanted: {wanted}", run)

    def _send(self) -> set[bytes]:
        admin = AdminClient(self._client)
        admin.create_topics([NewTopic(TOPIC, PARTITIONS, 3)])[TOPIC].result(60)
        producer, sent = Producer({**self._client, "acks": "all"}), {b"%d" % number for number in range(RECORDS)}
        for record in sent:
            producer.produce(TOPIC, record)
        if producer.flush(60):
            raise AssertionError("not every record was acknowledged")
        return sent

    def _received(self) -> set[bytes]:
        consumer = Consumer({**self._client, "group.id": "ending", "enable.partition.eof": True})
        consumer.assign([TopicPartition(TOPIC, number, 0) for number in range(PARTITIONS)])
        found, ended = set(), 0
        try:
            while ended < PARTITIONS:
                message = consumer.poll(60)
                if message is None:
                    raise AssertionError("no record for a minute")
                ended += message.error() is not None
                if not message.error():
                    found.add(message.value() or b"")
        finally:
            consumer.close()
        return found
