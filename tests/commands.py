"""Commands as modules run them."""

from __future__ import annotations

import subprocess


def run(command: list[str], data: str = "") -> tuple[int, str, str]:
    """Return exit code and output, as ``AnsibleModule.run_command`` does."""
    done = subprocess.run(command, input=data, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr
