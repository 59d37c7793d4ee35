"""Log dirs that an operation is to empty: there, of a broker, not the metadata log's, and not the last."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.drained import DRAIN, drained
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject

FORM = "write it as <inventory name>:<directory>, such as kafka2:/srv/kafka/data2"


def drains(subject: Subject) -> Iterator[Problem]:
    """Report log dirs that cannot be emptied before any host is contacted."""
    asked = drained(subject.cluster.nodes[0].variables.get(DRAIN, "")) if subject.all_sound("kafka_log_dirs") else ()
    nodes = {node.host: node for node in subject.cluster.nodes}
    for host, path in asked:
        node = nodes.get(host)
        if not path.startswith("/"):
            text, remedy = f"The value names no directory: {host or path!r}", FORM
        elif node is None:
            text, remedy = f"{host!r} is not a node of this cluster", f"name one of {', '.join(nodes)}"
        elif node.is_broker and path == node.metadata_dir:
            remedy = "only replacing the node moves its metadata log (docs/runbooks/replace_node.md)"
            text = f"{path} holds the metadata log"
        elif not node.is_broker or path not in node.log_dirs:
            known = ", ".join(node.log_dirs) if node.is_broker else "none, it is a controller"
            text, remedy = (
                f"{path} is not one of its log dirs",
                f"name one of them ({known}), before it leaves kafka_log_dirs",
            )
        elif {each for name, each in asked if name == host} >= set(node.log_dirs):
            text, remedy = "No log dir would be left", "add another first, or empty the broker (remove_nodes.yml)"
        else:
            continue
        yield Problem("drained_log_dir", text, remedy, DRAIN, host if node else "", f"{host}:{path}" if path else host)


RULES = (drains,)
