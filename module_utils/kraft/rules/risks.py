"""The risks that an inventory can accept by name (``kafka_accepted_risks``)."""

from __future__ import annotations

RISKS = frozenset(
    {
        "bind_wide",
        "disk_shared",
        "even_controllers",
        "heap_large",
        "map_count",
        "min_isr_tight",
        "open_authorizer",
        "own_topic_single",
        "single_controller",
        "single_replica",
        "unclean_election",
    }
)
