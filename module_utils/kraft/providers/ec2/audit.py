"""Read every security group of the cluster's instances: which ports they open, and to whom without need."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.providers.ec2 import account, answers, exposure, model, observe, unasked
from ansible.module_utils.kraft.providers.ec2.model import Rule


def read_instances(client: Any, cluster: str) -> tuple[list[model.CurrentInstance], dict[str, model.CurrentGroup]]:
    """Return the cluster's instances and all their groups by id."""
    filters = observe.owned_by(cluster)
    reservations = observe.pages(client, "describe_instances", "Reservations", Filters=filters)
    found = [answers.instance(each) for group in reservations for each in group["Instances"]]
    living = [each for each in found if each.state in answers.LIVING]
    ids = sorted({group for each in living for group in each.group_ids})
    return living, observe.groups(client, ids, cluster) if ids else {}


def exposed(params: dict[str, Any]) -> dict[str, Any]:
    """Return the open ports, and those that are open without need; raises AccountError.

    A rule of one group opens a port, regardless of the other groups. `params`: parameters of ``kafka_ec2``.
    """
    try:
        instances, groups = read_instances(
            account.client("ec2", params["region"], read=unasked.READ), params["cluster"]
        )
    except KraftError:
        raise
    except Exception as error:
        raise account.explained(error, params["region"]) from error
    name = model.group_name(params["cluster"])
    own = next((each.id for each in groups.values() if each.owned and each.name == name), "")
    rules = {f"{each.id} ({each.name})": each.rules for each in groups.values()}
    allowed = [Rule(each["port"], each["port"], each["source"]) for each in params["allowed"]]
    listeners = {int(port): str(text) for port, text in params["listeners"].items()}
    return {
        "reachable": exposure.reachable(rules),
        "unjustified": [str(each) for each in exposure.judge(rules, allowed, own, listeners)],
        "instances": [f"{each.host} ({each.id})" for each in instances],
    }
