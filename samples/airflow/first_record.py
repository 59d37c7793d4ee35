"""A DAG that deploys nothing: it reads a first record with the connection of a run, then proves the cluster.

Needs the connections of ``CLIENT.airflow.json`` and the variables of the environment below (docs/clients.md).
"""

from __future__ import annotations

import os
import time

import pendulum  # type: ignore[import-not-found]
from airflow.providers.apache.kafka.hooks.consume import KafkaConsumerHook  # type: ignore[import-not-found]
from airflow.providers.standard.operators.bash import BashOperator  # type: ignore[import-not-found]
from airflow.sdk import dag, task  # type: ignore[import-not-found]

#: The connection to consume: kafka_<cluster>_<listener>_consumer.
CONNECTION = os.environ.get("KRAFTWRIGHT_CONNECTION", "kafka_demo_client_consumer")
TOPIC = os.environ.get("KRAFTWRIGHT_TOPIC", "orders")
#: The checkout of the project, and its inventory.
HOME = os.environ.get("KRAFTWRIGHT_HOME", "/srv/kraftwright")
INVENTORY = os.environ.get("KRAFTWRIGHT_INVENTORY", "inventories/mine")
SECONDS = 60.0


@task(task_id="read_first_record")  # type: ignore[untyped-decorator, unused-ignore]
def read_first_record() -> str:
    """Return the value of the first record of the topic. Raises RuntimeError without one."""
    consumer = KafkaConsumerHook(topics=[TOPIC], kafka_config_id=CONNECTION).get_consumer()
    deadline = time.monotonic() + SECONDS
    try:
        while time.monotonic() < deadline:
            message = consumer.poll(1.0)
            if message is not None and not message.error():
                return (message.value() or b"").decode(errors="replace")
    finally:
        consumer.close()
    raise RuntimeError(f"topic {TOPIC}: no record in {SECONDS:.0f} s")


@dag(  # type: ignore[untyped-decorator, unused-ignore]
    dag_id="kraftwright_first_record",
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    tags=["kraftwright"],
)
def first_record() -> None:
    """Read a record, then write, read and reconcile all records of the proof."""
    verify = BashOperator(
        task_id="verify_cluster",
        bash_command=f'.venv/bin/ansible-playbook -i "{INVENTORY}" playbooks/verify_cluster.yml',
        cwd=HOME,
        append_env=True,
        env={"ANSIBLE_CONFIG": f"{HOME}/ansible.cfg"},
    )
    read_first_record() >> verify


first_record()
