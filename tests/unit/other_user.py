"""Files of another user than the one that runs the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

NOBODY = 65534


def give_away(path: Path) -> None:
    """To a user that a service could have; only root can."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, NOBODY, NOBODY)
