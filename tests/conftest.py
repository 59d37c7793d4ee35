"""One import name for the core, in tests as at run time: ``ansible.module_utils.kraft``."""

from __future__ import annotations

import sys
from pathlib import Path

import ansible.module_utils
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
sys.path[:0] = [str(ROOT), str(ROOT / "library"), str(ROOT / "molecule/shared"), str(ROOT / "molecule/interrupted")]

# A busy machine makes an example slow, not wrong.
settings.register_profile("kraft", deadline=None)
settings.load_profile("kraft")
