"""Members of the running cluster, compared with the inventory: voters and brokers without a host. Pure.

No single record is trusted: the old voters are those of every node's running process, configuration and quorum-state
file, and of the metadata quorum's own answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.snapshot import Broker, Replica
from ansible.module_utils.kraft.cluster.voter_sets import can_be_disjoint, spare
from ansible.module_utils.kraft.kafka_terms import CONTROLLER
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.model import STATIC
from ansible.module_utils.kraft.spec.host_rules.network import target
from ansible.module_utils.kraft.spec.host_rules.renamed import disk_id
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK

#: A voter runs if the leader has heard from it within this number of milliseconds.
HEARD_MS = 10_000
TAKE_OUT = (
    "put its host back into the inventory, then run playbooks/remove_nodes.yml -e kafka_remove_nodes=<host>"
    " (a machine that is lost: with --limit '!<host>'), and then remove it from the group"
)
MIGRATE = (
    "leave the controllers of the inventory as they were and make the quorum dynamic (playbooks/migrate_quorum.yml);"
    " then playbooks/add_nodes.yml and playbooks/remove_nodes.yml change its voters one by one"
)
ONE_BY_ONE = (
    "change the address of one controller, run again, and go on with the next one; or make the quorum dynamic first"
    " (playbooks/migrate_quorum.yml), which lets all change in one run"
)
#: The migration to secured listeners gives all controllers other addresses in one run.
DYNAMIC_FIRST = (
    "make the quorum dynamic first: put the old kafka_listeners back, give kafka_quorum: dynamic, and run"
    " playbooks/migrate_quorum.yml; then write the secured listeners and run this again"
)
PASTE = "Directory ids of the running controllers. Paste them as a file into the inventory's directory, such as ids.yml"
STOP = "; a static quorum lets go of a voter only when its Kafka is stopped and disabled"


def check(subject: Subject) -> Iterator[Problem]:
    yield from unanswered(subject)
    if subject.cluster["quorum"] == STATIC:
        yield from disjoint(subject)
        yield from static_voters(subject)
        yield from readdressed(subject)
    else:
        yield from voters(subject)
    yield from brokers(subject)


def unanswered(subject: Subject) -> Iterator[Problem]:
    """Report running nodes of a cluster that does not report its members."""
    if subject.silence:
        message = f"The cluster does not report its members: {subject.silence}"
        remedy = "see playbooks/cluster_status.yml; nodes that no host has any more are not noticed until it answers"
        yield Problem("members_unknown", message, remedy, severity=WARNING)


def disjoint(subject: Subject) -> Iterator[Problem]:
    """Yield lists of voters that could elect a leader beside the inventory's."""
    wanted = wanted_voters(subject)
    for (host, old), source in voter_lists(subject).items():
        if can_be_disjoint(old, wanted):
            message = (
                f"{source} counts the votes of controllers {listed(old)}, and the inventory wants {listed(wanted)}:"
                " a majority of each can do without the other, so there could be two leaders"
            )
            yield Problem("voters_disjoint", message, MIGRATE, host=host)


def voter_lists(subject: Subject) -> dict[tuple[str, frozenset[int]], str]:
    """Return every observed list of voters: host and ids -> its first place. The quorum's own answer has no host."""
    lists: dict[tuple[str, frozenset[int]], str] = {}
    for host, facts in subject.seen:
        for found in deployed_voters(facts):
            lists.setdefault((host.name, frozenset(one["node_id"] for one in found["voters"])), found["source"])
    answered = frozenset(one.node_id for one in quorum_voters(subject))
    if answered and answered not in {ids for _, ids in lists}:
        lists["", answered] = "The running quorum"
    return lists


def old_voters(subject: Subject) -> frozenset[int]:
    """Return the voters of any list."""
    return frozenset(one for _, ids in voter_lists(subject) for one in ids)


def static_voters(subject: Subject) -> Iterator[Problem]:
    """Report a voter that left the inventory and still runs: it uses the old list."""
    if any(disjoint(subject)):
        return
    for node_id in sorted(old_voters(subject) - wanted_voters(subject)):
        state = life(subject, node_id)
        if state:
            message = f"Controller {node_id} is a voter that the inventory lacks, and {state}"
            yield Problem("dropped_voter", message, MIGRATE + STOP, value=node_id)


def life(subject: Subject, node_id: int) -> str:
    """Return why a voter that left the inventory counts as running; empty if it is known not to."""
    answers = reached(subject, node_id)
    listening = [where for where, answer in answers if answer == "open"]
    if listening:
        return f"it still runs (something listens on {listening[0]})"
    if subject.snapshot and subject.snapshot.quorum:
        heard_of = any(one.node_id == node_id and heard(one) for one in quorum_voters(subject))
        return "it still runs (the leader hears from it)" if heard_of else ""
    if answers and all(answer == "refused" for _, answer in answers):
        return ""
    return "Kraftwright cannot tell whether it still runs: neither its host nor the cluster answers"


def reached(subject: Subject, node_id: int) -> list[tuple[str, str]]:
    """Return ``(host:port, answer)`` of each host at the addresses that it has for a voter."""
    return [
        (one["address"], facts["reach"][one["address"]])
        for _, facts in subject.seen
        for found in deployed_voters(facts)
        for one in found["voters"]
        if one["node_id"] == node_id and one["address"] in facts["reach"]
    ]


def heard(replica: Replica) -> bool:
    return replica.behind_ms is not None and replica.behind_ms <= HEARD_MS


def readdressed(subject: Subject) -> Iterator[Problem]:
    """Report static voters that get other addresses, at which they are not reachable yet.

    The first node that restarts has only the new addresses of the others. It needs a majority, itself included, that
    is found there.
    """
    wanted = {host.node["node_id"]: where for host in subject.hosts for where in controller_addresses(host)}
    found = {where for _, facts in subject.seen for where, answer in facts["reach"].items() if answer == "open"}
    lists = [facts["deployed"]["voters"] for _, facts in subject.seen if facts["service"]["pid"]]
    every = [one for own in lists for each in own for one in each["voters"] if one["address"]]
    gone = {one["node_id"] for one in every if wanted.get(one["node_id"]) not in (None, one["address"], *found)}
    if gone and len(gone) > spare({one["node_id"] for one in every}):
        message = (
            f"Controllers {listed(gone)} of a static quorum get new addresses, where no running node finds them yet"
        )
        remedy = DYNAMIC_FIRST if subject.cluster.get("migration") else ONE_BY_ONE
        yield Problem("voters_readdressed", message, remedy, "kafka_address")


def directory_ids(subject: Subject, problems: Iterable[Problem]) -> str:
    """Return the text to paste when a static quorum becomes dynamic: the directory id of each controller's own disk.

    A static quorum counts votes by node id alone, so the ids of the running controllers are the right ones. Empty if
    the quorum is dynamic already: there another id may be that of another voter.
    """
    static = {host.name for host, facts in subject.seen if deployed_voters(facts) and facts["service"]["pid"]}
    ids = {one.host: one.value for one in problems if one.rule == "foreign_directory_id" and one.host in static}
    if not ids:
        return ""
    lines = [f"    {host}: {{kafka_directory_id: {found}}}" for host, found in ids.items()]
    return "\n".join([f"{PASTE}:", "", "kafka:", "  hosts:", *lines])


def controller_addresses(host: Host) -> list[str]:
    """Return the addresses of this controller for the other controllers."""
    return [target(one) for one in host.node["listeners"] if host.is_controller and one["purpose"] == CONTROLLER]


def voters(subject: Subject) -> Iterator[Problem]:
    """Report voters of a dynamic quorum without a host: alive or dead, each counts for the majority."""
    for node_id in sorted(old_voters(subject) - wanted_voters(subject)):
        message = f"Controller {node_id} is a voter that the inventory lacks: it counts for the majority"
        yield Problem("dropped_voter", message, TAKE_OUT, value=node_id)


def brokers(subject: Subject) -> Iterator[Problem]:
    """Report registered brokers without a host. A serving one holds replicas and clients."""
    wanted = frozenset(disk_id(subject, host) for host in subject.hosts if host.is_broker)
    for one in registered(subject):
        if one.node_id in wanted:
            continue
        message = f"Broker {one.node_id} ({one.address}) is registered, but the inventory lacks it"
        if one.fenced:
            message += "; it is fenced, and may hold replicas"
            yield Problem("broker_left_behind", message, TAKE_OUT, value=one.node_id, severity=RISK)
        else:
            yield Problem("dropped_broker", f"{message}, and it serves clients", TAKE_OUT, value=one.node_id)


def registered(subject: Subject) -> Iterable[Broker]:
    return subject.snapshot.brokers if subject.snapshot else ()


def wanted_voters(subject: Subject) -> frozenset[int]:
    """Return the desired voters; a node with only a new number has not left."""
    return frozenset(disk_id(subject, host) for host in subject.hosts if host.is_controller)


def quorum_voters(subject: Subject) -> tuple[Replica, ...]:
    """Return the voters in the running quorum's leader's list; none without an answer."""
    return subject.snapshot.quorum.voters if subject.snapshot and subject.snapshot.quorum else ()


def deployed_voters(facts: Facts) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = facts["deployed"]["voters"]
    return found
