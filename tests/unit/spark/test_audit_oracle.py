"""A count in plain Python, by the law's text alone, and the audit classify the same logs with planted faults."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, seed, settings
from pyspark.sql import SparkSession

from tests.audit_oracle import CASES, PLANS, Plans, agree


@seed(81)
@settings(
    max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), database=None, phases=[Phase.generate]
)
@given(plans=PLANS)
def test_the_audit_and_a_count_in_plain_python_agree(spark: SparkSession, plans: Plans) -> None:
    assert agree(spark, plans) > CASES // 2
