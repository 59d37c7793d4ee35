"""Identity of the node that is deployed on a host, and its comparison with the inventory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node import identity
from ansible.module_utils.kraft.node.identity import FOREIGN, OTHER_NODE, UNNAMED, Disk, Identity, clashes

OURS = "a3JhZnR3cmlnaHQtZGVtbw"
OTHER = "b3RoZXItY2x1c3Rlci1pZA"
NOWHERE = "no-such-unit"


def configure(place: Path, log_dirs: str, node_id: int = 1, **more: str) -> None:
    place.mkdir(parents=True, exist_ok=True)
    lines = [f"node.id={node_id}", f"log.dirs={log_dirs}", *(f"{key}={value}" for key, value in more.items())]
    (place / "server.properties").write_text("\n".join(lines))


def format_dir(path: Path, cluster_id: str, node_id: int = 1) -> None:
    path.mkdir(parents=True)
    (path / "meta.properties").write_text(f"version=1\ncluster.id={cluster_id}\nnode.id={node_id}\ndirectory.id=d\n")


def observe_in(top: Path, *log_dirs: Path, pid: int = 0) -> Identity:
    return identity.observe(str(top / "kafka"), str(top / "started"), NOWHERE, pid, map(str, log_dirs))


def test_log_dirs_of_the_process_and_of_what_is_in_place_are_read_whatever_the_inventory_names(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("running", "in_place", "metadata", "inventory")]
    for path in places[:3]:
        format_dir(path, OTHER)
    configure(tmp_path / "started", f"{places[0]}/ ")
    configure(tmp_path / "kafka/current/config", str(places[1]), node_id=2, **{"metadata.log.dir": str(places[2])})
    found = observe_in(tmp_path, places[3], pid=17)
    assert [(one.path, one.deployed, one.cluster_id, one.node_id) for one in found.disks] == [
        *((str(path), True, OTHER, 1) for path in places[:3]),
        (str(places[3]), False, "", None),
    ]
    assert (found.deployed, found.node_id, found.removed_from, found.clusters[OTHER]) == (True, "1", "", found.disks[0])
    # the record is an old one
    assert [one.path for one in observe_in(tmp_path).disks] == [str(path) for path in places[1:3]]
    assert Identity.from_facts(found.as_facts()) == found


def test_host_without_a_node_is_empty_and_a_mark_of_removal_names_the_cluster(tmp_path: Path) -> None:
    assert observe_in(tmp_path, tmp_path / "none").empty
    (tmp_path / "kafka").mkdir()
    mark = identity.mark(str(tmp_path / "kafka"), OURS)
    Path(mark["path"]).write_text(mark["content"])
    assert observe_in(tmp_path).removed_from == OURS


def test_log_dir_that_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> Any:
        raise OSError(5, os.strerror(5))

    monkeypatch.setattr(identity, "read_meta", broken)
    assert observe_in(tmp_path, tmp_path).disks == (Disk(str(tmp_path), False, error="Input/output error"),)


def test_certificate_is_shown_without_its_key(tmp_path: Path) -> None:
    pem = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"
    (tmp_path / "kafka/tls").mkdir(parents=True)
    (tmp_path / "kafka/tls/node.pem").write_text(f"-----BEGIN PRIVATE KEY-----\nYg==\n-----END PRIVATE KEY-----\n{pem}")
    assert observe_in(tmp_path).certificate.strip() == pem.strip()


@pytest.mark.parametrize(
    ("found", "kinds"),
    [
        (Identity(True, (Disk("/a", True, OURS, 1),)), []),
        (Identity(True, (Disk("/a", True, OURS, 1), Disk("/b", True))), []),
        (Identity(True, (Disk("/a", True, OURS),)), []),
        (Identity(True, (Disk("/a", True, OTHER, 1),)), [FOREIGN]),
        (Identity(True, (Disk("/a", True, OURS, 1), Disk("/b", True, OTHER, 1))), [FOREIGN]),
        (Identity(False, (Disk("/a", False, OTHER, 1),)), [FOREIGN]),
        (Identity(True, (Disk("/a", True, OURS, 2),)), [OTHER_NODE]),
        (Identity(True, (Disk("/a", True, error="broken"),)), [UNNAMED]),
        (Identity(True), [UNNAMED]),
        (Identity(True, removed_from=OURS), []),
        (Identity(True, removed_from=OTHER), [UNNAMED]),
        (Identity(False), []),
    ],
)
def test_host_is_the_node_of_the_inventory_or_says_how_it_is_not(found: Identity, kinds: list[str]) -> None:
    assert [one.kind for one in clashes(found, OURS, 1)] == kinds
    if kinds:
        with pytest.raises(RefusedError):
            identity.require(found, OURS, 1)
    else:
        identity.require(found, OURS, 1)
    if kinds == [UNNAMED]:
        identity.require(found, OURS, 1, unnamed=True)
