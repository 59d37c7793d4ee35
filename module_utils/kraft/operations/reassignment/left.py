"""A limit that a killed run of moves has left on a broker."""

from __future__ import annotations

from ansible.module_utils.kraft.cluster.client import ANSWER_SECONDS, Client
from ansible.module_utils.kraft.cluster.gather import checked
from ansible.module_utils.kraft.cluster.snapshot import Broker, Snapshot
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.reassignment.admin import BROKER_RESOURCE, DYNAMIC_BROKER, overrides
from ansible.module_utils.kraft.operations.reassignment.throttle import RATES, is_our_rate


def rate_left(client: Client, snapshot: Snapshot | None, node_id: int) -> int | None:
    """Return the limit of broker `node_id` in bytes per second although no partition is moving; 0 without such a limit.

    None if unknown: there is no list of moves, the broker is fenced, or it does not answer.
    """
    if snapshot is None or snapshot.reassignments is None:
        return None
    own = next((one for one in snapshot.brokers if one.node_id == node_id), None)
    if own is None or snapshot.reassignments:
        return 0
    return None if own.fenced else _limit(client, own)


def _limit(client: Client, broker: Broker) -> int | None:
    node_id = str(broker.node_id)
    question = client.request("DescribeConfigsRequest", resources=[(BROKER_RESOURCE, node_id, list(RATES))])
    try:
        answer = checked(client, "DescribeConfigs", client.send(broker.address, question, ANSWER_SECONDS))
        values = overrides(answer, DYNAMIC_BROKER).get(node_id)
    except KraftError:
        return None
    return None if values is None else max((int(one) for one in values.values() if is_our_rate(one)), default=0)
