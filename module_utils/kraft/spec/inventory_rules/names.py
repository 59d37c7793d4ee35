"""Names of variables: a typo is an error, not a silent nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.contributions import PREFIX as CONTRIBUTION
from ansible.module_utils.kraft.spec.inventory.spec import nearest
from ansible.module_utils.kraft.spec.inventory_rules.risks import ACCEPTABLE
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject
from ansible.module_utils.kraft.spec.inventory_rules.topology import SHARED

PREFIX = "kafka_"
OLD_CONNECTION = frozenset({"ansible_ssh_host", "ansible_ssh_port"})
OTHERS = "remove it; if another role reads it, list unknown_variable in kafka_accepted_risks"
#: Variables that a play or a module of ours sets beside the roles' options.
ALSO_KNOWN = frozenset({"kafka_accepted_risks", "kafka_break_lock", "kafka_desired", "kafka_host", "kafka_report"})

#: Old name -> today's name. An old name would have no effect, so it is refused.
RENAMED = {
    "kafka_add": "kafka_add_nodes",
    "kafka_class_data": "kafka_appcds_archive",
    "kafka_moves": "kafka_rebalance_state",
    "kafka_moves_together": "kafka_max_concurrent_moves",
    "kafka_observe": "kafka_soak_seconds",
    "kafka_remove": "kafka_remove_nodes",
    "kafka_replace": "kafka_replace_node",
    "kafka_restart": "kafka_restart_nodes",
    "kafka_roll_together": "kafka_max_unavailable",
}
#: Names that no role has any more -> what to do. They would have no effect, so they are refused.
REMOVED = dict.fromkeys(
    ("kafka_logs", *(f"kafka_logs_{name}" for name in ("authority", "packages", "port", "queue_mb", "receiver"))),
    "remove it; docs/runbooks/ship_logs.md says how an agent of yours ships the log files",
)
#: Names of other roles and images -> the equivalent here.
OF_OTHER_TOOLS = {
    "kafka_broker_custom_properties": "write the settings into kafka_config",
    "kafka_data_dir": "use kafka_log_dirs",
    "kafka_firewall": "remove it: firewalls are not part of this project",
    "kafka_heap_opts": "use kafka_heap_size",
    "kafka_java_version": "install the Java that you want, and name it in kafka_java_home",
    "kafka_jmx_port": "set kafka_metrics: true; for a port of JMX, use kafka_jvm_options",
    "kafka_log_dir": "use kafka_log_dirs, a list",
    "kafka_opts": "use kafka_jvm_options, a list",
    "kafka_user_name": "use kafka_user",
}
#: Variables that define a node and its cluster. They are read for every host, in every play.
STATE = frozenset(
    {
        *SHARED,
        *("kafka_node_id", "kafka_process_roles", "kafka_address", "kafka_rack", "kafka_directory_id"),
        *("kafka_listeners", "kafka_security", "kafka_tls", "kafka_users", "kafka_client_user", "kafka_passwords_file"),
        *("kafka_config", "kafka_group_config", "kafka_host_config", "kafka_heap_size", "kafka_jvm_options"),
        *("kafka_archive", "kafka_install_dir", "kafka_log4j_dir", "kafka_java_home", "kafka_log_dirs"),
        *("kafka_metadata_log_dir", "kafka_host_data_disks", "kafka_metrics", "kafka_metrics_tls", "kafka_collector"),
        "kafka_mirror",
    }
)


def unknown(subject: Subject) -> Iterator[Problem]:
    """Report ``kafka_*`` variables of the inventory or the command line that no role reads."""
    known = subject.surroundings.names | ALSO_KNOWN
    if not subject.surroundings.names:
        return
    for host, used in subject.surroundings.used.items():
        for name in sorted(used & RENAMED.keys()):
            new = RENAMED[name]
            yield Problem(
                "renamed_variable", f"The variable is now called {new}", f"write {new} in its place", name, host
            )
        for name in sorted(used & REMOVED.keys()):
            yield Problem("removed_variable", "The variable has no effect any more", REMOVED[name], name, host)
        others = used - known - RENAMED.keys() - REMOVED.keys()
        for name in sorted(each for each in others if not each.startswith(CONTRIBUTION)):
            meant = nearest(name, subject.surroundings.names, PREFIX, least=0.75)
            remedy = OF_OTHER_TOOLS.get(name) or (f"did you mean {meant}?" if meant else OTHERS)
            yield Problem("unknown_variable", "No role has this variable", remedy, name, host)


def connections(subject: Subject) -> Iterator[Problem]:
    """Report old names of Ansible's own variables: the node's address does not follow them."""
    for node in subject.cluster.nodes:
        for old in sorted(OLD_CONNECTION & node.connection.keys()):
            new = old.replace("ansible_ssh_", "ansible_")
            yield Problem(
                "renamed_variable", f"The variable is now called {new}", f"write {new} in its place", old, node.host
            )


def accepted(subject: Subject) -> Iterator[Problem]:
    """Allow only risks to be accepted."""
    for name in subject.cluster.accepted_risks:
        if name not in ACCEPTABLE:
            meant = nearest(name, ACCEPTABLE)
            remedy = f"did you mean {meant}?" if meant else f"there are {', '.join(sorted(ACCEPTABLE))}"
            yield Problem(
                "unknown_risk",
                "The value is not a risk that can be accepted",
                remedy,
                "kafka_accepted_risks",
                value=name,
            )


def of_a_play(subject: Subject) -> Iterator[Problem]:
    """Report a variable of a play (``vars`` of it, or of ``import_playbook``): some tasks see it, no check does."""
    for name in sorted(subject.surroundings.of_play & STATE):
        message = "A play sets this variable, but the desired state comes only from the inventory and the command line"
        remedy = "move it to group_vars of the nodes, or give it with -e"
        yield Problem("play_variable", message, remedy, name)


RULES = (unknown, connections, accepted, of_a_play)
