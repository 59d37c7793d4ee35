"""The sentences, and what the observations of a run make of each: it holds, it is wrong, or it is not shown. Pure.

An experiment leaves a dict of observations. A sentence holds only by observations that are there: a missing one, or an
experiment that ended with an error, leaves the sentence not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from spark_jobs.lessons.measured import (
    HOLDS,
    LONGEST_GAP,
    NOT_SHOWN,
    SECONDS,
    WRONG,
    Bar,
    Measured,
    Observed,
    Sentence,
    verdict,
)


def majority(seen: Observed) -> Measured:
    """``changes``: for 3, 2 and 1 running controllers whether a topic could be made, and the seconds of the attempt."""
    answered = {one["running"]: bool(one["answered"]) for one in seen["changes"]}
    seconds = {one["running"]: float(one["seconds"]) for one in seen["changes"]}
    three, two, alone = answered[3], answered[2], answered[1]
    bars = tuple(
        Bar(
            f"{count} of 3 run",
            seconds[count],
            f"made after {seconds[count]:.1f} s" if answered[count] else f"no answer in {seconds[count]:.1f} s",
            not answered[count],
        )
        for count in (3, 2, 1)
    )
    least = min((count for count, made in answered.items() if made), default=0)
    figure = f"{least} of 3" if least else "none"
    shown = f"The fewest controllers that still made a topic: {least}." if least else "No attempt made a topic."
    return Measured(verdict(three and two and not alone, three and (alone or not two)), figure, shown, bars)


def new_controller(seen: Observed) -> Measured:
    """``killed`` and ``elected``: node ids (null: none was elected); ``seconds`` from one to the other."""
    seconds, elected = float(seen["seconds"]), seen["elected"]
    other = elected is not None and elected != seen["killed"]
    bar = Bar("without a controller", seconds, f"{seconds:.1f} s", seconds > SECONDS or not other)
    if not other:
        return Measured(
            WRONG, f"none in {seconds:.0f} s", f"No other node took over from node {seen['killed']}.", (bar,)
        )
    shown = f"Node {elected} took over {seconds:.1f} s after node {seen['killed']} was killed."
    return Measured(HOLDS if seconds <= SECONDS else WRONG, f"{seconds:.1f} s", shown, (bar,))


def meanwhile(seen: Observed) -> Measured:
    """``acked``, ``read``: records within the window without a controller; ``gap``: longest pause around it, seconds.

    These are of a partition on the other brokers. ``gap_with``: of a partition that the killed node led.
    """
    acked, read, gap, lost = (seen[name] for name in ("acked", "read", "gap", "lost"))
    going = acked > 0 and read > 0 and gap <= LONGEST_GAP and lost == 0
    bars = (
        Bar("on the other brokers", gap, f"longest pause {gap:.1f} s", gap > LONGEST_GAP),
        Bar("led by the killed node", seen["gap_with"], f"longest pause {seen['gap_with']:.1f} s"),
    )
    shown = (
        f"{acked:,} records were acknowledged and {read:,} read while there was no controller; {lost:,} were lost. "
        f"Partitions of the killed node waited {seen['gap_with']:.1f} s, until its session as a broker ended."
    )
    if not seen["window"] > 0:
        return Measured(NOT_SHOWN, "no window", "There was no time without a controller.", bars)
    return Measured(HOLDS if going else WRONG, f"{acked:,} records", shown, bars)


def _kept(name: str, seen: Observed) -> tuple[Bar, Bar]:
    acked, lost = seen["acked"], seen["lost"]
    return Bar(f"{name} acknowledged", acked, f"{acked:,}"), Bar(f"{name} lost", lost, f"{lost:,}", lost > 0)


def acks_one(seen: Observed) -> Measured:
    """``one``: counts ``acked`` and ``lost`` of the producer with ``acks=1``."""
    acked, lost = seen["one"]["acked"], seen["one"]["lost"]
    shown = f"{acked:,} records were acknowledged before the leader died, and {lost:,} of them are gone."
    return Measured(verdict(lost > 0, acked > 0 and lost == 0), f"{lost:,} lost", shown, _kept("acks=1", seen["one"]))


def acks_all(seen: Observed) -> Measured:
    """``all``: counts of the producer with ``acks=all``; ``one``: those of ``acks=1`` prove that the fault loses."""
    acked, lost = seen["all"]["acked"], seen["all"]["lost"]
    bars = _kept("acks=all", seen["all"])
    if not lost and not seen["one"]["lost"]:
        return Measured(
            NOT_SHOWN, f"{lost:,} lost", "The fault lost nothing of acks=1 either: it proves nothing.", bars
        )
    shown = f"Under the same fault {acked:,} records were acknowledged in the end, and {lost:,} of them are gone."
    return Measured(verdict(acked > 0 and lost == 0, lost > 0), f"{lost:,} lost", shown, bars)


def tmp(seen: Observed) -> Measured:
    """``before`` and ``after``: records around a boot, ``emptied``: this host empties /tmp, ``started``: Kafka runs."""
    before, after, started = seen["before"], seen["after"], seen["started"]
    bars = (
        Bar("before the boot", before, f"{before:,} records"),
        Bar("after it", after, f"{after:,} records" if started else "Kafka does not start", True),
    )
    gone = before > 0 and after == 0
    how = f"Kafka does not start: {seen['message']}" if not started else "Kafka starts, and knows none of them."
    shown = f"Of {before:,} records {after:,} are left. {how if gone else ''}".strip()
    kept = before > 0 and (after > 0 or not seen["emptied"])
    return Measured(verdict(gone and seen["emptied"], kept), f"{after:,} of {before:,}", shown, bars)


def controller_port(seen: Observed) -> Measured:
    """``before`` and ``closed``: for each node whether its port answers from outside; ``served``: clients went on."""
    before, now, served = seen["before"], seen["closed"], bool(seen["served"])
    bars = (
        Bar("open as deployed", sum(before.values()), f"{sum(before.values())} of {len(before)}"),
        Bar("open behind the filter", sum(now.values()), f"{sum(now.values())} of {len(now)}", any(now.values())),
    )
    closed = len(now) > 0 and not any(now.values())
    work = "Clients went on" if served else "Clients could not go on"
    shown = f"{sum(now.values())} of {len(now)} controllers could be reached from outside. {work}."
    return Measured(verdict(closed and served, not (closed and served)), f"{sum(now.values())} open", shown, bars)


def auto_creation(seen: Observed) -> Measured:
    """``wanted`` and ``made``: ``partitions`` and ``replicas``; ``here``: whether this cluster made a topic so."""
    wanted, made, here = seen["wanted"], seen["made"], bool(seen["here"])
    bars = tuple(
        Bar(f"{name}: {what}", one[what], str(one[what]), name == "made" and one[what] != wanted[what])
        for what in ("partitions", "replicas")
        for name, one in (("wanted", wanted), ("made", made))
    )
    right = made == wanted
    shown = f"A mistyped topic got {made['partitions']} partition and {made['replicas']} replica by Kafka's defaults. "
    shown += "This cluster made one, too." if here else "This cluster refused to make one."
    return Measured(verdict(not right and not here, right or here), f"{made['partitions']} partition", shown, bars)


def high_watermark(seen: Observed) -> Measured:
    """``acked``: records beyond the high watermark; ``held``: bytes that a follower has of them; ``served``: by it."""
    acked, served, later = seen["acked"], seen["served"], seen["served_later"]
    bars = (
        Bar("acknowledged by the leader", acked, f"{acked:,}"),
        Bar("served by the follower", served, f"{served:,}", served > 0),
        Bar("served once all have them", later, f"{later:,}"),
    )
    held = seen["held"] > 0
    shown = f"The follower had {seen['held']:,} bytes of {acked:,} records and served {served:,}; later {later:,}."
    claimed = acked > 0 and held and served == 0 and later >= acked
    return Measured(verdict(claimed, served > 0), f"{served:,} served", shown, bars)


SENTENCES: Sequence[Sentence] = (
    Sentence(
        "majority",
        "The majority of three controllers is two.",
        "majority",
        "Freeze one controller, then a second one, and make a topic each time.",
        majority,
    ),
    Sentence(
        "new_controller",
        "A new controller is there within seconds.",
        "failover",
        "Kill the active controller, and ask the others for the quorum until another one leads.",
        new_controller,
    ),
    Sentence(
        "meanwhile",
        "Reading and writing go on meanwhile.",
        "failover",
        "Write and read 50 records a second during that time, on partitions of the other brokers.",
        meanwhile,
    ),
    Sentence(
        "acks_one",
        "With acks=1, acknowledged records can be lost.",
        "acknowledgements",
        "Freeze the followers, write, kill the leader, and let the followers go on.",
        acks_one,
    ),
    Sentence(
        "acks_all",
        "With acks=all and min.insync.replicas=2 they cannot.",
        "acknowledgements",
        "The same fault at the same time, with another producer.",
        acks_all,
    ),
    Sentence(
        "tmp",
        "Records in /tmp are lost at the next boot.",
        "on_tmp",
        "Run a second Kafka with its log dir below /tmp, write, stop it, and empty that folder as a boot does.",
        tmp,
    ),
    Sentence(
        "controller_port",
        "The controller port can be closed from outside: clients do not need it.",
        "ports",
        "Close it to all but the nodes for some seconds, try it from here, and write and read meanwhile.",
        controller_port,
    ),
    Sentence(
        "auto_creation",
        "Topics that are created automatically get the wrong partitions.",
        "auto_creation",
        "Write to a mistyped topic, once with Kafka's defaults and once on this cluster.",
        auto_creation,
    ),
    Sentence(
        "high_watermark",
        "A follower never serves records above the high watermark.",
        "high_watermark",
        "Freeze one follower, write with acks=1, and read from the other one.",
        high_watermark,
    ),
)


def judged(observations: Mapping[str, Observed], only: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return each sentence with what was measured, as JSON-ready dicts. `only`: names of sentences; empty: all."""
    chosen = [one for one in SENTENCES if not only or one.name in only]
    return [
        {"name": one.name, "claim": one.claim, "method": one.method, **asdict(_measured(one, observations))}
        for one in chosen
    ]


def _measured(sentence: Sentence, observations: Mapping[str, Observed]) -> Measured:
    seen = observations.get(sentence.experiment)
    if not seen:
        return Measured(NOT_SHOWN, "-", "The experiment was not run.")
    if "error" in seen:
        return Measured(NOT_SHOWN, "-", f"The experiment ended with an error: {seen['error']}")
    try:
        return sentence.judge(seen)
    except (KeyError, TypeError, ValueError) as missing:
        return Measured(NOT_SHOWN, "-", f"An observation is missing: {missing}")


def summary(found: Sequence[Mapping[str, Any]]) -> str:
    """Return one line about all sentences."""
    held = sum(one["verdict"] == HOLDS for one in found)
    rest = [f"{one['name']} {one['verdict']}" for one in found if one["verdict"] != HOLDS]
    return f"{held} of {len(found)} sentences hold" + (f"; {', '.join(rest)}" if rest else "")
