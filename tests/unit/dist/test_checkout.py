"""A bundle and the collection are made of the files that git lists; without git's list nothing is made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dist import __main__ as dist
from dist import checkout, whole
from dist.locks import LockError


def git(place: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=place, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a checkout with files in two places, and an untracked one."""
    for name in ("roles/one.yml", "roles/two.yml", "docs/\u00e4.md", "unknown"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    git(tmp_path, "init")
    git(tmp_path, "add", "roles", "docs")
    return tmp_path


def test_the_tracked_files_that_are_there_are_listed(tree: Path) -> None:
    (tree / "roles/two.yml").unlink()
    assert checkout.tracked(tree) == ["docs/\u00e4.md", "roles/one.yml"]
    assert checkout.tracked(tree, "roles") == ["roles/one.yml"]


@pytest.mark.parametrize("inside", [True, False])
def test_an_unpacked_bundle_is_refused_also_inside_the_checkout_of_another_project(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, inside: bool
) -> None:
    place = tree / "kraftwright" if inside else tmp_path_factory.mktemp("unpacked")
    (place / "roles").mkdir(parents=True)
    (place / "roles/one.yml").touch()
    with pytest.raises(LockError, match="is no checkout with git, such as an unpacked bundle"):
        checkout.tracked(place)


@pytest.mark.parametrize("verb", ["collection", "bundle"])
def test_what_git_says_is_shown_and_nothing_is_made(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1"\ndescription = "x"\n')
    monkeypatch.setattr(dist, "ROOT", tmp_path)
    monkeypatch.setattr(dist, "CACHE", tmp_path / ".cache")
    assert dist.main([verb]) == 1
    assert "not a git repository" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / ".cache").iterdir()] == [whole.LOCK]
