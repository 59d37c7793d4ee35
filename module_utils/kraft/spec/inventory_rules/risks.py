"""Risks that an inventory can accept by name (``kafka_accepted_risks``), and names that only we do not have."""

from __future__ import annotations

from ansible.module_utils.kraft.spec.inventory.advisories import known

RISKS = frozenset(
    {
        "bind_wide",
        "broker_left_behind",
        "certificate_ends",
        "clock_skew",
        "debugger_open",
        "disk_ephemeral",
        "disk_shared",
        "even_controllers",
        "heap_over_half",
        "jmx_open",
        "log_dir_dropped_unread",
        "log_dir_lost",
        "log_dir_on_network",
        "log_dir_scarce",
        "map_count",
        "min_isr_tight",
        "oauth_open",
        "oauth_super_users",
        "oauth_unverified",
        "old_connections",
        "only_replica",
        "open_authorizer",
        "own_topic_single",
        "plugin_class",
        "quorum_form",
        "release_older",
        "setting_unknown",
        "single_controller",
        "single_replica",
        "topic_partitions",
        "unclean_election",
        "unknown_variable",
        "weak_secret",
        "weak_tls",
    }
)
#: The same, and each advisory of Kafka by its own id.
ACCEPTABLE = RISKS | {one.identifier for one in known()}
