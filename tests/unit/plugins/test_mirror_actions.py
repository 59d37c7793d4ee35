"""The control side of a mirror's modules: secrets of the source travel apart, in an argument that no result shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from plugins.action import kafka_mirror, kafka_mirror_info

CLIENT = {"security.protocol": "SASL_SSL", "ssl.truststore.password": "hidden"}
SOURCE = {"name": "old", "bootstrap_servers": ["198.51.100.5:9092"], "client": CLIENT}
PUBLIC = {"source": {**SOURCE, "client": {"security.protocol": "SASL_SSL"}}, "topics": ["orders"]}


def sent(plugin: Any, **given: Any) -> dict[str, Any]:
    """Return the arguments that the module gets on the host."""
    task: Any = SimpleNamespace(args=given, check_mode=False, async_val=0, diff=False, environment=[], action="x")
    made = plugin.ActionModule(task, *[MagicMock()] * 5)
    made._execute_module = lambda module_args, **_: {"sent": module_args}
    return dict(made.run(task_vars={})["sent"])


@pytest.mark.parametrize(("plugin", "more"), [(kafka_mirror_info, {}), (kafka_mirror, {"state": "reversed"})])
def test_secrets_of_the_source_travel_apart(plugin: Any, more: dict[str, Any]) -> None:
    found = sent(plugin, mirror={"source": SOURCE, "topics": ["orders"]}, **more)
    assert found == {**more, "mirror": PUBLIC, "secrets": {"ssl.truststore.password": "hidden"}}


def test_the_service_gets_secrets_by_their_whole_names_alone() -> None:
    found = sent(kafka_mirror, release="4.4.0", mirror={"source": SOURCE})
    assert found.keys() == {"release", "definitions", "secrets"}
    assert found["secrets"] == {"old.ssl.truststore.password": "hidden"}


@pytest.mark.parametrize(("plugin", "more"), [(kafka_mirror_info, {}), (kafka_mirror, {"state": "absent"})])
def test_without_a_source_nothing_is_taken_apart(plugin: Any, more: dict[str, Any]) -> None:
    assert sent(plugin, install_dir="/opt/kafka", **more) == {**more, "install_dir": "/opt/kafka"}
