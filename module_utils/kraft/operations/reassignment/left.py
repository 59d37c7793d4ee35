"""A limit that a killed run of moves has left on a broker."""

from __future__ import annotations

from ansible.module_utils.kraft.cluster.client import ANSWER_SECONDS, Client
from ansible.module_utils.kraft.cluster.gather import checked
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.reassignment.admin import BROKER_RESOURCE, DYNAMIC_BROKER, overrides
from ansible.module_utils.kraft.operations.reassignment.throttle import RATES, is_our_rate


def rate_left(client: Client, snapshot: Snapshot | None, node_id: int) -> int:
    """Return the limit of broker `node_id` in bytes per second although no partition is moving.

    0 without such a limit, and where that is not known: the limit is worth a warning, and no more.
    """
    brokers = snapshot.brokers if snapshot and snapshot.reassignments == () else ()
    own = next((one.address for one in brokers if one.node_id == node_id and not one.fenced), "")
    if not own:
        return 0
    question = client.request("DescribeConfigsRequest", resources=[(BROKER_RESOURCE, str(node_id), list(RATES))])
    try:
        answer = checked(client, "DescribeConfigs", client.ask(own, question, ANSWER_SECONDS))
    except KraftError:
        return 0
    values = overrides(answer, DYNAMIC_BROKER).get(str(node_id), {}).values()
    return max((int(one) for one in values if is_our_rate(one)), default=0)
