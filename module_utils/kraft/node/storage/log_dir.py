"""Content of a log dir: its owner, and whether a broker ever wrote into it, or only a format that did not finish.

Measured on Kafka 4.3.1: ``kafka-storage format`` goes through the directories one by one. In each it writes
``bootstrap.checkpoint`` (by way of ``.tmp``), and ``meta.properties`` last (by way of ``.tmp``). For a voter it writes
``__cluster_metadata-0/00000000000000000000-0000000000.checkpoint`` in between (by way of
``-<random>.checkpoint.part``). Kafka 4.4.0 writes no ``bootstrap.checkpoint``: the first records are in that snapshot,
which each controller gets, with voters or without. On a full disk it leaves a ``meta.properties`` of 0 bytes and
reports success. ``bootstrap.checkpoint`` is never flushed to the disk: a power cut may empty it although
``meta.properties`` is whole.
"""

from __future__ import annotations

import dataclasses
import os
import re
import stat
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.storage.meta_properties import META, Meta, read_meta
from ansible.module_utils.kraft.node.storage.voters import voters

ABSENT = "absent"
EMPTY = "empty"
FORMATTED = "formatted"
INTERRUPTED = "interrupted"
FOREIGN = "foreign"
NO_IDENTITY = "data_without_identity"
LEFTOVERS = "leftovers"
ZOOKEEPER = "zookeeper_era"
NOT_A_DIRECTORY = "not_a_directory"
UNREADABLE = "unreadable"

METADATA_LOG = "__cluster_metadata-0"
BOOTSTRAP = "bootstrap.checkpoint"
QUORUM_STATE = "quorum-state"  # this node's vote and its current leader
FIRST_SNAPSHOT = "00000000000000000000-0000000000.checkpoint"
#: A file that we set aside, since the format tool takes any meta.properties for a finished format.
ASIDE = META + ".aside-"

FORMAT_FILE = re.compile(r"(bootstrap\.checkpoint|meta\.properties)(\.tmp)?|meta\.properties\.aside-\d+")
SNAPSHOT_FILE = re.compile(r"0{20}-0{10}(\.checkpoint|-\d+\.checkpoint\.part)")
BROKER_FILE = re.compile(r"\.lock|\.kafka_cleanshutdown|[a-z-]+-checkpoint(\.tmp)?")
PARTITION_DIR = re.compile(r".+-\d+(\.[0-9A-Za-z_-]+-(delete|future|stray))?|.+\.[0-9A-Za-z_-]+-(delete|future|stray)")
FILE_KINDS = ((FORMAT_FILE, "format"), (BROKER_FILE, "lived"))
KINDS = ("format", "lived", "unknown", "blockers")
TIERED_INDEXES = "remote-log-index-cache"
LOST_AND_FOUND = "lost+found"
ZOOKEEPER_DATA = "version-2"  # data of a ZooKeeper server; it looks like a partition of a topic "version"
SHOWN = 5


@dataclasses.dataclass(frozen=True)
class LogDir:
    """A log dir as found. ``cluster_id``, ``node_id`` and ``directory_id`` are those of its meta.properties, if any.

    ``lived``: names that only a started node leaves (the first few). ``unknown``: names that are not Kafka's.
    ``blockers``: directories beside which Kafka refuses to start. ``has_meta``: a meta.properties exists, good or not.
    ``bootstrap_ok``: the first metadata records, which the first start of a controller reads, are there and not empty.
    ``voters``: those that the format wrote for that first start; None if the node was started, or they are unknown.
    """

    path: str
    state: str
    cluster_id: str = ""
    node_id: int | None = None
    directory_id: str = ""
    lived: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    has_meta: bool = False
    bootstrap_ok: bool = False
    voters: tuple[str, ...] | None = None
    partitions: int = 0
    detail: str = ""

    def as_facts(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @property
    def has_data(self) -> bool:
        """Check whether it may hold records of a node that was started; leftovers hold none."""
        return bool(self.lived) and self.state != LEFTOVERS

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> LogDir:
        """Return the log dir that ``as_facts`` described; unknown keys (owner, mount ...) are left out."""
        names = {field.name for field in dataclasses.fields(cls)}
        kept: dict[str, Any] = {key: facts[key] for key in names & set(facts)}
        lists = {key: tuple(value) for key, value in kept.items() if isinstance(value, list)}
        return cls(**{**kept, **lists})


def metadata_dir(properties: Mapping[str, str]) -> str:
    """Return the metadata log dir of a node with these settings, or "". Source: Kafka's ``KafkaConfig``."""
    return properties.get("metadata.log.dir") or properties.get("log.dirs", "").split(",")[0].strip()


@dataclasses.dataclass(frozen=True)
class Listing:
    """Names in a log dir by their kind; see `LogDir`."""

    format: tuple[str, ...]
    lived: tuple[str, ...]
    unknown: tuple[str, ...]
    blockers: tuple[str, ...]
    partitions: int
    bootstrap_ok: bool


def metadata_log_traces(path: str) -> tuple[str, ...]:
    """Return traces of a started node in the metadata log, the clearest first; a format writes only a snapshot."""
    with guarded.directory(path, METADATA_LOG) as at:
        names = sorted(os.listdir(at), key=lambda name: (name != QUORUM_STATE, name))
    names = [name for name in names if not SNAPSHOT_FILE.fullmatch(name)]
    return tuple(f"{METADATA_LOG}/{name}" for name in names)


def size(path: str) -> int | None:
    """Return the size in bytes, or None if there is no such file."""
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return None


def bootstrap_ok(path: str) -> bool:
    """Check that at least one of the two files with the first records exists, and none of them is empty."""
    sizes = [size(os.path.join(path, BOOTSTRAP)), size(os.path.join(path, METADATA_LOG, FIRST_SNAPSHOT))]
    return any(sizes) and 0 not in sizes


def first_voters(path: str) -> tuple[str, ...] | None:
    """Return the voters of the first snapshot; none if a format wrote no snapshot."""
    try:
        return voters(guarded.read(path, f"{METADATA_LOG}/{FIRST_SNAPSHOT}"))
    except FileNotFoundError:
        return ()


def kind_of(name: str, is_dir: bool) -> str:
    """Return the group of a `Listing` that a name belongs to."""
    if not is_dir:
        return next((kind for pattern, kind in FILE_KINDS if pattern.fullmatch(name)), "unknown")
    if name in (METADATA_LOG, ZOOKEEPER_DATA):
        return "format" if name == METADATA_LOG else "unknown"
    return "lived" if name == TIERED_INDEXES or PARTITION_DIR.fullmatch(name) else "blockers"


def list_log_dir(path: str) -> Listing:
    """Sort the names in `path` by kind; only the metadata log is opened."""
    with os.scandir(path) as entries:
        found = sorted((entry.name, entry.is_dir()) for entry in entries)
    kinds = [(kind_of(name, is_dir), name, is_dir) for name, is_dir in found]
    by_kind = {kind: tuple(name for k, name, _ in kinds if k == kind) for kind in KINDS}
    traces = metadata_log_traces(path) if METADATA_LOG in by_kind["format"] else ()
    return Listing(
        format=by_kind["format"],
        lived=traces + by_kind["lived"],
        unknown=by_kind["unknown"] + tuple(name for name in by_kind["blockers"] if name != LOST_AND_FOUND),
        blockers=by_kind["blockers"],
        partitions=sum(1 for kind, _, is_dir in kinds if kind == "lived" and is_dir),
        bootstrap_ok=bootstrap_ok(path),
    )


def state_of(meta: Meta, listing: Listing) -> str:
    """Return the state of a readable directory."""
    if meta.zookeeper or ZOOKEEPER_DATA in listing.unknown:
        return ZOOKEEPER
    if not meta.problem:
        return FORMATTED
    if listing.lived:
        markers = all(BROKER_FILE.fullmatch(name) for name in listing.lived)
        return LEFTOVERS if markers and not meta.present else NO_IDENTITY
    if listing.unknown:
        return FOREIGN
    return INTERRUPTED if listing.format else EMPTY


def no_directory(path: str) -> str:
    """Return ABSENT or NOT_A_DIRECTORY; "" for a directory. Raises OSError for a disk that does not answer."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    try:
        return "" if stat.S_ISDIR(os.stat(path).st_mode) else NOT_A_DIRECTORY
    except (FileNotFoundError, NotADirectoryError):  # a link without a target
        return NOT_A_DIRECTORY


def observe_log_dir(path: str) -> LogDir:
    """Inspect `path` without changing it; any fault is a state, not an exception."""
    try:
        if missing := no_directory(path):
            return LogDir(path, missing)
        meta, listing = read_meta(path), list_log_dir(path)
        state = state_of(meta, listing)
        written = first_voters(path) if state == FORMATTED and not listing.lived else None
    except OSError as error:
        return LogDir(path, UNREADABLE, detail=error.strerror or str(error))
    return LogDir(
        path,
        state,
        cluster_id=meta.values.get("cluster.id", ""),
        node_id=meta.node_id,
        directory_id=meta.values.get("directory.id", ""),
        lived=listing.lived[:SHOWN],
        unknown=listing.unknown[:SHOWN],
        blockers=listing.blockers[:SHOWN],
        has_meta=meta.present,
        bootstrap_ok=listing.bootstrap_ok,
        voters=written,
        partitions=listing.partitions,
        detail=meta.problem if meta.present else "",
    )
