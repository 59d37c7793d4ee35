"""One import name for the core, in tests as at run time: ``ansible.module_utils.kraft``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import ansible.module_utils
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
DRIVERS = [str(ROOT / f"molecule/{name}") for name in ("shared", "interrupted", "refusals")]
sys.path[:0] = [str(ROOT), str(ROOT / "library"), *DRIVERS]
sys.path.append(str(ROOT / "molecule/watched"))

from tests.wording_files import Wording  # noqa: E402 - by the path above

# Tables are as wide as the terminal: tests see one width.
os.environ["COLUMNS"] = "120"
# A busy machine makes an example slow, not wrong.
settings.register_profile("kraft", deadline=None)
settings.load_profile("kraft")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-wording", action="store_true", help="write the files of tests/wording again")


@pytest.fixture
def wording(request: pytest.FixtureRequest) -> Wording:
    """Compares sentences with those of this test in the wording file of its module."""
    return Wording(request.module.__name__, request.node.name, request.config.getoption("--renew-wording"))
