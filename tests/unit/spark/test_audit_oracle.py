"""A count in plain Python, by the law's text alone, and the audit classify the same logs with planted faults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from pyspark.sql import SparkSession

from spark_jobs import aggregate
from spark_jobs.record_format import Workload
from tests.audit_oracle import CASES, PLANS, WORKLOAD, Plans, agree, planted, sound, summarized


@seed(81)
@settings(
    max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), database=None, phases=[Phase.generate]
)
@given(plans=PLANS)
def test_the_audit_and_a_count_in_plain_python_agree(spark: SparkSession, plans: Plans) -> None:
    assert agree(spark, plans) > CASES // 2


@seed(82)
@settings(
    max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), database=None, phases=[Phase.generate]
)
@given(plans=PLANS)
def test_exactly_the_partitions_without_a_fault_are_proven_in_one_pass(plans: Plans) -> None:
    log = planted(plans)
    found = aggregate.proven(summarized(log), WORKLOAD, log.spans())
    assert found == sound(log)
    assert len(found) < CASES
    assert aggregate.flawless(summarized(log), WORKLOAD, log.spans()) is None


def test_a_log_without_a_fault_is_proven_in_one_pass() -> None:
    log = planted([[] for _ in range(CASES)])
    assert aggregate.proven(summarized(log), WORKLOAD, log.spans()) == set(range(CASES))


@pytest.mark.parametrize(
    "read",
    [
        [*range(1000), *range(500, 1000), *range(1500, 2000)],  # a batch twice, and the next one not at all
        [0, 0, *range(2, 2000)],
        [*range(1000), *range(1000)],
    ],
)
@pytest.mark.parametrize("first", [0, 7])
def test_a_batch_that_is_read_twice_does_not_hide_one_that_is_missed(read: list[int], first: int) -> None:
    workload, span = Workload("run-a", 2000, 100, 1, 1), {0: (first, first + 2000)}

    def found(offsets: Iterable[int], overflows: bool = False) -> set[int]:
        rows: list[Any] = [
            {"partition": 0, "visible": 1, "offsets": first + one, "offset_sum": first + one} for one in offsets
        ]
        if overflows:
            rows[0]["offset_sum"] = None
        return aggregate.proven(rows, workload, span)

    assert found(range(2000)) == {0}
    assert found(read) == set()
    assert found(range(2000), overflows=True) == set()


def test_an_offset_that_is_read_twice_does_not_hide_one_that_is_missed() -> None:
    log = planted([[] for _ in range(CASES)])
    rows = summarized(log)
    first, second = [row for row in rows if row["partition"] == 0][:2]
    assert aggregate.proven([first, *(row for row in rows if row is not second)], WORKLOAD, log.spans()) == set(
        range(1, CASES)
    )
