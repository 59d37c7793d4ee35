"""Clusters that hypothesis draws."""

from __future__ import annotations

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from hypothesis import strategies as st

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter

replica_sets = st.lists(st.integers(1, 5), min_size=1, max_size=4, unique=True)
delays = st.sampled_from([0, 2500, 60_000, None])


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """Five combined nodes, any of them fenced, late or not heard of; replicas in and out of sync."""
    rows = draw(st.lists(st.tuples(replica_sets, st.integers(0, 4)), max_size=6))
    fenced = draw(st.sets(st.integers(1, 5), max_size=1))
    voters = [voter(one, draw(delays) if one > 1 else 0, 7) for one in range(1, draw(st.integers(1, 5)) + 1)]
    parts = [partition(n, nodes, nodes[: max(1, size)]) for n, (nodes, size) in enumerate(rows)]
    return cluster(
        topic("a", *parts),
        brokers=[broker(one, fenced=one in fenced) for one in range(1, 6)],
        leader=quorum(1, *voters),
        min_insync=draw(st.integers(1, 3)),
    )
