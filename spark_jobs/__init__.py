"""The Spark smoke test: write, read back, account for every record, report."""

from pathlib import Path

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[1] / "module_utils"))
