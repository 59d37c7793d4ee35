"""Changes of a host that count, and those that a running Kafka makes by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from host_state import LOG_DIR as PATTERN
from host_state import differences

SCENARIOS = Path(__file__).resolve().parents[3] / "molecule"
MADE = {*SCENARIOS.glob("*/inventory/lab.yml")}  #: by a scenario that runs now, which removes it

LOG_DIR = "/opt/kafka/kraft-logs/kafka-logs1"
KEPT = {f"{LOG_DIR}/orders-0": ["0o40750", 999, 997], f"{LOG_DIR}/meta.properties": ["0o100644", 999, 997]}


@pytest.mark.parametrize("name", ["__consumer_offsets-12", "orders-1", "orders-2-future"])
def test_a_partition_that_comes_is_the_broker_s_own_work(name: str) -> None:
    assert differences(KEPT, {**KEPT, f"{LOG_DIR}/{name}": ["0o40750", 999, 997]}) == []


@pytest.mark.parametrize(
    ("name", "now"),
    [
        (f"{LOG_DIR}/orders-0", None),
        (f"{LOG_DIR}/orders-0", ["0o40750", 0, 0]),
        (f"{LOG_DIR}/meta.properties", ["0o100644", 0, 0]),
        (f"{LOG_DIR}/bootstrap.checkpoint", ["0o100644", 999, 997]),
        ("/opt/kafka/releases/4.3.1-1", ["0o40755", 0, 0]),
    ],
)
def test_whatever_else_differs_is_a_change(name: str, now: list[object] | None) -> None:
    assert differences(KEPT, {**KEPT, name: now}) == [name]


@pytest.mark.parametrize(
    "file", sorted({*SCENARIOS.glob("*/inventory/**/*.yml"), *SCENARIOS.glob("*/vars/operations.yml")} - MADE)
)
def test_what_kafka_writes_into_the_log_dirs_of_a_scenario_is_its_own_work(file: Path) -> None:
    given = re.findall(r"^\s*kafka_log_dirs: \[(.+)\]", file.read_text(), re.MULTILINE)
    for path in (each.strip() for line in given for each in line.split(",")):
        assert PATTERN.fullmatch(path), path
