"""Users of the cluster on a node's own disk, valid as long as the quorum confirms that the disk has all records."""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping
from pathlib import Path

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.storage.log_dir import METADATA_LOG, metadata_dir
from ansible.module_utils.kraft.node.storage.meta_properties import read_meta
from ansible.module_utils.kraft.node.storage.scram import Stored, User, credentials

#: A node that works has all that is committed well within this time; records come twice a second.
SECONDS = 1.0
POLL_SECONDS = 0.05


def stored_users(client: Client, properties: str) -> dict[User, Stored]:
    """Return all committed credentials of the node with the ``server.properties`` at `properties`.

    None of them if nothing follows: there is no such node on this host, it is behind, or its log may not be read.
    """
    try:
        directory = metadata_dir(parse_properties(Path(properties).read_text(encoding="utf-8")))
        identity = read_meta(directory).values
        known = awaited(client, identity) if identity else None
        return {} if known is None else credentials(Path(directory, METADATA_LOG), known)
    except (OSError, ValueError, IndexError, struct.error):
        return {}


def awaited(client: Client, identity: Mapping[str, str]) -> int | None:
    """Return the offset up to which the node has committed records; None if it is behind after SECONDS."""
    deadline = time.monotonic() + SECONDS
    while (known := committed_at(observe(client), identity)) is None and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return known


def committed_at(seen: Snapshot, identity: Mapping[str, str]) -> int | None:
    """Return the high watermark, once the node of this meta.properties has all before it.

    The leader counts what a node has fetched in its own term: so nothing before the watermark is of another leader.
    """
    if seen.quorum is None or seen.cluster_id != identity.get("cluster.id"):
        return None
    known = seen.quorum.high_watermark
    has = [one for one in (*seen.quorum.voters, *seen.quorum.observers) if str(one.node_id) == identity.get("node.id")]
    return known if any(one.log_end_offset >= known for one in has) else None
