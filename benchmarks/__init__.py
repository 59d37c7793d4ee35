"""Measures what the project promises of its speed, on hosts that it makes itself, each time against a floor."""

from pathlib import Path

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[1] / "module_utils"))
