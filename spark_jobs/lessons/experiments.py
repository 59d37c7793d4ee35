"""The experiments: each changes the cluster for some seconds and returns its observations (``sentences``)."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from ansible.module_utils.kraft.errors import KraftError

from spark_jobs.errors import UnreachableError
from spark_jobs.lessons.flow import Flow
from spark_jobs.lessons.lab import PREFIX, Lab
from spark_jobs.lessons.timing import buckets, longest_gap, within

ANSWER_SECONDS, ALONE_SECONDS, ELECTED_SECONDS, RESUMED_SECONDS = 15.0, 8.0, 40.0, 40.0
RECORDS, BEFORE, AFTER, WIDTH = 200, 2.0, 2.0, 0.25
WANTED = {"partitions": 6, "replicas": 3}
ORDERS = "ordres"

Observations = dict[str, Any]


def active(lab: Lab) -> int:
    """Return the active controller. Raises UnreachableError."""
    found = lab.controller()
    if found is None:
        raise UnreachableError("No node knows an active controller.")
    return found


def _freeze(lab: Lab, undone: ExitStack, node_id: int) -> None:
    """Freeze a node until `undone` ends; a command that failed may have frozen it."""
    undone.callback(lab.nodes.thaw, node_id)
    lab.nodes.freeze(node_id)


def _kill(lab: Lab, undone: ExitStack, node_id: int) -> None:
    """Kill a node until `undone` ends; a command that failed may have killed it."""
    undone.callback(lab.nodes.revive, node_id)
    lab.nodes.kill(node_id)


def majority(lab: Lab) -> Observations:
    """Freeze a controller, then the active one, and make a topic at the third each time."""
    leader = active(lab)
    first, last = lab.others(leader)
    changes = [_change(lab, 3, last, ANSWER_SECONDS)]
    with ExitStack() as undone:
        for count, node_id in ((2, first), (1, leader)):
            _freeze(lab, undone, node_id)
            changes.append(_change(lab, count, last, ANSWER_SECONDS if count > 1 else ALONE_SECONDS))
    return {"changes": changes}


def _change(lab: Lab, running: int, at: int, seconds: float) -> Observations:
    begin, reason = time.monotonic(), ""
    try:
        lab.topic(f"majority-{running}", [at], at, seconds)
    except KraftError as error:
        reason = str(error)
    return {"running": running, "answered": not reason, "seconds": time.monotonic() - begin, "reason": reason}


def failover(lab: Lab) -> Observations:
    """Kill the active controller while records flow beside it and through it, until another one leads."""
    old = active(lab)
    rest = lab.others(old)
    flows = [Flow(lab, lab.topic("beside", rest, min_insync_replicas="2"))]
    flows.append(Flow(lab, lab.topic("with-it", [old, *rest], min_insync_replicas="2")))
    with ExitStack() as undone:
        for flow in flows:
            undone.callback(flow.stop)
            flow.start()
        time.sleep(BEFORE)
        asked_at = time.monotonic()
        _kill(lab, undone, old)
        killed_at = time.monotonic()  # what was acknowledged while the signal travelled does not count
        elected = _wait_elected(lab, old, rest)
        elected_at = time.monotonic()
        _wait_resumed(flows[1], killed_at)
        time.sleep(AFTER)
    lab.wait_whole()
    lost = sum(len(flow.acked - lab.stored(flow.topic)) for flow in flows)
    return {"killed": old, "elected": elected, "seconds": elected_at - asked_at, "lost": lost} | _meanwhile(
        flows[0], flows[1], killed_at, elected_at
    )


def _wait_elected(lab: Lab, old: int, rest: list[int]) -> int | None:
    deadline = time.monotonic() + ELECTED_SECONDS
    while time.monotonic() < deadline:
        found = lab.controller(rest)
        if found is not None and found not in (old, -1):
            return found
        time.sleep(0.1)
    return None


def _wait_resumed(flow: Flow, since: float) -> None:
    """Wait until the partition of the killed node acknowledges again, after it has stopped to."""
    deadline = since + RESUMED_SECONDS
    while time.monotonic() < deadline and not within(flow.acks, since + 1.0, deadline):
        time.sleep(0.1)


def _meanwhile(beside: Flow, with_it: Flow, killed_at: float, elected_at: float) -> Observations:
    """Return counts of the window without a controller, and the course of both partitions (seconds from the kill)."""
    end = max([elected_at, *beside.acks, *with_it.acks])
    gaps = [longest_gap(moments, killed_at, elected_at + 1.0) for moments in (beside.acks, beside.reads)]
    moments = {"beside, acknowledged": beside.acks, "beside, read": beside.reads, "with it, acknowledged": with_it.acks}
    begin = killed_at - BEFORE
    return {
        "window": elected_at - killed_at,
        "acked": within(beside.acks, killed_at, elected_at),
        "read": within(beside.reads, killed_at, elected_at),
        "gap": max(gaps),
        "gap_with": longest_gap(with_it.acks, killed_at, end),
        "course": {
            "from": -BEFORE,
            "width": WIDTH,
            "counts": {name: buckets(one, begin, end, WIDTH) for name, one in moments.items()},
        },
    }


def acknowledgements(lab: Lab) -> Observations:
    """Freeze the followers, write with acks=1 and acks=all, kill the leader, and let the followers go on."""
    leader = lab.others(active(lab))[0]
    followers = lab.others(leader)
    writers = {}
    for acks in ("1", "all"):
        topic = lab.topic(f"acks-{acks}", [leader, *followers], min_insync_replicas="2")
        writers[acks] = lab.writer(topic, acks)
        writers[acks].send([0])
        writers[acks].producer.flush(ANSWER_SECONDS)
    with ExitStack() as undone:
        with ExitStack() as behind:
            for node_id in followers:
                _freeze(lab, behind, node_id)
            time.sleep(1.0)  # their last fetches have been answered by then
            for writer in writers.values():
                writer.send(range(1, RECORDS + 1))
            writers["1"].producer.flush(2.0)
            early = len(writers["all"].acked)
            _kill(lab, undone, leader)
        promised = {"1": set(writers["1"].acked)}
        writers["all"].producer.flush(RESUMED_SECONDS)
        promised["all"] = set(writers["all"].acked)
    lab.wait_whole()
    counts = {acks: _lost(promised[acks], lab.stored(writer.topic)) for acks, writer in writers.items()}
    return {"one": counts["1"], "all": {**counts["all"], "before_the_kill": early}}


def _lost(promised: set[int], stored: set[int]) -> Observations:
    return {"acked": len(promised), "lost": len(promised - stored)}


def ports(lab: Lab) -> Observations:
    """Close the controllers' ports to all but the nodes, and try them from here; write and read meanwhile."""
    before = {str(node): lab.reachable(place.controller) for node, place in lab.places.items()}
    with ExitStack() as closed:
        for node_id in lab.places:
            closed.callback(lab.nodes.open_controller, node_id)
            lab.nodes.close_controller(node_id)
        now = {str(node): lab.reachable(place.controller) for node, place in lab.places.items()}
        topic = lab.topic("ports", list(lab.places))
        writer = lab.writer(topic, "all")
        writer.send(range(10))
        writer.producer.flush(ANSWER_SECONDS)
        served = lab.stored(topic) == set(range(10))
    return {"before": before, "closed": now, "served": served}


def high_watermark(lab: Lab) -> Observations:
    """Freeze one follower, so that the high watermark stays, write with acks=1, and read from the other one."""
    leader = active(lab)
    follower, late = lab.others(leader)
    topic = lab.topic("watermark", [leader, follower, late])
    first, writer = lab.writer(topic, "all"), lab.writer(topic, "1")
    for number, one in enumerate((first, writer)):  # later each is connected, and no record waits for that
        one.send([number])
        one.producer.flush(ANSWER_SECONDS)
    _until(lambda: lab.served(follower, topic, 0) == 2)  # noqa: PLR2004 - both
    empty = lab.held(follower, topic)
    with ExitStack() as undone:
        _freeze(lab, undone, late)
        writer.send(range(2, RECORDS + 2))
        writer.producer.flush(4.0)
        _until(lambda: lab.held(follower, topic) > empty, 3.0)
        acked, held, served = len(writer.acked) - 1, lab.held(follower, topic) - empty, lab.served(follower, topic, 2)
    _until(lambda: lab.served(follower, topic, 2) >= acked)
    return {"acked": acked, "held": held, "served": served, "served_later": lab.served(follower, topic, 2)}


def _until(done: Callable[[], bool], seconds: float = ANSWER_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.2)


def beside(lab: Lab) -> dict[str, Observations]:
    """Run a Kafka with its defaults below /tmp, and write to a mistyped topic of this cluster."""
    found = lab.nodes.on_tmp()
    topic = f"{PREFIX}-{ORDERS}-{int(time.time())}"
    writer = lab.writer(topic, "all")
    writer.send([0])
    writer.producer.flush(3.0)
    here = {"wanted": WANTED, "made": found["made"], "here": lab.exists(topic)}
    return {"on_tmp": found["on_tmp"], "auto_creation": here}
