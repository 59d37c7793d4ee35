"""Nodes that a run has left between two states: not yet members of the cluster, or not yet gone. Pure.

Only the run that began can finish: a deployment makes no controller of a dynamic quorum a voter, and starts no node
that was taken out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.status.evidence import Evidence
from ansible.module_utils.kraft.status.scene import Finding, Scene


def between(scene: Scene) -> Iterator[Finding]:
    """Yield ``leaving``, ``taken_out`` and ``joining``, in the order of the nodes."""
    for node in scene.nodes:
        if node.foreign:
            continue
        if node.removed:
            yield leaving(scene, node)
        elif not node.unreached and scene.snapshot is not None and joins(scene, node):
            ran = "" if node.lived else ", and its Kafka was never started"
            yield Finding("joining", node.node_id, "{}: not yet a member of the cluster", f"{lacks(scene, node)}{ran}")


def leaving(scene: Scene, node: Evidence) -> Finding:
    """Report a node with the mark of ``remove_nodes.yml``: on its way out, or out and still in the inventory."""
    there = ["it is still a voter"] if node.node_id in (scene.listed or ()) else []
    there += ["it is still registered"] if node.node_id in scene.registered else []
    there += [] if node.down else ["its Kafka still runs"]
    if there:
        return Finding("leaving", node.node_id, "{}: its removal from the cluster is not finished", ", ".join(there))
    detail = "remove it from the inventory"
    return Finding("taken_out", node.node_id, "{}: was removed from the cluster by remove_nodes.yml", detail)


def joins(scene: Scene, node: Evidence) -> bool:
    """Check whether only ``add_nodes.yml`` makes the node a member.

    A controller of a dynamic quorum that is no voter, or a broker that has never been started beside a cluster that
    runs. Unknown facts (no leader, disks not inspected) are no reason.
    """
    if node.is_controller and scene.dynamic:
        return scene.listed is not None and node.node_id not in scene.listed
    return node.lived is False and not node.is_controller and node.node_id not in scene.registered


def lacks(scene: Scene, node: Evidence) -> str:
    """Describe the membership that a joining node lacks."""
    words = ["the controller is not a voter"] if node.is_controller else []
    words += ["the broker is not registered"] if node.is_broker and node.node_id not in scene.registered else []
    return " and ".join(words)
