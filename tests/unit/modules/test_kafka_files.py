"""kafka_files on a real directory: written and refused files, and the prediction of check mode."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.unit.modules.module_runner import RunModule
from tests.unit.problems import values
from tests.wording_files import Wording

Layout = dict[str, Any]

ME = {"owner": pwd.getpwuid(os.geteuid()).pw_name, "group": grp.getgrgid(os.getegid()).gr_name}
TEXT = "num.io.threads=8\nssl.keystore.password=geheim\n"


def mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """One of each kind, a directory two levels deep and a link to what does not exist yet."""
    return {
        "directories": [{"path": f"{tmp_path}/opt/kafka", **ME}, {"path": f"{tmp_path}/data/a", **ME, "mode": "0750"}],
        "files": [{"path": f"{tmp_path}/opt/kafka/server.properties", "content": TEXT, **ME, "mode": "0640"}],
        "links": [{"path": f"{tmp_path}/opt/kafka/bin", "target": "current/bin"}],
    }


def paths(layout: Layout) -> list[str]:
    return [item["path"] for items in layout.values() for item in items]


def test_everything_is_made_in_one_go_and_a_second_run_changes_nothing(
    tmp_path: Path, layout: Layout, run_module: RunModule
) -> None:
    first, second = run_module("kafka_files", **layout), run_module("kafka_files", **layout)
    assert first["changed"]
    assert first["changed_paths"] == paths(layout)
    assert (second["changed"], second["changed_paths"], second["diff"]) == (False, [], [])
    written = tmp_path / "opt/kafka/server.properties"
    assert (written.read_text(), mode(written)) == (TEXT, "0640")
    assert (mode(tmp_path / "data"), mode(tmp_path / "data/a")) == ("0755", "0750")
    assert os.readlink(tmp_path / "opt/kafka/bin") == "current/bin"


def test_check_mode_predicts_the_real_run_and_writes_nothing(
    tmp_path: Path, layout: Layout, run_module: RunModule
) -> None:
    predicted = run_module("kafka_files", check_mode=True, **layout)
    assert list(tmp_path.iterdir()) == []
    real = run_module("kafka_files", **layout)
    assert (predicted["changed_paths"], predicted["diff"]) == (real["changed_paths"], real["diff"])


def test_check_mode_takes_missing_accounts_and_parents_for_made(tmp_path: Path, run_module: RunModule) -> None:
    file = {"path": f"{tmp_path}/not/yet", "content": "x", "owner": "no-such-user", "group": "no-such-group"}
    result = run_module("kafka_files", check_mode=True, files=[file])
    assert result["changed_paths"] == [file["path"]]
    assert ": file no-such-user:" in result["diff"][0]["after"]


def test_a_real_run_names_missing_accounts_and_what_they_should_own(
    tmp_path: Path, run_module: RunModule, wording: Wording
) -> None:
    file = {"path": f"{tmp_path}/f", "content": "x", "owner": "no-such-user", "group": "no-such-group"}
    result = run_module("kafka_files", files=[file])
    assert result["failed"]
    assert {"no-such-user", "no-such-group", f"{tmp_path}/f"} <= values(result["msg"])
    wording([result["msg"].replace(str(tmp_path), "<directory>")])
    assert list(tmp_path.iterdir()) == []


def test_only_attributes_change_in_place(tmp_path: Path, layout: Layout, run_module: RunModule) -> None:
    run_module("kafka_files", **layout)
    written = tmp_path / "opt/kafka/server.properties"
    inode = written.stat().st_ino
    written.chmod(0o666)
    result = run_module("kafka_files", **layout)
    assert result["changed_paths"] == [str(written)]
    assert "mode: '0666'" in result["diff"][0]["before"]
    assert (written.stat().st_ino, mode(written)) == (inode, "0640")


def test_content_of_a_sensitive_file_is_nowhere_in_the_result(tmp_path: Path, run_module: RunModule) -> None:
    file = {"path": f"{tmp_path}/f", "content": TEXT, **ME, "sensitive": True}
    first = run_module("kafka_files", files=[file])
    second = run_module("kafka_files", files=[{**file, "content": TEXT.replace("geheim", "gehelm")}])
    assert "gehe" not in str(first) + str(second)
    assert second["diff"][0]["before"] != second["diff"][0]["after"]


def test_parameters_with_contents_are_not_repeated_in_the_result(tmp_path: Path, run_module: RunModule) -> None:
    result = run_module("kafka_files", files=[{"path": f"{tmp_path}/f", "content": TEXT, **ME, "sensitive": True}])
    assert result["invocation"]["module_args"] == {"paths": [f"{tmp_path}/f"]}


def test_leftover_of_a_killed_run_is_removed_and_reported_once(
    tmp_path: Path, layout: Layout, run_module: RunModule
) -> None:
    run_module("kafka_files", **layout)
    leftover = tmp_path / "opt/kafka/.kraftwright-server.properties"
    leftover.write_text("half")
    result = run_module("kafka_files", **layout)
    assert result["changed_paths"] == [str(leftover)]
    assert not leftover.exists()
    assert not run_module("kafka_files", **layout)["changed"]


def test_a_write_that_is_killed_before_the_rename_leaves_the_old_file(
    tmp_path: Path, layout: Layout, run_module: RunModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_module("kafka_files", **layout)
    layout["files"][0]["content"] = "new\n"

    def killed(*_: object, **__: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", killed)
        assert run_module("kafka_files", **layout)["failed"]
    written = tmp_path / "opt/kafka/server.properties"
    assert written.read_text() == TEXT
    assert run_module("kafka_files", **layout)["changed_paths"] == [str(written)]
    assert sorted(p.name for p in written.parent.iterdir()) == ["bin", "server.properties"]


def test_wrong_kinds_are_refused_all_at_once_and_nothing_is_changed(
    tmp_path: Path, layout: Layout, run_module: RunModule, wording: Wording
) -> None:
    (tmp_path / "opt/kafka/server.properties").mkdir(parents=True)
    (tmp_path / "opt/kafka/bin").write_text("a file")
    (tmp_path / "data").write_text("a file")
    result = run_module("kafka_files", **layout)
    for name in ("opt/kafka/server.properties", "opt/kafka/bin", "data"):
        assert f"{tmp_path}/{name}" in values(result["msg"])
    wording([result["msg"].replace(str(tmp_path), "<directory>")])
    assert (tmp_path / "opt/kafka/bin").read_text() == "a file"


def test_a_file_that_is_a_link_is_refused(tmp_path: Path, run_module: RunModule) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "f").symlink_to("real")
    result = run_module("kafka_files", files=[{"path": f"{tmp_path}/f", "content": "y", **ME}])
    assert "there is a link already" in result["msg"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a link of somebody else")
@pytest.mark.parametrize("inside", ["", "/deeper"])
def test_a_link_that_root_did_not_make_is_not_followed(tmp_path: Path, run_module: RunModule, inside: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "d").symlink_to("elsewhere")
    os.lchown(tmp_path / "d", 12345, 12345)
    result = run_module("kafka_files", directories=[{"path": f"{tmp_path}/d{inside}", **ME}])
    assert f"{tmp_path}/d is a link that root did not make" in result["msg"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_of_roots_leads_to_the_directory_behind_it(tmp_path: Path, run_module: RunModule) -> None:
    (tmp_path / "disk").mkdir(mode=0o700)
    (tmp_path / "d").symlink_to("disk")
    file = {"path": f"{tmp_path}/d/f", "content": "x", **ME}
    result = run_module("kafka_files", directories=[{"path": f"{tmp_path}/d", **ME}], files=[file])
    assert result["changed_paths"] == [f"{tmp_path}/d", f"{tmp_path}/d/f"]
    assert (tmp_path / "d").is_symlink()
    assert mode(tmp_path / "disk") == "0755"


def test_links_are_pointed_elsewhere(tmp_path: Path, run_module: RunModule) -> None:
    (tmp_path / "l").symlink_to("old")
    result = run_module("kafka_files", links=[{"path": f"{tmp_path}/l", "target": "new"}])
    assert os.readlink(tmp_path / "l") == "new"
    assert (result["diff"][0]["before"], result["diff"][0]["after"]) == ("target: old\n", "target: new\n")


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ({"path": "relative"}, {"relative", "absolute"}),
        ({"path": "/var/../etc/f"}, {"/var/../etc/f", "absolute"}),
        ({"path": "/var/f", "mode": "u=rw"}, {"mode", "u=rw", "octal"}),
        ({"path": "/no-such-directory/f"}, {"/no-such-directory/f", "/no-such-directory"}),
    ],
)
def test_bad_parameters_are_refused_with_a_remedy(
    run_module: RunModule, file: dict[str, str], told: set[str], wording: Wording
) -> None:
    message = run_module("kafka_files", files=[{"content": "x", **ME, **file}])["msg"]
    assert told <= values(message)
    wording([message])


def test_a_path_given_twice_is_refused(tmp_path: Path, run_module: RunModule) -> None:
    file = {"path": f"{tmp_path}/f", "content": "x", **ME}
    assert "is listed more than once" in run_module("kafka_files", files=[file, {**file, "content": "y"}])["msg"]
