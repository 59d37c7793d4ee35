"""Losses between start and end of a run, and tasks that Spark repeated."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs import changes
from spark_jobs.native import TopicView

FIRST = TopicView({0: 1, 1: 2, 2: None}, {1: "a:9092", 2: "b:9092", 3: "c:9092"}, 3)


def test_brokers_that_are_gone_and_leaders_that_moved_are_named() -> None:
    last = TopicView({0: 1, 1: 3, 2: 3}, {1: "a:9092", 3: "c:9092"}, 3)
    found = changes.between([FIRST, last], 4)
    assert found == {
        "brokers_gone": {"2": "b:9092"},
        "leaders_moved": [{"partition": 1, "before": 2, "after": 3}, {"partition": 2, "before": None, "after": 3}],
        "tasks_retried": 4,
    }


def test_a_leader_that_came_back_has_moved_all_the_same() -> None:
    away = TopicView({**FIRST.leaders, 0: None}, FIRST.brokers, 3)
    found = changes.between([FIRST, away, FIRST], 0)
    assert (found["leaders_moved"], found["brokers_gone"]) == ([{"partition": 0, "before": 1, "after": None}], {})


@pytest.mark.parametrize("stays", [True, False])
def test_a_task_that_failed_is_counted(spark: SparkSession, stays: bool) -> None:
    """On a local master a task is tried once, so its failure ends the job; the listener counts it all the same."""
    group = f"changes-{stays}"
    spark.sparkContext.setJobGroup(group, "two tasks")
    odd = F.raise_error(F.lit("no")) if not stays else F.lit(None)
    frame = spark.range(0, 10, 1, 2).select(F.when(F.col("id") == 3, odd).alias("x"))
    try:
        frame.write.format("noop").mode("overwrite").save()
    except Exception:
        assert not stays
    assert changes.failed_tasks(spark.sparkContext, group) == (0 if stays else 1)
