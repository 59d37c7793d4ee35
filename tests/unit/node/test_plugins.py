"""Plugins on a host: complete or absent, whatever kind of file brings them and whatever a killed run left."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node import plugins
from ansible.module_utils.kraft.node.service import staging

CLASS = "org/example/Storage.class"


def jar(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names or (CLASS,):
            archive.writestr(name, b"class")
    return made.getvalue()


def tarball(path: Path, content: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in content.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o4777
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("storage/evil.jar")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


def zipped(path: Path, content: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**content, "storage/README": b"text"}.items():
            archive.writestr(name, data)
    return path


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.iterdir())


@pytest.mark.parametrize("make", [tarball, zipped])
def test_all_jars_of_an_archive_are_in_one_directory(
    tmp_path: Path, make: Callable[[Path, dict[str, bytes]], Path]
) -> None:
    archive = make(tmp_path / "archive", {"storage/core.jar": jar(), "../lib/s3.jar": jar("a/B.class")})
    place = tmp_path / "plugins" / "storage-1"
    plugins.install(str(archive), str(place))
    assert names(place) == ["SHA256SUMS", "core.jar", "s3.jar"]
    assert {one.stat().st_mode & 0o7777 for one in place.iterdir()} == {0o644}
    assert place.stat().st_mode & 0o7777 == 0o755
    assert plugins.is_complete(str(place))
    assert names(place.parent) == ["storage-1"]


@pytest.mark.parametrize("inner", ["META-INF/MANIFEST.MF", CLASS, "BOOT-INF/lib/inner.jar"])
def test_a_jar_is_installed_as_it_is(tmp_path: Path, inner: str) -> None:
    path, place = tmp_path / "storage-1.0.jar", tmp_path / "plugins" / "storage-1"
    path.write_bytes(jar(*{CLASS, inner}))
    plugins.install(str(path), str(place))
    assert (place / "plugin.jar").read_bytes() == path.read_bytes()


def test_a_file_without_a_jar_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    text = tmp_path / "page.html"
    text.write_text("<html>404</html>")
    empty, twice = zipped(tmp_path / "empty", {}), zipped(tmp_path / "twice", {"a/x.jar": jar(), "b/x.jar": jar()})
    for path in (text, empty, twice):
        with pytest.raises(RefusedError, match=path.name):
            plugins.install(str(path), str(tmp_path / "plugins" / "x-1"))
        assert names(tmp_path / "plugins") == []


def test_another_file_than_that_of_the_inventory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jar"
    path.write_bytes(jar())
    plugins.verify(str(path), hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(RefusedError):
        plugins.verify(str(path), "0" * 64)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "changed": lambda core: core.write_bytes(jar("other")),
    "missing": lambda core: core.unlink(),
    "more": lambda core: core.with_name("more.jar").write_bytes(jar()),
    "mode": lambda core: core.chmod(0o666),
    "link": lambda core: core.symlink_to(core.rename(core.parents[2] / "x.jar")),
    "sums": lambda core: core.with_name("SHA256SUMS").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_plugin_is_installed_again(tmp_path: Path, damage: str) -> None:
    archive = tarball(tmp_path / "a.tgz", {"core.jar": jar(), "s3.jar": jar()})
    place = tmp_path / "plugins" / "storage-1"
    asked = [{"name": "storage", "directory": str(place)}]
    plugins.install(str(archive), str(place))
    assert plugins.missing(asked) == []
    DAMAGES[damage](place / "core.jar")
    assert plugins.missing(asked) == ["storage"]
    plugins.install(str(archive), str(place))
    assert plugins.missing(asked) == []


def test_remains_of_a_killed_run_are_replaced(tmp_path: Path) -> None:
    archive, place = tarball(tmp_path / "a.tgz", {"core.jar": jar()}), tmp_path / "plugins" / "storage-1"
    partial = tmp_path / "plugins" / ".partial-storage-1"
    partial.mkdir(parents=True)
    (partial / "core.jar").write_bytes(b"half")
    plugins.install(str(archive), str(place))
    assert plugins.is_complete(str(place))
    assert names(place.parent) == ["storage-1"]


def test_plugins_that_no_unit_names_are_removed(tmp_path: Path) -> None:
    plugins.prune(str(tmp_path), [])  # a host without plugins
    old, older, kept = (f"one-{at:012x}" for at in range(3))
    for name in (old, older, kept, f".partial-{kept}", "connector-of-others"):
        (tmp_path / "plugins" / name).mkdir(parents=True)
    unit = f"ExecStartPre=x :{tmp_path}/plugins/{kept}/*:{tmp_path}/plugins/{older}/*"
    plugins.prune(str(tmp_path), ["", unit])
    assert names(tmp_path / "plugins") == ["connector-of-others", older, kept]


def test_plugins_of_a_unit_that_cannot_be_read_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "UNIT_DIR", str(tmp_path))
    needed = tmp_path / "plugins/storage-0123456789ab"
    needed.mkdir(parents=True)
    place = staging.Place("kafka", str(tmp_path), "4.3.1")
    (tmp_path / staging.PREVIOUS / place.service).mkdir(parents=True)  # a file that no read opens
    staging.clean_plugins(place)
    assert needed.exists()
    (tmp_path / staging.PREVIOUS / place.service).rmdir()
    staging.clean_plugins(place)
    assert not needed.exists()
