"""kafka_node with a systemd that is played: what it does, in which order, and what it predicts."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.difference import RELEASE, Difference
from ansible.module_utils.kraft.node.service import apply as node_io
from ansible.module_utils.kraft.node.service import plan as node
from ansible.module_utils.kraft.node.service import repetition
from ansible.module_utils.kraft.node.service.plan import NodeState, plan_node
from ansible.module_utils.kraft.node.service.unit_state import ServiceState

from tests.unit.differences import OF_THE_UNIT, plain, said
from tests.unit.modules.module_runner import RunModule
from tests.unit.modules.node_host import CLUSTER_ID, DOWN, FAILED, OTHER, PID, UP, Host, format_dir
from tests.unit.problems import values
from tests.wording_files import Wording

WAITING = dataclasses.replace(UP, pid=0, state="activating", sub_state="auto-restart", result="exit-code")
FILES = ("server.properties", "kafka.service")
UNIT_DIFFERS, RELEASE_DIFFERS = (OF_THE_UNIT,), (Difference(RELEASE, "", "4.2.1", "4.3.1"),)
LIVE, GIVEN = (Difference("server.properties", "num.io.threads", "8", "16"),), (Difference("tls.pem"),)


@pytest.mark.parametrize(
    ("found", "state", "actions"),
    [
        (NodeState(ServiceState()), "started", "flip reload enable start"),
        (NodeState(DOWN, "4.3.1"), "started", "reset start"),
        (NodeState(DOWN, "4.2.1"), "started", "flip reset start"),
        (NodeState(dataclasses.replace(DOWN, needs_reload=True), "4.3.1"), "started", "reload reset start"),
        (NodeState(FAILED, "4.3.1"), "started", "reset start"),
        (NodeState(WAITING, "4.3.1"), "started", "reset restart"),
        (NodeState(UP, "4.3.1", "4.3.1", UNIT_DIFFERS), "started", ""),
        (NodeState(UP, "4.2.1", "4.2.1", RELEASE_DIFFERS), "started", ""),
        (NodeState(UP, "4.2.1", "4.3.1"), "started", "flip"),
        (NodeState(dataclasses.replace(UP, enabled=False), "4.3.1", "4.3.1"), "started", "enable"),
        (NodeState(UP, "4.2.1", "4.2.1"), "restarted", "flip reset restart"),
        (NodeState(UP, "4.3.1", "4.3.1"), "restarted", "reset restart"),
        (NodeState(FAILED, "4.3.1"), "restarted", "reset restart"),
        (NodeState(UP, "4.3.1"), "stopped", "stop"),
        (NodeState(WAITING, "4.3.1"), "stopped", "stop"),
        (NodeState(DOWN, "4.3.1"), "stopped", ""),
        (NodeState(FAILED, "4.3.1"), "stopped", ""),
        (NodeState(UP, "4.2.1", "4.2.1", RELEASE_DIFFERS), "reported", ""),
        (NodeState(DOWN, ""), "reported", ""),
        (NodeState(DOWN, "4.3.1", pending=FILES), "started", "place reload reset start"),
        (NodeState(UP, "4.3.1", "4.3.1", pending=("log4j2.yaml",)), "started", "place"),
        (NodeState(UP, "4.3.1", "4.3.1", pending=FILES), "started", "place reload"),
        (NodeState(UP, "4.3.1", "4.3.1", UNIT_DIFFERS, FILES, True), "started", "place"),
        (NodeState(UP, "4.3.1", "4.3.1", UNIT_DIFFERS, FILES[1:], True), "started", ""),
        (NodeState(UP, "4.3.1", "4.3.1", LIVE, FILES[:1], edited=FILES[:1]), "started", "restore"),
        (NodeState(UP, "4.3.1", "4.3.1", LIVE, (*FILES, "a.yml"), edited=FILES), "started", "restore place reload"),
        (NodeState(UP, "4.3.1", "4.3.1", GIVEN, ("a.yml", "tls.pem")), "started", ""),
        (NodeState(UP, "4.3.1", "4.3.1", GIVEN, ("a.yml", "log4j2.yaml")), "started", "place"),
        (NodeState(UP, "4.2.1", "4.2.1", RELEASE_DIFFERS, ("log4j2.yaml",)), "started", ""),
        (NodeState(UP, "4.3.1", "4.3.1", UNIT_DIFFERS, FILES, True), "restarted", "keep place reload reset restart"),
        (NodeState(UP, "4.3.1", "4.3.1", UNIT_DIFFERS, FILES, False), "restarted", "place reload reset restart"),
        (NodeState(UP, "4.3.1", "4.3.1", (), (), True), "restarted", "reset restart"),
        (NodeState(WAITING, "4.3.1", "", (), FILES), "restarted", "place reload reset restart"),
        (NodeState(UP, "4.3.1", "4.3.1", UNIT_DIFFERS, FILES, True), "reverted", "place reload reset restart"),
    ],
)
def test_actions_follow_from_what_is_found(found: NodeState, state: str, actions: str) -> None:
    assert plan_node(found, state, "4.3.1", keep=True) == tuple(actions.split())


def test_what_does_not_serve_is_not_kept() -> None:
    found = NodeState(UP, "4.3.1", "4.3.1", UNIT_DIFFERS, FILES, True)
    assert "keep" not in plan_node(found, "restarted", "4.3.1", keep=False)


def test_a_node_is_started_once_and_then_left_alone(host: Host) -> None:
    host.install()
    first = host.kafka_node()
    assert host.commands == ["daemon-reload", "enable", "start"]
    assert os.readlink(host.install_dir / "current") == "releases/4.3.1"
    assert (first["running"], first["pid"], first["stale"]) == (True, PID, False)
    second = host.kafka_node()
    assert (second["changed"], second["diff"], host.commands) == (False, [], [])


def test_a_running_node_with_another_setting_is_stale_and_not_restarted(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\nnum.io.threads=16\n")
    result = host.kafka_node()
    assert (result["changed"], result["stale"], host.commands) == (False, True, [])
    (found,) = result["differences"]
    assert (found["file"], found["key"], found["old"], found["new"]) == (
        "server.properties",
        "num.io.threads",
        None,
        "16",
    )
    restarted = host.kafka_node(state="restarted")
    assert (restarted["stale"], host.commands) == (False, ["restart"])
    assert "num.io.threads (unset) -> 16" in restarted["diff"][0]["after"]


def test_a_listener_that_moves_is_told_in_check_mode_too(host: Host) -> None:
    host.install()
    host.configure("listeners=CLIENT://k1:9092\n")
    host.kafka_node()
    predicted = host.kafka_node(check_mode=True, files=host.wanted("listeners=CLIENT://k1:9192\n"))
    host.configure("listeners=CLIENT://k1:9192\n")
    moves = [{"listener": "CLIENT", "before": "k1:9092 CLIENT", "after": "k1:9192 CLIENT"}]
    assert predicted["client_moves"] == host.kafka_node()["client_moves"] == moves
    host.kafka_node(state="restarted")
    assert host.kafka_node()["client_moves"] == []


def test_a_unit_that_comes_up_without_a_process_is_no_node_without_differences(host: Host) -> None:
    """It died and systemd starts it again, with files that were never compared."""
    host.install()
    host.kafka_node()
    host.service = dataclasses.replace(UP, pid=0, state="activating", sub_state="start-pre")
    for state in ("started", "reported"):
        result = host.kafka_node(state=state)
        assert (result["stale"], [one["file"] for one in result["differences"]]) == (True, ["record"])
        assert (result["changed"], host.commands) == (False, [])
    host.service = WAITING
    assert host.kafka_node(state="reported")["differences"] == []


def test_a_restart_whose_result_was_lost_is_not_made_twice(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\nnum.io.threads=16\n")
    old = host.kafka_node()["started_at"]
    assert host.kafka_node(state="restarted", replaces=old)["actions"][0] == "keep"
    again = host.kafka_node(state="restarted", replaces=old)
    assert (again["changed"], again["actions"], host.commands) == (True, ["keep", "restart"], [])


def test_a_restart_whose_connection_was_lost_before_it_is_made(host: Host) -> None:
    host.install()
    old = host.kafka_node()["started_at"]
    host.kafka_node(state="restarted", replaces=old)
    assert host.commands == ["restart"]


def test_a_process_that_crashed_and_came_back_with_the_old_files_is_restarted(host: Host) -> None:
    host.install()
    old = host.kafka_node()["started_at"]
    host.begin()
    host.configure("node.id=1\nnum.io.threads=16\n")
    host.kafka_node(state="restarted", replaces=old)
    assert host.commands == ["restart"]


def test_a_restart_that_nothing_was_kept_for_says_so_when_it_is_asked_for_again(host: Host) -> None:
    host.install()
    old = host.kafka_node()["started_at"]
    host.kafka_node(state="restarted", replaces=old)
    assert host.kafka_node(state="restarted", replaces=old)["actions"] == ["restart"]


def test_what_systemd_still_works_at_is_waited_for(host: Host) -> None:
    host.install()
    host.jobs = [71, 71]
    host.kafka_node()
    assert host.jobs == []
    host.jobs = [71] * 100
    failed = host.kafka_node(timeout=0)
    assert "systemctl list-jobs" in failed["msg"]


def test_a_systemd_that_does_not_answer_may_still_work_at_the_unit(tmp_path: Path) -> None:
    """It does not answer while it executes itself again. The job goes on after that."""
    answers = iter([(1, "", "Failed to connect to bus"), (0, "Job=71\n", ""), (0, "", "")])
    repetition.wait_for_job(lambda _: next(answers), "kafka", 5, booted=tmp_path)
    assert list(answers) == []
    repetition.wait_for_job(lambda _: (1, "", "no systemd"), "kafka", 0, booted=tmp_path / "absent")


def test_a_new_release_is_chosen_only_together_with_a_restart(host: Host) -> None:
    host.install("4.2.1")
    host.kafka_node(release="4.2.1")
    host.install("4.3.1")
    assert said(host.kafka_node()["differences"]) == ["release 4.2.1 -> 4.3.1"]
    assert os.readlink(host.install_dir / "current") == "releases/4.2.1"
    result = host.kafka_node(state="restarted")
    assert os.readlink(host.install_dir / "current") == "releases/4.3.1"
    assert (result["current"], result["stale"]) == ("4.3.1", False)


def own_settings(host: Host, path: Path) -> str:
    """``server.properties`` without its log dirs, which all tests share."""
    return path.read_text().replace(f"log.dirs={host.logs}\n", "")


def in_place(host: Host, version: str = "4.3.1") -> str:
    return own_settings(host, host.install_dir / "releases" / version / "config/server.properties")


def test_files_wait_for_the_start_that_needs_them(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\nnum.io.threads=16\n")
    host.kafka_node()
    assert in_place(host) == "node.id=1\n"
    host.kafka_node(state="restarted")
    assert in_place(host) == "node.id=1\nnum.io.threads=16\n"


def test_an_edit_in_place_is_put_right_without_a_restart(host: Host) -> None:
    host.install()
    host.kafka_node()
    (host.install_dir / "releases/4.3.1/config/server.properties").write_text("node.id=9\n")
    result = host.kafka_node()
    assert (result["changed"], result["actions"], host.commands) == (True, ["place"], [])
    assert "put back as wanted: server.properties" in result["diff"][0]["after"]
    assert in_place(host) == "node.id=1\n"
    (host.install_dir / "releases/4.3.1/config/jvm.options").chmod(0o600)
    assert host.kafka_node()["actions"] == ["place"]
    assert not host.kafka_node()["changed"]


def test_what_was_changed_live_keeps_no_other_file_from_its_place(host: Host) -> None:
    host.install()
    config, room = host.install_dir / "releases/4.3.1/config", host.install_dir / "next"
    (room / "log4j2.yaml").write_text("monitorInterval: 10\n")
    host.kafka_node()
    host.configure("node.id=1\nnum.io.threads=16\n")
    (room / "log4j2.yaml").write_text("monitorInterval: 10\nlevel: debug\n")
    predicted = host.kafka_node(check_mode=True)
    result = host.kafka_node()
    assert (predicted["actions"], result["actions"], result["stale"]) == (["place"], ["place"], True)
    assert ((config / "log4j2.yaml").read_text()[-6:], in_place(host)) == ("debug\n", "node.id=1\n")
    assert not host.kafka_node()["changed"]


def test_an_edit_of_a_file_that_waits_for_a_restart_is_taken_back(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\nnum.io.threads=16\n")
    (host.install_dir / "releases/4.3.1/config/server.properties").write_text("node.id=9\n")
    result = host.kafka_node()
    assert (result["actions"], result["stale"], host.commands) == (["restore"], True, [])
    assert "put back as it was started with: server.properties" in result["diff"][0]["after"]
    assert in_place(host) == "node.id=1\n"
    assert not host.kafka_node()["changed"]


def test_files_that_a_killed_restart_has_put_in_place_stay_there(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\nnum.io.threads=16\n")
    (host.install_dir / "releases/4.3.1/config/server.properties").write_text(
        host.files("node.id=1\nnum.io.threads=16\n")["server.properties"]
    )
    assert not host.kafka_node()["changed"]


def test_a_restart_can_be_taken_back_with_release_settings_and_unit(host: Host) -> None:
    host.install("4.2.1")
    host.configure("node.id=1\n", nofile=1)
    host.kafka_node(release="4.2.1")
    host.install("4.3.1")
    host.configure("node.id=1\nbroken=yes\n", nofile=2)
    host.kafka_node(state="restarted")
    result = host.kafka_node(state="reverted", release=None)
    assert (result["current"], result["running"], result["stale"]) == ("4.2.1", True, False)
    assert (in_place(host, "4.2.1"), "LimitNOFILE=1\n" in (host.units / "kafka.service").read_text()) == (
        "node.id=1\n",
        True,
    )
    again = host.kafka_node(state="reported")["differences"]
    assert {(one["file"], one["key"], one["old"], one["new"]) for one in again} >= {
        ("release", "", "4.2.1", "4.3.1"),
        ("server.properties", "broken", None, "(hidden)"),
    }


def test_a_node_that_never_served_is_not_what_a_restart_goes_back_to(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\nbroken=yes\n")
    host.kafka_node(state="restarted")
    host.configure("node.id=1\nbroken=still\n")
    host.kafka_node(state="restarted", keep=False)
    host.kafka_node(state="reverted", release=None)
    assert in_place(host) == "node.id=1\n"


def test_a_node_with_nothing_to_go_back_to_says_so(host: Host, wording: Wording) -> None:
    host.install()
    host.kafka_node()
    message = host.kafka_node(state="reverted", release=None)["msg"]
    assert "previous" in message
    wording([message.replace(str(host.install_dir), "<install_dir>")])


def test_check_mode_gives_the_reasons_that_a_roll_was_planned_by(host: Host) -> None:
    host.install()
    host.kafka_node()
    result = host.kafka_node(check_mode=True, state="restarted", differences=plain(OF_THE_UNIT))
    assert "restarted, because of\n  unit\n" in result["diff"][0]["after"]
    assert (result["changed"], host.commands) == (True, [])


def test_a_process_that_was_started_before_the_asked_moment_is_stale(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.service = dataclasses.replace(host.service, started_at_us=int((time.monotonic() - 3600) * 1e6))
    found = host.kafka_node(state="reported", started_before="2999-01-01T00:00:00Z")
    assert "asked for: it was started" in said(found["differences"])[0]
    assert said(host.kafka_node(state="reported", started_before="2001-01-01T00:00:00Z")["differences"]) == []
    assert "is no moment such as" in host.kafka_node(state="reported", started_before="yesterday")["msg"]


def test_what_is_in_place_can_be_started_again_without_what_waits(host: Host) -> None:
    host.install()
    host.kafka_node()
    host.configure("node.id=1\nbroken=yes\n")
    result = host.kafka_node(state="restarted", take="current", release=None)
    assert (result["changed"], result["stale"], in_place(host)) == (True, False, "node.id=1\n")
    assert host.kafka_node(state="reported")["stale"]


def test_a_restart_that_a_killed_run_owes_is_not_forgotten(host: Host) -> None:
    host.install("4.2.1")
    host.kafka_node(release="4.2.1")
    host.install("4.3.1")
    (host.install_dir / "current").unlink()
    (host.install_dir / "current").symlink_to("releases/4.3.1")
    assert said(host.kafka_node(state="reported")["differences"]) == ["release 4.2.1 -> 4.3.1"]


def test_check_mode_predicts_a_start_on_an_empty_host(host: Host) -> None:
    result = host.kafka_node(check_mode=True)
    assert result["actions"] == ["flip", "reload", "enable", "start"]
    assert (result["changed"], result["running"], result["pid"], result["stale"]) == (True, True, 0, False)
    assert host.commands == []
    assert not (host.install_dir / "current").exists()


def test_check_mode_predicts_from_the_files_that_were_not_written(host: Host) -> None:
    host.install()
    host.kafka_node()
    files = host.wanted("node.id=1\n", nofile=1)
    predicted = host.kafka_node(check_mode=True, files=files)
    assert said(predicted["differences"]) == ["unit: - LimitNOFILE=20000; + LimitNOFILE=1"]
    assert said(host.kafka_node()["differences"]) == []
    assert "content" not in str(predicted["invocation"])


def test_files_are_written_before_the_process_is_compared_with_them(host: Host) -> None:
    host.install()
    host.kafka_node()
    files = host.wanted("node.id=1\nnum.io.threads=9\n")
    predicted, done = host.kafka_node(check_mode=True, files=files), host.kafka_node(files=files)
    for result in (predicted, done):
        assert (result["changed"], result["actions"], result["stale"]) == (True, [], True)
        assert result["changed_paths"] == [str(host.install_dir / "next/server.properties")]
        assert said(result["differences"]) == ["server.properties: num.io.threads (unset) -> 9"]
    assert own_settings(host, host.install_dir / "next/server.properties") == "node.id=1\nnum.io.threads=9\n"
    again = host.kafka_node(files=files)
    assert (again["changed"], again["changed_paths"], again["diff"]) == (False, [], [])


def contributing(host: Host, key: str, text: str) -> list[dict[str, Any]]:
    """The node's own files, and those of another role: a key, and a text that is read again by itself."""
    own = host.wanted("node.id=1\n")
    files = {"contributed.list": "tls.pem restart\ntls.yml\n", "tls.pem": key, "tls.yml": text}
    room = host.install_dir / "next"
    given = [{**own[0], "path": str(room / name), "content": content} for name, content in files.items()]
    return [*({**one, "sensitive": one["path"].endswith(".pem")} for one in given), *own]


def test_contributed_files_come_change_and_go_as_predicted(host: Host) -> None:
    host.install()
    host.kafka_node(files=host.wanted("node.id=1\n"))
    steps = [
        (contributing(host, "c4n4ry-1", "a: 1\n"), ["tls.pem"]),
        (contributing(host, "c4n4ry-1", "a: 2\n"), []),
        (contributing(host, "c4n4ry-2", "a: 2\n"), ["tls.pem"]),
        (host.wanted("node.id=1\n"), ["tls.pem"]),
    ]
    for files, restart_for in steps:
        predicted, done = (host.kafka_node(check_mode=check, files=files) for check in (True, False))
        assert [said(each["differences"]) for each in (predicted, done)] == [restart_for] * 2
        assert (predicted["actions"], predicted["changed_paths"], predicted["diff"]) == (
            done["actions"],
            done["changed_paths"],
            done["diff"],
        )
        assert "c4n4ry" not in str(predicted) + str(done)
        assert done["actions"] == ([] if restart_for else ["place"])
        host.kafka_node(state="restarted")
        config = host.install_dir / "releases/4.3.1/config"
        given = {Path(one["path"]).name: one["content"] for one in files if not one["path"].endswith(".service")}
        assert {path.name: path.read_text() for path in config.iterdir()} == given
        assert said(host.kafka_node(files=files)["differences"]) == []


def test_a_node_goes_back_to_the_contributed_files_that_it_ran_with(host: Host) -> None:
    host.install()
    host.kafka_node(files=contributing(host, "c4n4ry-1", "a: 1\n"))
    host.kafka_node(files=host.wanted("node.id=1\n"))
    host.kafka_node(state="restarted")
    config = host.install_dir / "releases/4.3.1/config/tls.pem"
    assert not config.exists()
    host.kafka_node(state="reverted")
    assert config.read_text() == "c4n4ry-1"


def test_a_release_that_is_left_keeps_no_contributed_file_and_gets_it_back_on_the_way_back(host: Host) -> None:
    host.install("4.2.1")
    host.install("4.3.1")
    files = contributing(host, "c4n4ry-1", "a: 1\n")
    host.kafka_node(files=files, release="4.2.1")
    old, new = (host.install_dir / f"releases/{version}/config/tls.pem" for version in ("4.2.1", "4.3.1"))
    host.kafka_node(files=files, release="4.3.1")
    assert (old.exists(), new.exists()) == (True, False)
    host.kafka_node(state="restarted", release="4.3.1")
    assert (old.exists(), new.exists()) == (False, True)
    host.kafka_node(state="reverted", release=None)
    assert (old.exists(), new.exists()) == (True, False)


def test_files_that_cannot_be_written_leave_the_process_alone(host: Host) -> None:
    host.install()
    files = [{**host.wanted("node.id=1\n")[0], "path": str(host.install_dir / "missing/server.properties")}]
    assert "does not exist" in host.kafka_node(files=files)["msg"]
    assert host.commands == []


def test_secret_of_a_file_is_digested_and_not_shown(host: Host) -> None:
    host.install()
    result = host.kafka_node(files=host.wanted("ssl.keystore.password=c4n4ry\n"), digest_salt="salt")
    assert list(result["secret_digests"]) == [str(host.install_dir / "next/server.properties")]
    assert "c4n4ry" not in str(result)


def test_a_start_that_fails_gives_the_units_last_words(host: Host, wording: Wording) -> None:
    host.install()
    host.dies = True
    message = host.kafka_node()["msg"]
    assert message.startswith("systemctl start kafka.service: ")
    assert message.endswith("\nError: bad property")
    wording([message])


def test_a_process_that_ends_at_once_is_a_failure(
    host: Host, monkeypatch: pytest.MonkeyPatch, wording: Wording
) -> None:
    host.install()

    def begin_and_end(self: Host) -> None:
        self.service = dataclasses.replace(WAITING, exit_status=1)

    monkeypatch.setattr(Host, "begin", begin_and_end)
    message = host.kafka_node()["msg"]
    assert {"exit-code", "1"} <= values(message)
    assert "Error: bad property" in message
    wording([message])


@pytest.mark.usefixtures("host")
def test_a_start_is_watched_until_the_process_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    states = [UP, dataclasses.replace(FAILED, exit_status=3)]
    monkeypatch.setattr(node_io, "observe_service", lambda *_: states.pop(0))
    service = node_io.watch_start(lambda _: (0, "", ""), "kafka")
    assert (service.failed, service.exit_status, states) == (True, 3, [])


def test_an_incomplete_release_is_refused_before_the_running_node_is_stopped(host: Host, wording: Wording) -> None:
    host.install()
    host.kafka_node()
    (host.install_dir / "releases/4.3.1/MANIFEST").unlink()
    (host.install_dir / "next/jvm.options").unlink()
    message = host.kafka_node(state="restarted")["msg"]
    assert {"MANIFEST", str(host.install_dir / "next/jvm.options")} <= values(message)
    wording([message.replace(str(host.install_dir), "<install_dir>")])
    assert host.commands == []


def test_a_node_is_stopped_without_a_release(host: Host) -> None:
    host.install()
    host.kafka_node()
    result = host.kafka_node(state="stopped", release=None)
    assert (result["running"], result["changed"], host.commands[-1]) == (False, True, "stop")
    assert not host.kafka_node(state="stopped")["changed"]


@pytest.mark.parametrize("state", ["started", "restarted", "reverted", "stopped", "leaving", "left"])
@pytest.mark.parametrize(
    ("found", "named"),
    [((OTHER, 1), (OTHER, CLUSTER_ID)), ((CLUSTER_ID, 2), ("node 2", "node 1"))],
    ids=["another cluster", "another node"],
)
def test_the_node_of_another_cluster_and_another_node_are_left_alone(
    host: Host, state: str, found: tuple[str, int], named: tuple[str, str]
) -> None:
    host.install()
    host.kafka_node()
    format_dir(host.logs, *found)
    result = host.kafka_node(state=state, files=host.wanted("num.io.threads=9\n"))
    assert result["failed"]
    assert all(word in result["msg"] for word in named)
    assert host.commands == []
    assert "num.io" not in (host.install_dir / "next/server.properties").read_text()
    assert not (host.install_dir / "removed").exists()
    assert not host.kafka_node(state="reported").get("failed")


@pytest.mark.parametrize("state", ["restarted", "stopped", "leaving", "left"])
def test_a_node_that_nothing_names_is_not_stopped(host: Host, state: str) -> None:
    host.install()
    host.kafka_node()
    (host.logs / "meta.properties").unlink()
    result = host.kafka_node(state=state)
    assert result["failed"]
    assert CLUSTER_ID in result["msg"]
    assert host.commands == []


def test_a_node_that_leaves_is_marked_once_and_runs_on(host: Host) -> None:
    host.install()
    host.kafka_node()
    mark = host.install_dir / "removed"
    assert host.kafka_node(check_mode=True, state="leaving")["changed"]
    assert not mark.exists()
    for changed in (True, False):
        assert host.kafka_node(state="leaving")["changed"] is changed
        assert CLUSTER_ID in mark.read_text()
    assert host.commands == []


def test_a_node_that_has_left_keeps_no_key_no_password_and_no_contributed_file(host: Host) -> None:
    for version in ("4.3.1", "4.4.0"):
        host.install(version)
        config = host.install_dir / f"releases/{version}/config"
        (config / "contributed.list").write_text("metrics-key.pem restart\nmetrics.yml\n")
        (config / "log4j2.yaml").write_text("none\n")
        for name in ("server.properties", "metrics-key.pem", "metrics.yml", "contributed.list"):
            (config / name).write_text("metrics-key.pem restart\nmetrics.yml\n" if "list" in name else "s3cret")
    host.kafka_node()
    (host.install_dir / "tls").mkdir()
    (host.install_dir / "tls/node.pem").write_text("s3cret")
    host.kafka_node(state="leaving")
    host.kafka_node(state="stopped")
    would = host.kafka_node(check_mode=True, state="left")["changed_paths"]
    assert (host.install_dir / "tls/node.pem").exists()
    assert host.kafka_node(state="left")["changed_paths"] == would
    left = [path for path in host.install_dir.rglob("*") if path.is_file() and "s3cret" in path.read_text()]
    assert left == []
    assert (host.install_dir / "releases/4.4.0/config/log4j2.yaml").exists()
    assert not (host.install_dir / "releases/4.4.0/config/contributed.list").exists()
    for state in ("leaving", "stopped", "left"):  # the same command again
        assert not host.kafka_node(state=state)["changed"]


def test_a_release_is_asked_for_where_one_is_run(run_module: RunModule) -> None:
    assert "missing: release" in run_module("kafka_node", state="restarted", cluster_id=CLUSTER_ID, node_id=1)["msg"]


def test_a_current_that_is_no_link_is_refused(host: Host) -> None:
    (host.install_dir / "current").mkdir()
    assert "current is no link" in host.kafka_node()["msg"]


def test_systemd_that_takes_too_long_is_reported_as_such(
    host: Host, monkeypatch: pytest.MonkeyPatch, wording: Wording
) -> None:
    host.install()
    host.kafka_node()
    monkeypatch.setattr(AnsibleModule, "run_command", lambda *_: (124, "", ""))
    message = host.kafka_node(state="stopped", timeout=7)["msg"]
    assert message.startswith("systemctl stop kafka.service: ")
    assert "7" in values(message)
    wording([message])


def test_states_of_the_module_are_those_of_the_plan() -> None:
    assert set(node.STATES) == {"started", "restarted", "reverted", "stopped", "reported"}
