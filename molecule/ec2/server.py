"""moto's server, whose machines get public addresses of the lab, another one with each start.

``python server.py PORT FIRST``: the first address; each further one is the next. None is ever given twice, and none
leads anywhere but into the lab.
"""

from __future__ import annotations

import ipaddress
import itertools
import sys
from typing import Any

import moto.ec2.models.elastic_network_interfaces as interfaces
import moto.server
from moto.core.responses import ActionResult
from moto.ec2.responses.key_pairs import KeyPairs


def delete_key_pair(asked: Any) -> ActionResult:
    """By name or by id, as EC2 does; moto accepts the name alone."""
    wanted = asked._get_param("KeyPairId")
    pairs = asked.ec2_backend.describe_key_pairs([])
    named = next((each.key_name for each in pairs if each.id == wanted), asked._get_param("KeyName"))
    asked.ec2_backend.delete_key_pair(named)
    return ActionResult({"Return": True})


def serve(port: str, first: str) -> None:
    """Until it is ended."""
    begin, count = ipaddress.IPv4Address(first), itertools.count()
    vars(interfaces)["random_public_ip"] = lambda: str(begin + next(count))
    setattr(KeyPairs, "delete_key_pair", delete_key_pair)  # noqa: B010 - moto declares another type
    moto.server.main(["-H", "127.0.0.1", "-p", port])


if __name__ == "__main__":
    serve(*sys.argv[1:])
