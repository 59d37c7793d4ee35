"""``meta.properties`` of a log dir: the cluster and the node that own it. Read and validated, never written here."""

from __future__ import annotations

import dataclasses

from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties

META = "meta.properties"


@dataclasses.dataclass(frozen=True)
class Meta:
    """A meta.properties as read: ``problem`` is the reason why it cannot be used (empty: it can)."""

    present: bool
    values: dict[str, str]
    problem: str = ""

    @property
    def zookeeper(self) -> bool:
        return self.values.get("version") == "0" or ("broker.id" in self.values and "node.id" not in self.values)

    @property
    def node_id(self) -> int | None:
        text = self.values.get("node.id", self.values.get("broker.id", ""))
        return int(text) if text.isdigit() else None


def read_meta(path: str) -> Meta:
    """Read and validate ``<path>/meta.properties``. Raises OSError if the disk cannot be read."""
    try:
        content = guarded.read(path, META)
    except FileNotFoundError:
        return Meta(present=False, values={}, problem="is missing")
    if not content:
        return Meta(present=True, values={}, problem="is empty (0 bytes)")
    return judged(parse_properties(content.decode("utf-8", errors="replace")))


def judged(values: dict[str, str]) -> Meta:
    """Validate an identity: version, cluster.id and node.id (directory.id came with Kafka 3.7)."""
    meta = Meta(present=True, values=values)
    missing = [key for key in ("version", "cluster.id", "node.id") if not values.get(key)]
    if meta.zookeeper:
        return meta
    if missing:
        return dataclasses.replace(meta, problem="has no " + ", ".join(missing))
    if values["version"] != "1":
        return dataclasses.replace(meta, problem=f"has version {values['version']}, not 1")
    if meta.node_id is None:
        return dataclasses.replace(meta, problem=f"has node.id {values['node.id']}, not a number")
    return meta
