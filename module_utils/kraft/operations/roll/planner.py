"""Plan a rolling restart: ask the cluster until it shows a leader, and order the nodes into batches."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster import controllers, shutdown_check
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.health import expected
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unreachable
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.roll import decision

CHECK_MODE_SECONDS = 10  #: in check mode, for a leader or a late answer


def looked(client: Client, timeout: float, largest_delay_ms: int, check_mode: bool = False) -> Outcome[Snapshot]:
    """Return a snapshot that shows a leader, or the outcome of the last query after `timeout` seconds.

    In check mode nothing is waited for where nothing can be reached.
    """
    deadline = time.monotonic() + (min(timeout, CHECK_MODE_SECONDS) if check_mode else timeout)
    patience = Patience()
    while True:
        seen = patience.observe(client, shutdown_check.PARTS, largest_delay_ms)
        over = time.monotonic() >= deadline or (check_mode and isinstance(seen, Unreachable))
        if decision.led(seen) or over:
            return seen
        time.sleep(PAUSE)


def claimed(client: Client, addresses: list[str]) -> tuple[Claim, ...]:
    """Return the leader that each controller reports to follow."""
    numbered = dict(enumerate(addresses))
    return controllers.read_claims(client, numbered, client.send_all(controllers.questions(client, numbered)))


def sight(client: Client, params: dict[str, Any], largest_delay_ms: int, check_mode: bool) -> decision.Sight:
    """Return all observations of the cluster; controllers are queried only if it shows no leader."""
    seen = looked(client, params["timeout"], largest_delay_ms, check_mode)
    claims = () if decision.led(seen) else claimed(client, params["controllers"])
    return decision.Sight(seen, claims, tuple(decision.HostLook(**one) for one in params["looks"]))


def roll_plan(params: dict[str, Any], warn: Callable[[str], None], check_mode: bool) -> dict[str, Any]:
    """Return the module's result. Raises KraftError for another cluster, and for an answer that is no evidence."""
    wanted = expected(params["expected"] or {})
    with Client(params["client"], warn=warn) as client:
        seen = sight(client, params, wanted.largest_delay_ms, check_mode)
    if isinstance(seen.cluster, Known) and (other := seen.cluster.value.other_cluster(wanted.cluster_id)):
        raise KraftError(str(other))
    nodes = {node["node_id"]: node for node in params["nodes"]}
    running = {one: node["started_at"] > 0 for one, node in nodes.items()}
    found = decision.decide(seen, running, wanted, params["together"], params["timeout"])
    for text in [] if params["accept_unavoidable"] else decision.warnings(seen, nodes):
        warn(f"The shutdown check will stop the run: {text} -> {shutdown_check.REMEDY}")
    return {"answers": isinstance(seen.cluster, Known), "batches": decision.as_result(found, nodes)}
