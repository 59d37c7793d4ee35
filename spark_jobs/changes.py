"""Changes in the cluster and in Spark between the beginning of a run and its end."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, sleep

from pyspark import SparkContext, SparkJobInfo

from spark_jobs.native import TopicView
from spark_jobs.report_schema import Changes, LeaderMoved

LISTENER_SECONDS = 5.0
POLL_SECONDS = 0.05


def between(views: Sequence[TopicView], tasks_retried: int) -> Changes:
    """Compare `views`: descriptions of the topic, the first one at the beginning and the last one at the end."""
    first, last = views[0], views[-1]
    return Changes(
        brokers_gone={
            str(node): address for node, address in sorted(first.brokers.items()) if node not in last.brokers
        },
        leaders_moved=[
            LeaderMoved(partition=partition, before=before, after=view.leaders.get(partition))
            for partition, before in sorted(first.leaders.items())
            for view in [next((view for view in views if view.leaders.get(partition) != before), None)]
            if view is not None
        ],
        tasks_retried=tasks_retried,
    )


def failed_tasks(context: SparkContext, group: str) -> int:
    """Return the number of failed attempts in the ended jobs of a job group; Spark repeats each, or ends the job.

    Spark's own counters follow a moment after the end of a job.
    """
    deadline = monotonic() + LISTENER_SECONDS
    jobs = _jobs(context, group)
    while (not jobs or any(job.status == "RUNNING" for job in jobs)) and monotonic() < deadline:
        sleep(POLL_SECONDS)
        jobs = _jobs(context, group)
    stages = [context.statusTracker().getStageInfo(stage) for job in jobs for stage in job.stageIds]
    return sum(stage.numFailedTasks for stage in stages if stage is not None)


def _jobs(context: SparkContext, group: str) -> list[SparkJobInfo]:
    tracker = context.statusTracker()
    found = [tracker.getJobInfo(number) for number in tracker.getJobIdsForGroup(group)]
    return [job for job in found if job is not None]
