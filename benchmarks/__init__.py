"""Measurements of the project's speed goals, on hosts that they create, each compared with a floor."""

from pathlib import Path

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[1] / "module_utils"))
