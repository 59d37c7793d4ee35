"""The end of a node on its host: what goes, what stays, and what forbids it."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.node.identity import Disk, Identity
from ansible.module_utils.kraft.node.machine import accounts
from ansible.module_utils.kraft.node.machine.sysctl import HEADER
from ansible.module_utils.kraft.node.other_services import collector_service, unit_files
from ansible.module_utils.kraft.node.removal import apply, foreign
from ansible.module_utils.kraft.node.removal.plan import MARK, Desired, Found, plan, uninstall_refusals
from ansible.module_utils.kraft.node.service.unit_state import ServiceState

CLUSTER = "a3JhZnR3cmlnaHQtZGVtbw"
OTHER = "b3RoZXItY2x1c3Rlci1pZA"
KEEPS = Desired(CLUSTER, 1, "kafka", "kafka")
DELETES = Desired(CLUSTER, 1, "kafka", "kafka", delete_data=True)
TASKS = yaml.safe_load((Path(__file__).parents[4] / "roles/kafka/tasks/destroy.yml").read_text())
#: systemd's answer about a unit that is not installed.
ABSENT = "LoadState=not-found\nActiveState=inactive\nSubState=dead\nMainPID=0\n"
NODE = Found(
    unit=f"{MARK}; changes are lost",
    runs=True,
    log_dirs={"/data/a": CLUSTER, "/data/b": CLUSTER},
    paths=("/opt/kafka/bin",),
    has_account=True,
    account_is_ours=True,
)


def test_data_and_their_owner_stay_unless_they_are_asked_for() -> None:
    made = plan(KEEPS, NODE)
    assert (made.stop, made.data, made.paths, made.unit, made.account) == (True, (), ("/opt/kafka/bin",), True, False)
    assert len(made.kept) == 3
    assert CLUSTER in made.kept[0]
    made = plan(DELETES, NODE)
    assert (made.data, made.account, made.kept) == (("/data/a", "/data/b"), True, ())
    assert made.steps("kafka")[0] == "stop and disable Kafka"


def test_a_log_dir_goes_only_where_its_own_file_names_the_cluster() -> None:
    found = Found(log_dirs={"/data/a": CLUSTER, "/data/b": ""}, has_account=True, account_is_ours=True)
    made = plan(DELETES, found)
    assert (made.data, made.account) == (("/data/a",), False)
    assert made.kept[0].startswith("the data in /data/b stay")


def test_what_no_node_made_in_a_log_dir_stays_and_is_named(tmp_path: Path) -> None:
    """Another cluster's log dir below, a foreign name, and one that only looks like a partition."""
    for name in ("orders-0", "second", "second-1", "lost+found", "__cluster_metadata-0"):
        (tmp_path / name).mkdir()
    (tmp_path / "second-1" / "meta.properties").write_text(f"version=1\ncluster.id={OTHER}\nnode.id=1\n")
    for name in ("meta.properties", ".lock", "recovery-point-offset-checkpoint", "notes.txt"):
        (tmp_path / name).write_text("")
    others = tuple(str(tmp_path / name) for name in ("notes.txt", "second", "second-1"))
    assert foreign.in_log_dir(str(tmp_path)) == others
    top = str(tmp_path)
    found = Found(log_dirs={top: CLUSTER}, not_kafkas={top: others}, owned=others[:1], has_account=True)
    made = plan(DELETES, dataclasses.replace(found, account_is_ours=True))
    assert [one.split()[0] for one in made.kept] == [*others, "the"]
    assert not made.account
    apply.empty(top)
    assert sorted(os.listdir(tmp_path)) == ["lost+found", "notes.txt", "second", "second-1"]
    assert (tmp_path / "second-1" / "meta.properties").exists()


def test_a_file_system_below_what_goes_is_refused_before_anything_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to("releases")
    below = tmp_path / "releases/custom/data"
    line = "26 25 8:16 / {} rw - ext4 /dev/sdb rw\n"
    (tmp_path / "mounts").write_text("".join(map(line.format, (tmp_path / "releases", below, tmp_path / "releases2"))))
    monkeypatch.setattr("ansible.module_utils.kraft.node.machine.devices.MOUNTS", tmp_path / "mounts")
    assert foreign.mounted_below([str(tmp_path / "releases"), str(tmp_path / "link")]) == [str(below)]
    [problem] = uninstall_refusals(DELETES, Found(mounted=(str(below),)))
    assert (problem.rule, problem.variable) == ("mounted_below", str(below))
    assert "unmount" in problem.remedy


def test_a_log_dir_that_could_not_be_read_at_first_goes_only_if_it_is_of_the_cluster() -> None:
    """Then nothing was known about its cluster when foreign log dirs were refused."""
    disks = (Disk("/data/a", True, CLUSTER, 1), Disk("/data/b", True, error="Input/output error"))
    found = Found(log_dirs={"/data/a": CLUSTER, "/data/b": OTHER}, identity=Identity(True, disks))
    assert not list(uninstall_refusals(DELETES, found))
    made = plan(DELETES, found)
    assert (made.data, made.staying) == (("/data/a",), ("/data/b",))
    assert OTHER in made.kept[0]


@pytest.mark.parametrize(
    ("found", "rule", "where"),
    [
        (Found(unit="[Unit]\nDescription=somebody's\n"), "foreign_unit", "kafka.service"),
        (Found(identity=Identity(True, (Disk("/a", True, CLUSTER, 1), Disk("/b", True, OTHER, 1)))), "foreign", "/b"),
        (Found(identity=Identity(True, (Disk("/a", True, CLUSTER, 2),))), "other_node", "/a"),
        (Found(identity=Identity(True, (Disk("/a", True),))), "unnamed", ""),
    ],
)
def test_what_is_foreign_is_refused(found: Found, rule: str, where: str) -> None:
    assert [(each.rule, each.variable) for each in uninstall_refusals(KEEPS, found)] == [(rule, where)]
    assert not list(uninstall_refusals(DELETES, NODE))


def configure(top: Path, log_dir: Path) -> None:
    """A node in place, which was deployed with another log dir than the inventory names."""
    (top / "kafka/releases/4.3.1/config").mkdir()
    (top / "kafka/releases/4.3.1/config/server.properties").write_text(f"node.id=1\nlog.dirs={log_dir}\n")
    log_dir.mkdir()
    (log_dir / "recovery-point-offset-checkpoint").write_text("0\n")


def test_the_cluster_that_is_deployed_counts_and_not_the_log_dirs_of_the_inventory(host: Path) -> None:
    """With another cluster's addresses, none of the log dirs of the inventory is there."""
    theirs = host / "theirs"
    configure(host, theirs)
    (theirs / "meta.properties").write_text(f"version=1\ncluster.id={OTHER}\nnode.id=1\n")
    found = apply.observe(run, {**params(host), "log_dirs": [str(host / "ours")]})
    assert [(one.rule, one.variable) for one in uninstall_refusals(KEEPS, found)] == [("foreign", str(theirs))]
    (theirs / "meta.properties").unlink()
    found = apply.observe(run, {**params(host), "log_dirs": [str(host / "ours")]})
    assert [one.rule for one in uninstall_refusals(KEEPS, found)] == ["unnamed"]


def test_a_log_dir_that_the_inventory_does_not_name_stays_with_its_owner(host: Path) -> None:
    configure(host, host / "more")
    found = dataclasses.replace(apply.observe(run, params(host)), has_account=True, account_is_ours=True)
    made = plan(DELETES, found)
    assert (made.staying, made.account) == ((str(host / "more"),), False)
    assert not list(uninstall_refusals(DELETES, found))


def test_the_user_stays_while_a_file_is_its_own(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (host / "kafka/dumps").mkdir()
    (host / "kafka/dumps/heap.hprof").write_text("")
    account: dict[str, Any] = {
        "exists": True,
        "uid": os.getuid(),
        "home": "/nonexistent",
        "group": "no-such-group",
        "shell": "",
    }
    monkeypatch.setattr(accounts, "user", lambda _: account)
    found = apply.observe(run, params(host))
    assert found.owned == (str(host / "kafka/dumps"), str(host / "kafka/notes.txt"), str(host / "log/mine.log"))
    assert not plan(DELETES, found).account
    account["uid"] += 1
    assert plan(DELETES, apply.observe(run, params(host))).account


def test_a_host_with_nothing_left_is_left_alone() -> None:
    assert not plan(DELETES, Found()).changes
    assert not plan(KEEPS, Found(log_dirs={"/data/a": CLUSTER}, has_account=True, account_is_ours=True)).changes


def params(top: Path) -> dict[str, Any]:
    return {
        "install_dir": str(top / "kafka"),
        "log4j_dir": str(top / "log"),
        "log_dirs": [str(top / "kafka/kraft-logs/one"), str(top / "data")],
        "sysctl_file": str(top / "90-kafka.conf"),
        "user": "no-such-user",
        "group": "no-such-group",
        "unit": "kraft-none",
        "timeout": 5,
    }


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for path in ("kafka/releases/4.3.1/bin", "kafka/kraft-logs/one/t-0", "log", "data/t-1"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "kafka/current").symlink_to("releases/4.3.1")
    (tmp_path / "kafka/notes.txt").write_text("somebody's")
    for path in ("kafka/kraft-logs/one", "data"):
        (tmp_path / path / "meta.properties").write_text(f"version=1\ncluster.id={CLUSTER}\nnode.id=1\n")
        (tmp_path / path / "recovery-point-offset-checkpoint").write_text("0\n")
    for name in ("server.log", "server.log.1", "gc.log.0", "mine.log"):
        (tmp_path / "log" / name).write_text("")
    (tmp_path / "90-kafka.conf").write_text(HEADER)
    return tmp_path


def run(command: list[str]) -> tuple[int, str, str]:
    return 0, ABSENT if "show" in command else "", ""


@pytest.mark.parametrize(
    ("service", "runs"),
    [
        (ServiceState(installed=True, state="deactivating", sub_state="stop-sigterm", pid=17), True),
        (ServiceState(installed=True, state="activating", sub_state="auto-restart", active=True), True),
        (ServiceState(installed=True, enabled=True), True),
        (ServiceState(installed=True, state="failed"), False),
    ],
)
def test_a_node_whose_process_still_stops_is_waited_for(
    service: ServiceState, runs: bool, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apply, "observe_service", lambda *_: service)
    assert apply.observe(run, params(host)).runs == runs


def test_an_owner_that_cannot_be_ruled_out_is_kept(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were not inspected may be Kafka's. Without their user they could not be read."""
    others = os.getuid() + 1
    (host / "kafka/dumps").mkdir()
    assert not apply._holds_files_of(str(host / "kafka"), others)
    monkeypatch.setattr(apply, "LOOKED_AT", 3)
    assert apply._holds_files_of(str(host / "kafka"), others)
    monkeypatch.undo()
    monkeypatch.setattr(os, "scandir", lambda _: (_ for _ in ()).throw(PermissionError("broken disk")))
    assert apply._holds_files_of(str(host / "kafka"), others)


def remove(top: Path, desired: Desired) -> None:
    given = params(top)
    apply.carry_out(run, plan(desired, apply.observe(run, given)), given, desired)


def tree(top: Path) -> set[str]:
    return {str(path.relative_to(top)) for path in top.rglob("*")}


def test_only_what_deployments_made_goes(host: Path) -> None:
    data = {path for path in tree(host) if path.startswith(("data", "kafka/kraft-logs"))}
    others = {"kafka", "kafka/notes.txt", "log", "log/mine.log"}
    remove(host, KEEPS)
    assert tree(host) == data | others
    remove(host, DELETES)
    assert tree(host) == others
    remove(host, DELETES)
    assert tree(host) == others


def test_a_deletion_that_is_cut_short_is_finished_by_the_next_run(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, dirs = apply.remove, (host / "data", host / "kafka/kraft-logs/one")
    called: list[str] = []

    def dies(path: str) -> None:
        """The second time in each run."""
        called.append(path)
        if len(called) > 1:
            raise KeyboardInterrupt
        real(path)

    monkeypatch.setattr(apply, "remove", dies)
    runs = 0
    while any(path.exists() for path in dirs):
        called.clear()
        runs += 1
        with contextlib.suppress(KeyboardInterrupt):
            remove(host, DELETES)
        left = [path for path in dirs if path.exists() and any(path.iterdir())]
        assert all((path / "meta.properties").exists() for path in left)
    assert runs > len(dirs)


def test_data_on_a_disk_that_breaks_meanwhile_are_not_reported_as_deleted(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, broken, given = os.listdir, str(host / "data"), params(host)
    made = plan(DELETES, apply.observe(run, given))

    def fails(path: Any) -> list[str]:
        if path == broken:
            raise OSError(errno.EIO, "Input/output error", broken)
        return real(path)

    monkeypatch.setattr(os, "listdir", fails)
    with pytest.raises(OSError, match="Input/output error"):
        apply.carry_out(run, made, given, DELETES)
    assert (host / "data/meta.properties").exists()


def test_what_lies_behind_links_goes_and_the_links_stay(host: Path) -> None:
    for path in ("log", "data", "kafka/kraft-logs/one"):
        (host / path).rename(host / f"{Path(path).name}.real")
        (host / path).symlink_to(host / f"{Path(path).name}.real")
    (host / "log.real/mine.log").unlink()
    remove(host, DELETES)
    left = {"log", "log.real", "data", "data.real", "one.real", "kafka/kraft-logs", "kafka/kraft-logs/one"}
    assert tree(host) == left | {"kafka", "kafka/notes.txt"}
    assert not apply.observe(run, params(host)).log_dirs


def test_a_broken_disk_keeps_nothing_else_from_its_end(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, broken = os.listdir, str(host / "data")

    def listdir(path: str) -> list[str]:
        if path == broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    found = apply.observe(run, params(host))
    assert found.unreadable == {broken: "Input/output error"}
    made = plan(DELETES, dataclasses.replace(found, has_account=True, account_is_ours=True))
    assert (made.staying, made.account) == ((broken,), False)
    assert made.kept[0] == f"the data in {broken} stay: the disk cannot be read (Input/output error)"
    remove(host, DELETES)
    assert (host / "data").exists()
    assert not (host / "kafka/kraft-logs").exists()


@pytest.mark.parametrize(("code", "words"), [(0, ["disable"]), (124, ["disable", "kill", "stop"])])
def test_a_node_that_gets_no_answer_is_killed(code: int, words: list[str]) -> None:
    asked: list[str] = []

    def systemctl(command: list[str]) -> tuple[int, str, str]:
        asked.append(command[3])
        return (code if "disable" in command else 0), "", ""

    apply.stop(systemctl, "kafka.service", 9)
    assert asked == words


def test_an_empty_directory_beside_the_install_directory_stays(tmp_path: Path) -> None:
    for path in ("kafka/kraft-logs/one", "kafka-data/one"):
        (tmp_path / path).mkdir(parents=True)
        apply.remove_empty(str(tmp_path / path), str(tmp_path / "kafka"))
    assert tree(tmp_path) == {"kafka-data"}


def test_users_of_services_go_though_their_units_are_gone_and_others_of_that_name_stay(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {"exists": True, "home": "/nonexistent", "shell": "/usr/sbin/nologin"}
    users = {
        "kafka-metrics": {**ours, "group": "kafka-metrics"},
        "kafka-collector": {**ours, "home": "/home/kafka-collector", "group": "kafka-collector"},
    }
    nobody = {"exists": False, "home": None, "shell": None, "group": None}
    monkeypatch.setattr(accounts, "user", lambda name: users.get(name, nobody))
    told: list[list[str]] = []
    given = params(host)
    made = plan(KEEPS, apply.observe(run, given))
    assert "remove the user kafka-metrics" in made.steps("kafka")

    def noted(command: list[str]) -> tuple[int, str, str]:
        told.append(command)
        return 0, "", ""

    apply.carry_out(noted, made, given, KEEPS)
    assert [each[1] for each in told if each[0] == "userdel"] == ["kafka-metrics"]


def test_the_services_beside_kafka_go_first_and_the_collector_last_since_both_have_one_user(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_files, "UNITS", str(host))
    units = [unit_files.unit_path(name) for name in (collector_service.EXPORTER, collector_service.COLLECTOR)]
    for unit in units:
        Path(unit).write_text(unit_files.MARK)
    assert apply.observe(run, params(host)).paths[:2] == tuple(units)
    Path(units[0]).write_text("[Service]\n")
    assert apply.observe(run, params(host)).paths[:1] == (units[1],)


def test_another_installation_in_the_same_place_is_refused(host: Path) -> None:
    """Its unit may have any name, and its log dirs are not those of the inventory: no log dir is foreign."""
    (host / "kafka/libs").mkdir()
    (host / "kafka/current").unlink()
    (host / "kafka/current").mkdir()
    found = apply.observe(run, {**params(host), "log_dirs": [str(host / "none")]})
    wrong = [(one.rule, one.variable) for one in uninstall_refusals(DELETES, found)]
    assert wrong == [("foreign_installation", str(host / f"kafka/{name}")) for name in ("current", "libs")]


def test_kernel_settings_of_others_stay(host: Path) -> None:
    (host / "90-kafka.conf").write_text("vm.swappiness = 10\n")
    found = apply.observe(run, params(host))
    assert str(host / "90-kafka.conf") in found.strangers
    assert str(host / "90-kafka.conf") not in found.paths


@pytest.mark.parametrize("broken", ["log", "kafka"])
def test_the_user_stays_if_a_directory_of_its_files_cannot_be_listed(
    broken: str, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, path = os.listdir, str(host / broken)

    def fails(each: Any) -> list[str]:
        if each == path:
            raise OSError(errno.EIO, "Input/output error", path)
        return real(each)

    monkeypatch.setattr(os, "listdir", fails)
    found = dataclasses.replace(apply.observe(run, params(host)), has_account=True, account_is_ours=True)
    made = plan(DELETES, found)
    assert (made.account, path in made.staying) == (False, True)
    assert "Input/output error" in " ".join(made.kept)


def test_data_on_a_disk_that_is_not_mounted_are_not_reported_as_deleted(host: Path) -> None:
    """Its mount point is empty. The other log dir shows that the node is of the cluster."""
    configure(host, host / "more")
    (host / "more/recovery-point-offset-checkpoint").unlink()
    properties = host / "kafka/releases/4.3.1/config/server.properties"
    properties.write_text(f"node.id=1\nlog.dirs={host}/data,{host}/more\n")
    found = dataclasses.replace(apply.observe(run, params(host)), has_account=True, account_is_ours=True)
    made = plan(DELETES, found)
    assert (found.blank, made.staying, made.account) == ((str(host / "more"),), (str(host / "more"),), False)
    assert str(host / "data") in made.data


def test_plugins_of_others_stay_and_those_that_deployments_unpacked_go(host: Path) -> None:
    unpacked, other = host / "kafka/plugins/store-0123456789ab", host / "kafka/plugins/connector-of-others"
    for path in (unpacked, other):
        path.mkdir(parents=True)
    assert str(other) in apply.observe(run, params(host)).strangers
    remove(host, DELETES)
    assert (unpacked.exists(), other.exists()) == (False, True)
    (host / "kafka/notes.txt").unlink()
    other.rename(host / "kafka/plugins/store-0123456789ab")
    remove(host, DELETES)
    assert not (host / "kafka").exists()


def test_the_last_report_names_what_stayed_and_not_what_was_planned() -> None:
    """A disk that breaks between the inspection and the removal keeps its data."""
    looks, removes, report = (
        one for one in TASKS if one["name"].startswith(("Inspect", "Remove", "Report the remain"))
    )
    assert looks["check_mode"]
    assert f"'{removes['register']}.staying'" in report["vars"]["__kafka_left"]
