"""moto's server, whose machines get public addresses of the lab, another one with each start.

``python server.py PORT FIRST``: the first address; each further one is the next. None is ever given twice, and none
leads anywhere but into the lab.
"""

from __future__ import annotations

import ipaddress
import itertools
import sys

import moto.ec2.models.elastic_network_interfaces as interfaces
import moto.server


def serve(port: str, first: str) -> None:
    """Until it is ended."""
    begin, count = ipaddress.IPv4Address(first), itertools.count()
    vars(interfaces)["random_public_ip"] = lambda: str(begin + next(count))
    moto.server.main(["-H", "127.0.0.1", "-p", port])


if __name__ == "__main__":
    serve(*sys.argv[1:])
