"""Duration for which a leader was observed: only then is a voter silent without a fetch."""

from __future__ import annotations

import dataclasses

from ansible.module_utils.kraft.cluster.leader_watch import LeaderWatch
from ansible.module_utils.kraft.cluster.shutdown_check import silent
from ansible.module_utils.kraft.cluster.snapshot import Snapshot

from tests.unit.cluster.snapshots import cluster, quorum, voter


def watched(snapshot: Snapshot) -> int:
    assert snapshot.quorum
    return snapshot.quorum.watched_ms


def test_the_time_counts_from_the_first_look_at_this_leader_in_this_epoch() -> None:
    moments = iter([100.0, 103.0, 104.0, 110.5, 111.0, 112.0])
    watch = LeaderWatch(lambda: next(moments))
    first, second = cluster(), cluster(leader=quorum(2))
    assert [watched(watch.seen(one)) for one in (first, first)] == [0, 3000]
    assert [watched(watch.seen(one)) for one in (second, second)] == [0, 6500]
    again = dataclasses.replace(second, quorum=dataclasses.replace(quorum(2), leader_epoch=2))
    assert [watched(watch.seen(one)) for one in (again, again)] == [0, 1000]


def test_a_look_without_a_quorum_says_nothing_of_its_leader() -> None:
    moments = iter([0.0, 1.0, 2.0])
    watch = LeaderWatch(lambda: next(moments))
    watch.seen(cluster())
    assert watch.seen(dataclasses.replace(cluster(), quorum=None)).quorum is None
    assert watched(watch.seen(cluster())) == 2000


def test_a_voter_is_silent_once_its_leader_had_time_to_hear_of_it() -> None:
    for ms, expected in ((0, False), (9000, False), (9001, True)):
        assert silent(voter(2, None), dataclasses.replace(quorum(1), watched_ms=ms)) is expected
        assert silent(voter(2, ms), quorum(1)) is expected
