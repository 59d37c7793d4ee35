"""The directory of native libraries must be writable for Kafka's unit."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.spec.inventory_rules.sizing import PRIVATE

from tests.unit.spec.inventory import hosts, problems_of

OPTION = "-Djava.io.tmpdir="


def told(*options: str) -> list[tuple[str, str, str]]:
    found = problems_of(hosts(1, kafka_jvm_options=list(options), kafka_log4j_dir="/srv/logs"))
    return [(one.severity, one.variable, str(one.value)) for one in found if one.rule == "tmp_dir_read_only"]


@pytest.mark.parametrize("path", ["/opt/kafka/tmp", "/home/kafka", "/srv/logs2", "/t"])
def test_a_directory_that_the_unit_cannot_write_is_a_warning(path: str) -> None:
    assert told(f"{OPTION}{path}") == [("warning", "kafka_jvm_options", path)]


@pytest.mark.parametrize("path", [*(f"{one}/kafka" for one in PRIVATE), *PRIVATE, "/srv/logs", "/srv/logs/tmp"])
def test_a_directory_of_the_unit_is_taken(path: str) -> None:
    assert told(f"{OPTION}{path}") == told() == []


def test_the_last_of_two_counts() -> None:
    assert told(f"{OPTION}/opt/a", f"{OPTION}/srv/logs") == []
