"""The files of the checkout, as git lists them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from dist.locks import LockError


def tracked(root: Path, *places: str) -> list[str]:
    """Return paths of existing tracked files, below `places` or all. Raises LockError if `root` is no checkout of git.

    In the checkout of another project git lists none of ours, and does not fail.
    """
    command = ["git", "ls-files", "-z", "--", *places]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 - no shell
    except FileNotFoundError:
        raise LockError("git is not installed; it lists the files of the checkout") from None
    paths = [path for path in done.stdout.split("\0") if path and os.path.lexists(root / path)]
    if done.returncode or not paths:
        said = done.stderr.strip() or "git knows none of its files"
        raise LockError(f"{root} is no checkout with git, such as an unpacked bundle: {said}")
    return paths
