"""One real cluster for a whole session; tests that stop or break nodes make one of their own."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible.module_utils.testing import patch_module_args

from tests.integration.kafka_cluster import KafkaCluster


@pytest.fixture(scope="session")
def kafka_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("kafka"))
    yield cluster
    cluster.stop()


@pytest.fixture
def run_module(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Runs a module as Ansible would, in this process: its name and parameters in, its result out."""

    def run(module: str, /, check_mode: bool = False, **params: Any) -> dict[str, Any]:
        with patch_module_args({**params, "_ansible_check_mode": check_mode}), pytest.raises(SystemExit):
            importlib.import_module(module).main()
        result: dict[str, Any] = json.loads(capsys.readouterr().out)
        return result

    return run
