"""The account of a deployment and the probe's: thousands of generated cases, each against a count in plain Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests import audit_oracle, probe_oracle
from tests.unit.spark.conftest import spark

__all__ = ["spark"]
SEEDS = range(2, 22)
PROBED = 200  # cases of one log


def plans(seed: int) -> audit_oracle.Plans:
    """Up to four faults in each case; none in one of five."""
    dice = Random(seed)  # noqa: S311
    return [
        [
            (dice.choice(audit_oracle.KINDS), dice.randint(0, 40), dice.randint(0, 2000))
            for _ in range(dice.randint(0, 4))
        ]
        for _ in range(audit_oracle.CASES)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_two_thousand_cases_of_the_audit(spark: SparkSession, seed: int) -> None:
    assert audit_oracle.agree(spark, plans(seed)) > audit_oracle.CASES // 2


def test_four_thousand_cases_of_the_probes_account(spark: SparkSession, tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    for seed in SEEDS:
        outcomes += probe_oracle.agree(spark, tmp_path / str(seed), seed, PROBED)
    assert min(outcomes["proven"], outcomes["failed"]) > PROBED * len(SEEDS) // 5
