"""Files that other roles give a node are handled like the node's: compared, put in place, kept, removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible.module_utils.kraft.difference import CONTRIBUTED, Difference
from ansible.module_utils.kraft.node.service import staging
from ansible.module_utils.kraft.node.service.differences import Inputs, config_differences
from ansible.module_utils.kraft.node.service.staging import Place

OWN = ("server.properties", "jvm.options", "log4j2.yaml")
LISTED = "tls.pem restart\n"


@pytest.fixture
def install_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for version in ("4.2.1", "4.3.1"):
        (tmp_path / f"releases/{version}/config").mkdir(parents=True)
    (tmp_path / "next").mkdir()
    monkeypatch.setattr(staging, "UNIT_DIR", str(tmp_path))
    return tmp_path


def stage(root: Path, files: dict[str, str], version: str = "4.3.1") -> Place:
    given = {CONTRIBUTED: "".join(f"{name} restart\n" for name in files), **files} if files else {}
    for name, text in {**dict.fromkeys((*OWN, "kafka.service"), "x\n"), **given}.items():
        (root / "next" / name).write_text(text)
    return Place("kafka", str(root), version, contributed=tuple(given))


def in_place(root: Path, version: str = "4.3.1") -> set[str]:
    return {path.name for path in (root / f"releases/{version}/config").iterdir()} - set(OWN)


def test_a_contributed_file_waits_and_is_put_in_place_with_its_mode(install_dir: Path) -> None:
    place = stage(install_dir, {"tls.pem": "1\n"})
    os.chmod(install_dir / "next/tls.pem", 0o640)
    assert staging.not_in_place(place, {})[:2] == (CONTRIBUTED, "tls.pem")
    staging.put_in_place(place)
    found = install_dir / "releases/4.3.1/config/tls.pem"
    assert (found.read_text(), found.stat().st_mode & 0o777) == ("1\n", 0o640)
    assert staging.not_in_place(place, {}) == ()


def test_only_a_file_that_was_contributed_is_removed(install_dir: Path) -> None:
    staging.put_in_place(stage(install_dir, {"tls.pem": "1\n", "tls.yml": "a: 1\n"}))
    (install_dir / "releases/4.3.1/config/connect.properties").write_text("of the archive\n")
    fewer = stage(install_dir, {"tls.yml": "a: 1\n"})
    assert staging.withdrawn(fewer) == ("tls.pem",)
    staging.put_in_place(fewer)
    assert in_place(install_dir) == {CONTRIBUTED, "connect.properties", "tls.pem", "tls.yml"}
    staging.withdraw(fewer)
    assert (install_dir / "releases/4.3.1/config" / CONTRIBUTED).read_text() == "tls.yml restart\n"
    assert in_place(install_dir) == {CONTRIBUTED, "connect.properties", "tls.yml"}
    none = stage(install_dir, {})
    assert staging.not_in_place(none, {}) == (CONTRIBUTED, "tls.yml")
    staging.put_in_place(none)
    staging.withdraw(none)
    assert in_place(install_dir) == {"connect.properties"}
    assert staging.not_in_place(none, {}) == ()


def test_a_release_that_is_left_loses_the_files_and_keeps_its_own(install_dir: Path) -> None:
    staging.put_in_place(stage(install_dir, {"tls.pem": "1\n"}, "4.2.1"))
    (install_dir / "releases/4.2.1/config/connect.properties").write_text("of the archive\n")
    place = stage(install_dir, {"tls.pem": "1\n"}, "4.3.1")
    staging.put_in_place(place)
    staging.clean_other_releases(place)
    assert in_place(install_dir, "4.2.1") == {"connect.properties"}
    assert in_place(install_dir, "4.3.1") == {CONTRIBUTED, "tls.pem"}


def inputs(text: str | None, listed: str) -> Inputs:
    files = dict.fromkeys(OWN, "") | {CONTRIBUTED: listed}
    return Inputs(files if text is None else {**files, "tls.pem": text}, None, "")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (inputs("1", LISTED), inputs("2", LISTED), [Difference("tls.pem")]),
        (inputs("1", LISTED), inputs("1", LISTED), []),
        (inputs("1", "tls.pem"), inputs("2", "tls.pem"), []),
        (inputs("1", LISTED), inputs(None, ""), [Difference("tls.pem")]),
        (inputs(None, ""), inputs("1", LISTED), [Difference("tls.pem")]),
    ],
    ids=["changed", "same", "read again by itself", "gone", "new"],
)
def test_a_restart_is_due_for_files_that_ask_for_it(before: Inputs, after: Inputs, expected: list[Difference]) -> None:
    assert config_differences(before, after) == expected


def record(files: dict[str, str]) -> dict[str, bytes]:
    texts = {**dict.fromkeys((*OWN, "kafka.service", "MANIFEST"), "x\n"), **files}
    return {name: text.encode() for name, text in texts.items()}


def test_a_process_without_contributions_can_be_kept_when_the_first_one_comes(install_dir: Path) -> None:
    place = stage(install_dir, {"tls.pem": "1\n"})
    assert staging.can_keep(place, record({}))
    staging.keep(place, record({}))
    assert staging.listed(str(install_dir / "previous")) == ()


def test_a_file_that_goes_is_kept_until_something_else_is_kept(install_dir: Path) -> None:
    place, kept = stage(install_dir, {}), install_dir / "previous/tls.pem"
    os.chmod(install_dir / "next/server.properties", 0o640)
    staging.keep(place, record({CONTRIBUTED: LISTED, "tls.pem": "1\n"}))
    assert (kept.read_text(), kept.stat().st_mode & 0o777) == ("1\n", 0o640)
    assert staging.listed(str(install_dir / "previous")) == (CONTRIBUTED, "tls.pem")
    staging.keep(place, record({}))
    assert not kept.exists()


def test_a_record_that_lacks_a_file_of_its_list_cannot_be_kept(install_dir: Path) -> None:
    assert not staging.can_keep(stage(install_dir, {}), record({CONTRIBUTED: LISTED}))


def test_a_list_that_cannot_be_read_may_name_keys_so_their_deletion_is_not_reported(install_dir: Path) -> None:
    config = install_dir / "releases/4.2.1/config"
    (config / "tls.pem").write_text("a key\n")
    (config / CONTRIBUTED).mkdir()  # a file that no read opens
    with pytest.raises(OSError, match=CONTRIBUTED):
        staging.delete_secrets(str(install_dir), check_mode=False)
    (config / CONTRIBUTED).rmdir()
    (config / CONTRIBUTED).write_text(LISTED)
    assert str(config / "tls.pem") in staging.delete_secrets(str(install_dir), check_mode=False)["changed_paths"]
    assert not (config / "tls.pem").exists()


def test_passwords_in_releases_that_a_killed_run_left_are_deleted_and_unlisted_releases_may_hold_some(
    install_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [install_dir / f"releases/{name}/config" for name in (".partial-4.3.1", ".replaced-4.2.1", "4.2.1")]
    for config in left:
        config.mkdir(parents=True, exist_ok=True)
        (config / "server.properties").write_text("a password\n")
    deleted = staging.delete_secrets(str(install_dir), check_mode=False)["changed_paths"]
    assert {str(config / "server.properties") for config in left} <= set(deleted)
    assert not [config for config in left if (config / "server.properties").exists()]

    def fails(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "listdir", fails)
    with pytest.raises(PermissionError, match="releases"):
        staging.delete_secrets(str(install_dir), check_mode=False)
