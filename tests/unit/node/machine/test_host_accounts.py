"""Accounts of a host by name, and the login account by the processes above."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.machine import accounts

DAEMON = pwd.getpwnam("daemon").pw_uid


def test_a_user_is_described_with_all_that_decides_whether_it_is_used() -> None:
    found = accounts.user("root")
    assert {key: found[key] for key in ("name", "exists", "uid", "group", "home")} == {
        "name": "root",
        "exists": True,
        "uid": 0,
        "group": "root",
        "home": "/root",
    }
    assert "root" in found["groups"]
    assert found["shell"]


def test_no_one_by_that_name_is_told_with_the_same_keys() -> None:
    found = accounts.user("no-such-user")
    assert found.keys() == accounts.user("root").keys()
    assert (found["exists"], found["uid"], found["groups"]) == (False, None, [])
    assert accounts.group("no-such-group") == {"name": "no-such-group", "exists": False, "gid": None}
    assert accounts.group("root") == {"name": "root", "exists": True, "gid": 0}


def processes(proc: Path, *uids: int) -> Path:
    """A chain of processes as in /proc, from this one upwards, by the user of each."""
    pids = [os.getpid(), *range(5000, 5000 + len(uids))]
    for at, uid in enumerate(uids):
        parent = pids[at + 1] if at + 1 < len(uids) else 0
        (proc / str(pids[at])).mkdir()
        text = f"Name:\tx\nPPid:\t{parent}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n"
        (proc / str(pids[at]) / "status").write_text(text)
    return proc


@pytest.mark.parametrize(
    ("uids", "environment", "uid"),
    [
        ((0, 0, DAEMON, 0), {}, DAEMON),
        ((0, 0, DAEMON, 0), {"SUDO_UID": "0"}, DAEMON),
        ((DAEMON, 0), {}, DAEMON),
        ((0, 0), {"SUDO_UID": str(DAEMON)}, DAEMON),
        ((), {"SUDO_UID": str(DAEMON)}, DAEMON),
        ((0, 0), {"SUDO_UID": "no number"}, os.geteuid()),
        ((0, 0), {}, os.geteuid()),
    ],
)
def test_who_logged_in_is_the_nearest_user_above_root(
    tmp_path: Path, uids: tuple[int, ...], environment: dict[str, str], uid: int
) -> None:
    found = accounts.login(processes(tmp_path, *uids), environment)
    assert (found["uid"], found["name"]) == (uid, pwd.getpwuid(uid).pw_name)


def test_a_login_without_an_entry_is_known_by_its_number(tmp_path: Path) -> None:
    assert accounts.login(processes(tmp_path, 0, 64321), {}) == {"name": "64321", "uid": 64321, "gid": None}
