"""An error of MirrorMaker that shows in one host's journal alone ends the wait for a copy, with host and cause."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest

from tests.long.lab_hosts import LabHosts, temporary

HOST, SECONDS = "kafka1", 20.0
SERVICE = r"""
cat >/usr/local/bin/mirror <<'END'
#!/bin/sh
echo 'INFO Kafka MirrorMaker starting (org.apache.kafka.connect.mirror.MirrorMaker)'
echo "ERROR Failed to reconfigure connector's tasks (x), retrying after backoff. (a.b.C)"
printf '%s\n%s\n\tat a.b(C.java:1)\n%s\n' \
  'ERROR Failed to configure MirrorSourceConnector connector for old->target (a.b.C)' \
  'org.apache.kafka.connect.errors.ConnectException: outer' \
  'Caused by: org.apache.kafka.common.config.ConfigException: must not be duplicated'
printf 'INFO no UTF-8 \377\n'
exec sleep 600
END
chmod +x /usr/local/bin/mirror
printf '[Service]\nExecStart=/usr/local/bin/mirror\n' >/etc/systemd/system/kafka-mirror.service
systemctl daemon-reload && systemctl start kafka-mirror
"""
PLAY = f"""
- hosts: {HOST}
  become: true
  gather_facts: false
  tasks:
    - ansible.builtin.include_role: {{name: kafka_mirror, tasks_from: errors}}
      vars: {{__kafka_mirror_ends: true, __kafka_mirror_hosts: [{HOST}]}}
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("journal", (HOST,), tmp_path_factory)


def test_a_connector_that_cannot_be_made_ends_the_wait_with_host_and_cause(lab: LabHosts) -> None:
    playbook = lab.home / "look.yml"
    playbook.write_text(PLAY)
    lab.podman(HOST, "sh", "-c", SERVICE)
    began = monotonic()
    while (done := lab.run("-i", str(lab.home / "hosts.yml"), str(playbook))).returncode == 0:
        assert monotonic() - began < SECONDS, done.stdout
    assert f"kafka-mirror on {HOST} has logged: Failed to configure MirrorSourceConnector" in done.stdout, done.stdout
    assert "ConfigException: must not be duplicated" in done.stdout
