"""Plan of a removal from a host whose cluster is destroyed. Pure."""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.node.identity import UNNAMED, Identity, clashes
from ansible.module_utils.kraft.problem import Problem

MARK = "# Written by Kraftwright"  #: first words of our unit
#: Names that deployments create below the install directory.
OURS = (
    *(".incoming", "agents", "bin", "client", "collector", "config", "current", "libs", "live.json"),
    *("log_shipping", "metrics_proxy", "mirror", "next", "node_exporter", "plugins", "previous", "releases"),
    *("removed", "tls"),
)
#: Those that are links in our layout. Another installation has directories.
LINKS = ("bin", "config", "current", "libs")
NO_NODE = Identity(deployed=False)
LOG_FILE = re.compile(r"(server|controller|state-change|kafka-authorizer|gc)\.log(\.\d+)*")


@dataclasses.dataclass(frozen=True)
class Desired:
    """The node to remove. ``delete_data``: delete its log dirs, too."""

    cluster_id: str
    node_id: int
    user: str
    group: str
    delete_data: bool = False


@dataclasses.dataclass(frozen=True)
class Found:
    """State of the host.

    ``unit``: text of the unit file, None without one. ``runs``: the service is up, or enabled. ``log_dirs``: path ->
    cluster id, empty if nothing identifies it; only directories that are there and not empty.
    ``unreadable``: log dirs on a disk that cannot be read -> the reason. ``identity``: of the deployed node.
    ``undeclared``: log dirs of the deployed node that are not empty, and that the inventory does not name.
    ``blank``: log dirs of the deployed node that are empty or missing, as if their disk is not mounted.
    ``not_kafkas``: log dir -> paths in it that no node made. ``mounted``: mount points below paths that go.
    ``owned``: other paths that stay and hold files of the user.
    ``paths``: what deployments left, in the order in which it goes. ``strangers``: paths beside it that are not ours.
    ``occupied``: those of another installation, which have names of ours.
    ``has_account``: the user exists; ``account_is_ours``: it is one as deployments make it. ``users``: those that
    deployments made for services beside Kafka, whether or not those are still there.
    """

    unit: str | None = None
    runs: bool = False
    log_dirs: Mapping[str, str] = dataclasses.field(default_factory=dict)
    unreadable: Mapping[str, str] = dataclasses.field(default_factory=dict)
    identity: Identity = NO_NODE
    undeclared: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()
    not_kafkas: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    mounted: tuple[str, ...] = ()
    owned: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    occupied: tuple[str, ...] = ()
    has_account: bool = False
    account_is_ours: bool = False
    users: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Plan:
    """Steps in their order. ``data``: log dirs to empty; ``kept``: sentences about what stays, and why.

    ``staying``: log dirs whose data stays.
    """

    stop: bool
    data: tuple[str, ...]
    paths: tuple[str, ...]
    unit: bool
    account: bool
    kept: tuple[str, ...]
    users: tuple[str, ...] = ()
    staying: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return self.stop or self.unit or self.account or bool(self.data or self.paths or self.users)

    def _by_directory(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for top, name in map(posixpath.split, self.paths):
            found.setdefault(top, []).append(name)
        return found

    def steps(self, user: str) -> list[str]:
        """Return each step as text."""
        given = (
            (["stop and disable Kafka"] if self.stop else []),
            (["remove the unit"] if self.unit else []),
            [f"remove from {top}: {', '.join(names)}" for top, names in self._by_directory().items()],
            [f"remove the user {name}" for name in self.users],
            [f"delete the data in {path}" for path in self.data],
            ([f"remove the user {user}"] if self.account else []),
        )
        return [step for part in given for step in part]


def uninstall_refusals(desired: Desired, found: Found) -> Iterator[Problem]:
    """Yield reasons to touch nothing on this host."""
    if found.unit is not None and not found.unit.startswith(MARK):
        message, remedy = "was not written by Kraftwright", "remove it by hand, or remove the host from the inventory"
        yield Problem("foreign_unit", message, remedy, "kafka.service")
    for path in found.occupied:
        message, remedy = (
            "is of another installation: ours is a link",
            "move it away, or remove the host from the inventory",
        )
        yield Problem("foreign_installation", message, remedy, path)
    for path in found.mounted:
        message, remedy = "is another file system, mounted below what is removed", "unmount it, and run this again"
        yield Problem("mounted_below", message, remedy, path)
    for one in clashes(found.identity, desired.cluster_id, desired.node_id):
        remedy = "mount its disk" if one.kind == UNNAMED else "correct ansible_host, or remove the host from the group"
        yield Problem(one.kind, one.sentence(desired.cluster_id, desired.node_id), remedy, one.path)


def plan(desired: Desired, found: Found) -> Plan:
    """Plan the steps. A log dir is deleted only if its own files identify it as this cluster's."""
    ours = [path for path, cluster in found.log_dirs.items() if cluster == desired.cluster_id]
    data = ours if desired.delete_data else []
    staying = {path: _why(desired, cluster) for path, cluster in found.log_dirs.items() if path not in data}
    staying |= dict.fromkeys(found.undeclared, ": the inventory does not name it")
    staying |= {path: f": the disk cannot be read ({why})" for path, why in found.unreadable.items()}
    staying |= dict.fromkeys(found.blank, ", if there are some: nothing is there, as if the disk is not mounted")
    kept = [f"the data in {path} stay{why}" for path, why in staying.items()]
    kept += [f"{path} stays: Kraftwright did not make it" for path in found.strangers]
    kept += [f"{path} stays: no node made it" for top in data for path in found.not_kafkas.get(top, ())]
    account = found.account_is_ours and not staying and not found.owned
    if found.has_account and not account:
        kept.append(f"the user {desired.user} stays: {_why_account(found, bool(staying))}")
    unit = found.unit is not None
    return Plan(found.runs, tuple(data), found.paths, unit, account, tuple(kept), found.users, tuple(staying))


def _why_account(found: Found, data: bool) -> str:
    if not found.account_is_ours:
        return "Kraftwright did not make it"
    return "the data are its own" if data else f"files in {', '.join(found.owned)} are its own"


def _why(desired: Desired, cluster: str) -> str:
    if cluster != desired.cluster_id:
        return f": they are of cluster {cluster}" if cluster else ": no file says which cluster they are of"
    return f"; to delete them, too: -e kafka_destroy_data={desired.cluster_id}"
