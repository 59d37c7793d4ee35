"""A run takes the modules that an earlier run has built, if none of their files has changed."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
from ansible.module_utils.kraft.control.built_modules import BUILT, MOST, BuiltModules, digest, of_project

ROOT = Path(__file__).resolve().parents[3]
NAME = "ansible.legacy.kafka_lock-ZIP_DEFLATED-none"
CALLBACK = """
import sys
from pathlib import Path
from ansible.plugins.callback import CallbackBase
import ansible.module_utils
ansible.module_utils.__path__.append({utils!r})
from ansible.module_utils.kraft.control import built_modules
class CallbackModule(CallbackBase):
    CALLBACK_NAME = "kept"
    CALLBACK_NEEDS_ENABLED = False
    def v2_playbook_on_start(self, playbook):
        self.modules = built_modules.of_project(Path({root!r}))
        self.modules.take()
    def v2_playbook_on_stats(self, stats):
        self.modules.keep()
"""
MODULE = """
from ansible.module_utils.basic import AnsibleModule
def main():
    module = AnsibleModule({{}})
    module.exit_json(text={text!r})
if __name__ == "__main__":
    main()
"""
PLAY = """
- hosts: localhost
  gather_facts: false
  tasks:
    - {kafka_said: {}, register: said}
    - {debug: {msg: "it is {{ said.text }}"}}
"""


@pytest.fixture
def modules(tmp_path: Path) -> BuiltModules:
    (tmp_path / "run").mkdir()
    sources = frozenset({hashlib.sha256(b"source").digest()})
    return BuiltModules(tmp_path / "project/.cache/modules/digest", tmp_path / "run" / BUILT, sources)


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()


@dataclass
class Zipped:
    """A built module as Ansible keeps it."""

    zip_data: bytes


def built(modules: BuiltModules, name: str = NAME, more: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """Let Ansible build a module of one known source, and of `more`. Return its file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        made = {"ansible/__init__.py": b"made by Ansible", "ansible/module_utils/kraft/__init__.py": b""}
        for path, text in {**made, "ansible/modules/one.py": b"source", **more}.items():
            archive.writestr(path, text)
    modules.built.mkdir(exist_ok=True)
    (modules.built / name).write_bytes(pickle.dumps(Zipped(base64.b64encode(content.getvalue()))))
    return (modules.built / name).read_bytes()


def another_run(modules: BuiltModules, tmp_path: Path) -> BuiltModules:
    return BuiltModules(modules.kept, tmp_path / "another" / BUILT, modules.sources)


def test_a_module_that_one_run_has_built_is_there_in_the_next_one(modules: BuiltModules, tmp_path: Path) -> None:
    content = built(modules)
    modules.keep()
    later = another_run(modules, tmp_path)
    later.take()
    assert [(path.name, path.read_bytes()) for path in later.built.iterdir()] == [(NAME, content)]


@pytest.mark.parametrize("name", [f"{NAME}.lock", f"{NAME}-part"])
def test_what_is_unfinished_is_not_kept(modules: BuiltModules, name: str) -> None:
    built(modules, name)
    modules.keep()
    assert not modules.kept.exists()


@pytest.mark.parametrize("place", ["ansible/module_utils/basic.py", "library/kafka_mine.py", "a/text.json"])
def test_a_module_with_a_file_that_was_no_source_before_the_run_is_not_kept(modules: BuiltModules, place: str) -> None:
    """It was changed during the run, or a role brings it, or another collection."""
    built(modules, more={place: b"of a role"})
    modules.keep()
    assert not modules.kept.exists()


@pytest.mark.parametrize("content", [b"", b"{}", pickle.dumps({}), pickle.dumps(Zipped(b"no zip"))])
def test_a_file_in_another_form_is_not_kept(modules: BuiltModules, content: bytes) -> None:
    built(modules)
    (modules.built / NAME).write_bytes(content)
    modules.keep()
    assert not modules.kept.exists()


def test_remains_of_a_killed_run_are_not_taken(modules: BuiltModules, tmp_path: Path) -> None:
    built(modules)
    modules.keep()
    (modules.kept / "tmp1-part").write_bytes((modules.kept / NAME).read_bytes())
    later = another_run(modules, tmp_path)
    later.take()
    assert [path.name for path in later.built.iterdir()] == [NAME]


def test_a_directory_that_inherits_its_group_is_used(modules: BuiltModules) -> None:
    project = modules.kept.parents[2]
    project.chmod(0o2755)
    built(modules)
    modules.keep()
    assert (modules.kept / NAME).exists()


def test_nothing_is_kept_in_a_project_of_another_user(modules: BuiltModules, monkeypatch: pytest.MonkeyPatch) -> None:
    built(modules)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    modules.keep()
    assert not modules.kept.parent.exists()


@pytest.mark.parametrize("damage", [b"", b"zi", b"another"])
def test_a_file_that_is_not_whole_is_not_taken(modules: BuiltModules, tmp_path: Path, damage: bytes) -> None:
    built(modules)
    modules.keep()
    path = modules.kept / NAME
    path.write_bytes(path.read_bytes()[:32] + damage)
    later = another_run(modules, tmp_path)
    later.take()
    assert not list(later.built.iterdir())


@pytest.mark.parametrize("which", ["kept", "parent"])
@pytest.mark.parametrize("mode", [0o755, 0o770, 0o702])
def test_a_directory_that_others_may_open_is_neither_read_nor_written(
    modules: BuiltModules, tmp_path: Path, which: str, mode: int
) -> None:
    built(modules)
    modules.keep()
    directory = modules.kept if which == "kept" else modules.kept.parent
    directory.chmod(mode)
    later = another_run(modules, tmp_path)
    later.take()
    assert not later.built.exists()
    built(modules, "ansible.modules.copy-ZIP_DEFLATED-none")
    modules.keep()
    assert [path.name for path in modules.kept.iterdir()] == [NAME]


def test_a_link_to_a_directory_is_not_used(modules: BuiltModules, tmp_path: Path) -> None:
    built(modules)
    modules.keep()
    modules.kept.rename(tmp_path / "elsewhere")
    modules.kept.symlink_to(tmp_path / "elsewhere")
    later = another_run(modules, tmp_path)
    later.take()
    assert not later.built.exists()


def test_sets_of_older_versions_are_removed(modules: BuiltModules) -> None:
    for number in range(MOST + 2):
        older = modules.kept.parent / f"older{number}"
        older.mkdir(parents=True, mode=0o700)
        os.utime(older, (number, number))
    modules.kept.parent.chmod(0o700)
    built(modules)
    modules.keep()
    names = {path.name for path in modules.kept.parent.iterdir()}
    assert names == {"digest", *(f"older{number}" for number in range(3, MOST + 2))}


def test_the_digest_has_each_file_with_its_path_and_content(tmp_path: Path) -> None:
    def found() -> str:
        return digest([str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "one")])[0]

    for place in ("one", "two"):
        (tmp_path / place / "inner").mkdir(parents=True)
    (tmp_path / "one/inner/a.py").write_text("a = 1")
    seen = [found()]
    (tmp_path / "one/inner/a.py").write_text("a = 2")
    seen.append(found())
    (tmp_path / "one/inner/a.py").rename(tmp_path / "one/inner/b.py")
    seen.append(found())
    (tmp_path / "one/inner/b.py").rename(tmp_path / "two/inner/b.py")
    seen.append(found())
    (tmp_path / "one/text.md").write_text("no code")
    assert len(set(seen)) == len(seen)
    assert found() == seen[-1]


def test_the_digest_of_the_project_depends_on_the_order_of_the_places(tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        (tmp_path / place / f"{place}.py").write_text(place)
    both = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert digest(both)[0] != digest(reversed(both))[0]
    assert digest(both)[1] == {hashlib.sha256(name.encode()).digest() for name in ("one", "two")}
    assert of_project(tmp_path).kept.parent == tmp_path / ".cache/modules"


def played(tmp_path: Path, text: str) -> str:
    """Run a playbook whose module returns `text`. Return what Ansible prints, with its own account of modules."""
    (tmp_path / "library").mkdir(exist_ok=True)
    (tmp_path / "library/kafka_said.py").write_text(MODULE.format(text=text))
    (tmp_path / "callback_plugins").mkdir(exist_ok=True)
    callback = CALLBACK.format(utils=str(ROOT / "module_utils"), root=str(tmp_path))
    (tmp_path / "callback_plugins/kept.py").write_text(callback)
    (tmp_path / "play.yml").write_text(PLAY)
    given = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    done = subprocess.run(
        [
            ROOT / ".venv/bin/ansible-playbook",
            "-i",
            "localhost,",
            "-c",
            "local",
            "-e",
            f"ansible_python_interpreter={sys.executable}",
            "play.yml",
        ],
        cwd=tmp_path,
        env={**given, "NO_COLOR": "1", "ANSIBLE_DEBUG": "1", "ANSIBLE_MODULE_UTILS": str(ROOT / "module_utils")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"it is {text}" in done.stdout, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_ansible_builds_a_module_once_and_again_after_each_change_of_its_code(tmp_path: Path) -> None:
    assert "ANSIBALLZ: Creating module" in played(tmp_path, "old")
    second = played(tmp_path, "old")
    assert "ANSIBALLZ: using cached module" in second
    assert "ANSIBALLZ: Creating module" not in second
    assert "ANSIBALLZ: Creating module" in played(tmp_path, "new")
