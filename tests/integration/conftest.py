"""One real cluster for a whole session; tests that stop or break nodes make a separate one."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ansible.module_utils.testing import patch_module_args
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
)

from tests.integration.kafka_cluster import KafkaCluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def kafka_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("kafka"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The session of all tests, with the compiler of a short run, as of the command: they read few records."""
    from spark_jobs import appcds, session, submit  # noqa: PLC0415 - most tests need no Spark
    from spark_jobs.installation import JARS  # noqa: PLC0415

    if not list(JARS.glob("*.jar")):
        subprocess.run([sys.executable, "-m", "dist", "spark"], cwd=ROOT, check=True)
    appcds.make(os.environ, sorted(JARS.glob("*.jar")))
    opened = session.open_session("tests", {session.JAVA_OPTIONS: submit.SHORT_RUN_JAVA})
    yield opened
    opened.stop()


@pytest.fixture
def quick_cleaner(kafka_cluster: KafkaCluster) -> Iterator[None]:
    """The log cleaner rests for 15 s by default; during the test it looks for work twice a second."""

    def change(operation: AlterConfigOpType) -> None:
        entry = ConfigEntry("log.cleaner.backoff.ms", "500", incremental_operation=operation)
        for node_id in kafka_cluster.nodes:
            resource = ConfigResource(ConfigResource.Type.BROKER, str(node_id), incremental_configs=[entry])
            admin.incremental_alter_configs([resource])[resource].result(30)

    admin = AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers})
    change(AlterConfigOpType.SET)
    yield
    change(AlterConfigOpType.DELETE)


@pytest.fixture
def run_module(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Runs a module as Ansible would, in this process: its name and parameters in, its result out."""

    def run(module: str, /, check_mode: bool = False, **params: Any) -> dict[str, Any]:
        with patch_module_args({**params, "_ansible_check_mode": check_mode}), pytest.raises(SystemExit):
            importlib.import_module(module).main()
        result: dict[str, Any] = json.loads(capsys.readouterr().out)
        return result

    return run
