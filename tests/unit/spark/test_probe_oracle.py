"""A count in plain Python, by the law's text alone, and the probe's account agree on generated logs."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from tests.probe_oracle import agree

CASES = 100


def test_the_probes_account_and_a_count_in_plain_python_agree(spark: SparkSession, tmp_path: Path) -> None:
    outcomes = agree(spark, tmp_path, 1, CASES)
    assert CASES // 5 < outcomes["proven"] < CASES * 4 // 5
