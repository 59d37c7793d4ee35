"""The route of a cluster's subnets to the internet, and whose route table it is. Pure."""

from __future__ import annotations

from ansible.module_utils.kraft.providers.ec2.model import Current


def is_routed(found: Current) -> bool:
    """Check that the cluster's subnets have a route to the internet. Those with a route table of others are theirs."""
    own = {each.id for each in found.subnets if each.owned and not each.foreign_table}
    vpc = found.vpc
    if vpc and not own:
        return True
    return bool(vpc and vpc.gateway and vpc.default_route and own_table(found) and own <= set(vpc.associated))


def own_table(found: Current) -> str:
    """Return the route table with the cluster's tag; empty if there is none. The VPC's first one may be of others."""
    return next((each for each in found.vpc.tables if each in found.tags), "") if found.vpc else ""
