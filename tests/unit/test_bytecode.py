"""Compiled code of modules is kept for the same source alone, in a directory that no other user can write to."""

from __future__ import annotations

import builtins
import importlib
import os
import stat
import sys
import zipfile
import zipimport
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from ansible.module_utils.kraft import bytecode
from ansible.module_utils.kraft.bytecode import MODE, install, of_root_alone

PACKAGE = "packed_core"
Load = Callable[..., ModuleType]
root_alone = pytest.mark.skipif(os.geteuid() != 0, reason="only root keeps code")


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Loads a part of the package from a new zip, as a new module of Ansible would."""
    monkeypatch.setattr(sys, "path_hooks", list(sys.path_hooks))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    count = iter(range(100))

    def run(source: str = "value = 1", part: str = "rooms.one") -> ModuleType:
        forget()
        path = tmp_path / f"payload-{next(count)}.zip"
        package = (
            f"import ansible.module_utils.kraft.bytecode as b\nb.install(list(__path__), {str(tmp_path / 'kept')!r})\n"
        )
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("outer/__init__.py", "")
            packed.writestr(f"outer/{PACKAGE}/__init__.py", package)
            packed.writestr(f"outer/{PACKAGE}/rooms/__init__.py", "")
            packed.writestr(f"outer/{PACKAGE}/rooms/one.py", source)
            packed.writestr(f"outer/{PACKAGE}/rooms/two.py", "value = 2")
        sys.path.insert(0, str(path))
        return importlib.import_module(f"outer.{PACKAGE}.{part}")

    yield run
    forget()


def forget() -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "outer"]:
        del sys.modules[name]
    sys.path_importer_cache.clear()


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths that are compiled, by whomever."""
    seen: list[str] = []
    real = builtins.compile

    def noted(source: object, filename: str, *arguments: object, **more: object) -> object:
        seen.append(str(filename))
        return real(source, filename, *arguments, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(bytecode, "compile", noted, raising=False)
    monkeypatch.setattr(zipimport, "_compile_source", lambda path, source: noted(source, path, "exec"))
    return seen


def of_parts(paths: list[str]) -> list[str]:
    return sorted(Path(one).name for one in paths if "rooms" in one)


@root_alone
def test_a_module_is_compiled_once_for_all_zips(load: Load, compiled: list[str]) -> None:
    assert load().value == 1
    assert of_parts(compiled) == ["__init__.py", "one.py"]
    compiled.clear()
    again = load()
    assert (again.value, of_parts(compiled)) == (1, [])
    assert again.__file__ is not None
    assert again.__file__.endswith(f"payload-1.zip/outer/{PACKAGE}/rooms/one.py")
    assert load(part="rooms").__path__[0].endswith(f"payload-2.zip/outer/{PACKAGE}/rooms")


@root_alone
def test_another_source_never_gets_that_code(load: Load, tmp_path: Path) -> None:
    assert load().value == 1
    assert load("value = 3").value == 3
    assert load(part="rooms.two").value == 2
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == MODE


@root_alone
@pytest.mark.parametrize("damage", [lambda _: b"", lambda text: text[:-1], lambda text: b"x" + text[1:]])
def test_a_damaged_file_is_compiled_again(load: Load, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    load()
    for path in (tmp_path / "kept").iterdir():
        path.write_bytes(damage(path.read_bytes()))
    assert load().value == 1


@root_alone
def test_a_directory_of_others_is_not_used(load: Load, tmp_path: Path, compiled: list[str]) -> None:
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o770)
    kept.chmod(0o770)
    assert load().value == 1
    assert of_parts(compiled) == ["__init__.py", "one.py"]  # each once, not twice
    assert not list(kept.iterdir())
    kept.chmod(MODE)
    os.chown(kept, 65534, 65534)
    assert not of_root_alone(str(kept))
    kept.rename(tmp_path / "elsewhere")
    os.chown(tmp_path / "elsewhere", 0, 0)
    kept.symlink_to(tmp_path / "elsewhere")
    assert not of_root_alone(str(kept))
    assert of_root_alone(str(tmp_path / "elsewhere"))
    assert not of_root_alone("/nowhere/at/all")


@root_alone
def test_files_do_not_become_more_and_more(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bytecode, "MOST", 3)
    for number in range(6):
        assert load(f"value = {number}").value == number
    assert len(list((tmp_path / "kept").iterdir())) <= 3


def test_another_user_keeps_nothing(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert load().value == 1
    assert not (tmp_path / "kept").exists()


def test_modules_that_are_files_are_left_to_python(tmp_path: Path) -> None:
    before = list(sys.path_hooks)
    install([str(Path(bytecode.__file__).parent)], str(tmp_path / "kept"))
    assert sys.path_hooks == before
    assert not (tmp_path / "kept").exists()
