"""kafka_release on a real directory: unpacked once, finished after a kill, replaced, and refused."""

from __future__ import annotations

import errno
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.release import unpack as release_unpack

from tests.unit.modules.archives import FILES, TOP, checksum, make_archive, member
from tests.unit.modules.module_runner import Result, RunModule
from tests.unit.problems import named, values
from tests.wording_files import Wording

VERSION = "9.9.1"


class Host:
    """An install dir with an archive that was brought there."""

    def __init__(self, root: Path, run: RunModule) -> None:
        self.install_dir = root / "kafka"
        (self.install_dir / "releases").mkdir(parents=True)
        self.incoming = self.install_dir / ".incoming" / f"{TOP}.tgz"
        self.release = self.install_dir / "releases" / VERSION
        self.partial = self.install_dir / "releases" / f".partial-{VERSION}"
        self.run = run
        self.bring()

    def bring(self) -> None:
        self.checksum = checksum(make_archive(self.incoming))

    def kafka_release(self, check_mode: bool = False, **params: Any) -> Result:
        given = {"version": VERSION, "install_dir": str(self.install_dir), "archive": str(self.incoming)}
        return self.run("kafka_release", check_mode, **{**given, "checksum": self.checksum, **params})

    def tree(self) -> dict[str, bytes]:
        files = (p for p in self.install_dir.rglob("*") if p.is_file())
        return {str(p.relative_to(self.install_dir)): p.read_bytes() for p in files}


@pytest.fixture
def host(tmp_path: Path, run_module: RunModule) -> Host:
    return Host(tmp_path, run_module)


def test_a_release_is_unpacked_once(host: Host) -> None:
    first, second = host.kafka_release(), host.kafka_release()
    assert (first["changed"], first["operation"]) == (True, "unpack")
    assert (second["changed"], second["operation"], second["diff"]) == (False, "none", [])
    assert {name: (host.release / name).read_bytes() for name in FILES} == FILES
    assert not host.partial.exists()
    assert not host.incoming.exists()


def test_unpacked_files_are_roots_with_plain_modes(host: Host) -> None:
    host.kafka_release()
    modes = {name: oct((host.release / name).stat().st_mode & 0o7777) for name in ("bin/kafka-topics.sh", "LICENSE")}
    assert modes == {"bin/kafka-topics.sh": "0o755", "LICENSE": "0o644"}
    assert {p.stat().st_uid for p in host.release.rglob("*")} == {os.geteuid()}


def test_the_class_path_lists_the_jars_of_the_release_sorted(host: Host) -> None:
    host.kafka_release()
    libs = host.release / "libs"
    expected = f'-cp "{libs}/a-first.jar:{libs}/kafka-clients-9.9.1.jar"\n'
    assert (host.release / "classpath.options").read_text() == expected


def test_the_manifest_is_the_same_on_every_host(tmp_path: Path, host: Host, run_module: RunModule) -> None:
    other = Host(tmp_path / "other", run_module)
    host.kafka_release()
    other.kafka_release(archive=str(other.incoming), checksum=checksum(other.incoming, "sha512"))
    manifests = [release.read_manifest(str(h.release)) for h in (host, other)]
    assert manifests[0] is not None
    assert manifests[1] is not None
    assert manifests[0].files == manifests[1].files
    assert sorted(manifests[0].files) == sorted(name for name in FILES if not name.startswith("config/"))


def test_a_release_is_recognised_by_either_checksum(host: Host) -> None:
    sha512 = checksum(host.incoming, "sha512")
    host.kafka_release()
    assert host.kafka_release(checksum=sha512)["operation"] == "none"


def test_check_mode_predicts_without_an_archive_and_changes_nothing(host: Host) -> None:
    host.incoming.unlink()
    before = host.tree()
    assert host.kafka_release(check_mode=True)["operation"] == "unpack"
    assert host.tree() == before


def test_check_mode_finds_a_damaged_archive(host: Host) -> None:
    host.incoming.write_bytes(host.incoming.read_bytes()[:-20])
    assert "is damaged or another one" in host.kafka_release(check_mode=True)["msg"]


def test_an_archive_elsewhere_is_kept(tmp_path: Path, host: Host) -> None:
    elsewhere = make_archive(tmp_path / "mine.tgz")
    host.kafka_release(archive=str(elsewhere), checksum=checksum(elsewhere))
    assert elsewhere.exists()


def test_a_transferred_archive_is_gone_even_if_its_run_dies(tmp_path: Path, host: Host) -> None:
    (tmp_path / ".kraftwright-kafka1").mkdir()
    carried = make_archive(tmp_path / ".kraftwright-kafka1" / "kafka.tgz")
    host.kafka_release(archive=str(carried), checksum=checksum(carried))
    assert not carried.exists()


def test_what_a_killed_run_left_is_replaced(host: Host) -> None:
    (host.partial / "libs").mkdir(parents=True)
    (host.partial / "libs/kafka-clients-0.0.0.jar").write_text("half")
    assert host.kafka_release()["operation"] == "unpack"
    assert sorted(p.name for p in (host.release / "libs").iterdir()) == ["a-first.jar", "kafka-clients-9.9.1.jar"]


@pytest.mark.parametrize("step", ["sync_tree", "write_own_files", "install", "fsync_directory"])
def test_a_run_killed_at_any_step_is_finished_by_the_next(
    host: Host, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def killed(*_: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(release_unpack, step, killed)
        assert host.kafka_release()["failed"]
    result = host.kafka_release()
    assert result["changed"]
    assert release.observe_release(str(host.install_dir), VERSION).complete
    assert sorted(os.listdir(host.install_dir / "releases")) == [VERSION]
    assert not host.incoming.exists()
    assert not host.kafka_release()["changed"]


def test_an_archive_left_by_a_killed_run_is_removed(host: Host) -> None:
    host.kafka_release()
    host.bring()
    result = host.kafka_release()
    assert (result["changed"], result["operation"]) == (True, "none")
    assert not host.incoming.exists()


def test_halves_of_archives_that_killed_runs_left_are_removed_and_predicted(host: Host) -> None:
    halves = [host.incoming.parent / name for name in (".ansible_tmp4k2x.tgz", "kafka_2.13-9.9.0.tgz")]
    for half in halves:
        half.write_bytes(b"half")
    predicted = host.kafka_release(check_mode=True)
    assert predicted["changed"]
    assert all(half.exists() for half in halves)
    host.kafka_release()
    assert os.listdir(host.incoming.parent) == []
    assert not host.kafka_release()["changed"]


def test_a_killed_run_that_still_unpacks_is_waited_for(
    host: Host, monkeypatch: pytest.MonkeyPatch, wording: Wording
) -> None:
    monkeypatch.setattr(file_io, "LOCK_SECONDS", 0.3)
    with file_io.locked(str(host.install_dir / "releases")):
        message = host.kafka_release()["msg"]
    assert {f"{host.install_dir}/releases", "0"} <= values(message)
    wording([message.replace(str(host.install_dir), "<install_dir>")])
    assert host.kafka_release()["changed"]


def test_a_wrong_checksum_is_refused_with_both_before_anything_is_unpacked(host: Host) -> None:
    before, wrong = host.tree(), "sha256:" + "0" * 64
    message = host.kafka_release(checksum=wrong)["msg"]
    assert host.checksum.partition(":")[2] in message
    assert "0" * 64 in message
    assert host.tree() == before


def test_a_release_from_another_archive_is_refused_with_both(host: Host) -> None:
    host.kafka_release()
    message = host.kafka_release(checksum="sha256:" + "0" * 64)["msg"]
    assert "was unpacked from another archive" in message
    assert host.checksum.partition(":")[2] in message


def test_an_archive_of_another_version_is_refused_with_both(host: Host, wording: Wording) -> None:
    message = host.kafka_release(version="9.9.2")["msg"]
    assert {"9.9.1", "9.9.2"} <= values(message)
    wording([message.replace(str(host.install_dir), "<install_dir>")])
    assert os.listdir(host.install_dir / "releases") == []


def test_a_missing_archive_says_where_it_was_looked_for(host: Host, wording: Wording) -> None:
    host.incoming.unlink()
    message = host.kafka_release()["msg"]
    assert named([message]) == [["9.9.1", str(host.incoming)]]
    wording([message.replace(str(host.incoming), "<archive>")])


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (member(f"{TOP}/../../etc/evil"), "leads out of it"),
        (member("/etc/evil"), "leads out of it"),
        (member("other/file"), "more than one top directory"),
        (member(f"{TOP}/libs/l", tarfile.SYMTYPE, "../../../etc"), "outside of it"),
        (member(f"{TOP}/libs/l", tarfile.SYMTYPE, "/etc"), "outside of it"),
        (member(f"{TOP}/libs/l", tarfile.LNKTYPE, f"{TOP}/LICENSE"), "no file, directory or symbolic link"),
        (member(f"{TOP}/libs/l", tarfile.CHRTYPE), "no file, directory or symbolic link"),
        (member(f"{TOP}/libs/l", tarfile.FIFOTYPE), "no file, directory or symbolic link"),
        (member(f"{TOP}/LICENSE"), "File exists"),
    ],
)
def test_an_archive_that_leads_out_is_refused(host: Host, extra: tarfile.TarInfo, message: str) -> None:
    make_archive(host.incoming, extra=(extra,))
    assert message in host.kafka_release(checksum=checksum(host.incoming))["msg"]
    assert os.listdir(host.install_dir / "releases") == []


def test_a_link_inside_is_kept_and_nothing_is_written_through_it(host: Host, tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    links = (member(f"{TOP}/docs", tarfile.SYMTYPE, "libs"), member(f"{TOP}/docs/evil"))
    make_archive(host.incoming, extra=links)
    assert "failed" in host.kafka_release(checksum=checksum(host.incoming))
    make_archive(host.incoming, extra=links[:1])
    host.kafka_release(checksum=checksum(host.incoming))
    assert os.readlink(host.release / "docs") == "libs"


@pytest.mark.parametrize("files", [{}, {k: v for k, v in FILES.items() if not k.startswith("config/")}])
def test_an_archive_that_is_no_kafka_is_refused(host: Host, files: dict[str, bytes]) -> None:
    make_archive(host.incoming, files)
    message = host.kafka_release(checksum=checksum(host.incoming))["msg"]
    assert "the archive h" in message


def test_something_that_is_no_archive_is_refused(host: Host) -> None:
    host.incoming.write_text("<html>404</html>")
    assert "failed" in host.kafka_release(checksum=checksum(host.incoming))
    assert os.listdir(host.install_dir / "releases") == []


@pytest.mark.parametrize("form", ["", "sha256", "md5:" + "0" * 32, "sha256:" + "0" * 63, "sha512:" + "x" * 128])
def test_a_checksum_in_another_form_is_refused(host: Host, form: str) -> None:
    assert {"sha256", "64", "sha512", "128"} <= values(host.kafka_release(checksum=form)["msg"])


def damage(host: Host) -> Path:
    """A release that a node has made its own, with a jar cut short and another one gone."""
    host.kafka_release()
    (host.release / "config/server.properties").write_text("node.id=1\n")
    (host.release / "libs/a-first.jar").unlink()
    jar = host.release / "libs/kafka-clients-9.9.1.jar"
    jar.write_bytes(b"clients")
    return jar


def test_a_damaged_release_is_replaced_and_keeps_the_nodes_own_files(host: Host) -> None:
    jar = damage(host)
    manifest = (host.release / "MANIFEST").read_bytes()
    (host.release / "config/server.properties").chmod(0o640)
    own = (host.release / "config/server.properties").stat()[:6]
    with jar.open("rb") as open_in_a_process:
        host.bring()
        result = host.kafka_release()
        assert open_in_a_process.read() == b"clients"
    assert result["operation"] == "unpack"
    assert result["damage"] == {
        "libs/a-first.jar": "missing",
        "libs/kafka-clients-9.9.1.jar": "7 bytes instead of 700",
    }
    assert jar.read_bytes() == FILES["libs/kafka-clients-9.9.1.jar"]
    assert (host.release / "config/server.properties").read_text() == "node.id=1\n"
    assert own == (host.release / "config/server.properties").stat()[:6]
    assert not host.partial.exists()
    assert (host.release / "MANIFEST").read_bytes() == manifest
    assert not host.kafka_release()["changed"]


@pytest.fixture
def plain_filesystem(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that cannot exchange two names, such as NFS."""

    def exchange(*_: str) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(release_unpack, "exchange", exchange)


@pytest.mark.usefixtures("plain_filesystem")
def test_a_damaged_release_is_replaced_where_names_cannot_be_exchanged(host: Host) -> None:
    test_a_damaged_release_is_replaced_and_keeps_the_nodes_own_files(host)
    assert os.listdir(host.install_dir / "releases") == [VERSION]


@pytest.mark.usefixtures("plain_filesystem")
@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_replacement_in_two_steps_that_is_killed_keeps_the_nodes_own_files(
    host: Host, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    damage(host)
    host.bring()
    left, moved = [step], (str(host.release), str(host.release.parent))

    def killed(function: Callable[..., None]) -> Callable[..., None]:
        def call(*given: Any, **more: Any) -> None:
            left[0] -= any(one in moved for one in given)
            if not left[0]:
                raise KeyboardInterrupt
            function(*given, **more)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", killed(os.rename))
        patch.setattr(release_unpack, "fsync_directory", killed(file_io.fsync_directory))
        with pytest.raises(KeyboardInterrupt):
            host.kafka_release()
    between = 2
    assert host.release.exists() == (step != between)
    host.bring()
    assert host.kafka_release()["changed"]
    assert (host.release / "config/server.properties").read_text() == "node.id=1\n"
    assert release.observe_release(str(host.install_dir), VERSION).complete
    assert os.listdir(host.release.parent) == [VERSION]
    assert not host.kafka_release()["changed"]


def test_another_error_of_an_exchange_is_told(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def exchange(*_: str) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(release_unpack, "exchange", exchange)
    damage(host)
    host.bring()
    assert "Read-only file system" in host.kafka_release()["msg"]
    assert (host.release / "config/server.properties").exists()


def test_a_damaged_release_without_an_archive_names_the_damage(host: Host) -> None:
    damage(host)
    message = host.kafka_release()["msg"]
    assert {"libs/kafka-clients-9.9.1.jar", "7", "700"} <= values(message)
    assert "there is no archive at" in message


def test_a_release_without_manifest_is_completed_from_the_archive(host: Host) -> None:
    host.kafka_release()
    (host.release / "MANIFEST").write_text("{half")
    host.bring()
    assert host.kafka_release()["operation"] == "unpack"
    assert release.observe_release(str(host.install_dir), VERSION).complete


def test_a_lost_class_path_needs_no_archive(host: Host) -> None:
    host.kafka_release()
    (host.release / "classpath.options").unlink()
    assert host.kafka_release()["operation"] == "classpath"
    assert not host.kafka_release()["changed"]


def test_releases_are_listed_without_unfinished_ones(host: Host) -> None:
    host.kafka_release()
    (host.install_dir / "releases/.partial-9.9.2").mkdir()
    (host.install_dir / "releases/9.9.0").mkdir()
    listed = release.observe_releases(str(host.install_dir))
    assert {version: state.complete for version, state in listed.items()} == {"9.9.0": False, "9.9.1": True}
