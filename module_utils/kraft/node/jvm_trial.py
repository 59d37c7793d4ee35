"""Test that the JVM starts with the options of the inventory: one ``java -version`` as a user without rights.

Nothing of Kafka is loaded, no file is written and no port opened: what does so is left out before
(``spec/desired/jvm.py``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.service.unit_state import Run

NOBODY = "65534"
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs")
#: A heap that takes no memory from what runs on the host; the last value counts.
SMALL = ("-Xms8m", "-Xmx64m", "-XX:-AlwaysPreTouch")
SECONDS = "30"
REFUSED = ("Could not create the Java Virtual Machine", "Error occurred during initialization of VM")
#: Not the options' fault.
MEMORY = re.compile(r"reserve enough space|allocate memory|insufficient memory", re.IGNORECASE)


def refusal(run: Run, java: str, options: Sequence[str], file: str) -> str:
    """Return Java's message if it does not start with `options`; empty if it starts, or if this is unknown.

    `file`: the node's ``jvm.options``. If it has all of them already, Java is not started.
    """
    if not options or not os.access(java, os.X_OK) or has_all(file, options):
        return ""
    code, *texts = run(["timeout", SECONDS, *AS_NOBODY, java, *options, *SMALL, "-version"])
    said = "\n".join(texts)  # the JVM itself writes to the one, its launcher to the other
    if code == 0 or not any(one in said for one in REFUSED) or MEMORY.search(said):
        return ""
    lines = [line.removeprefix("Error: ").strip() for line in said.splitlines() if line.strip()]
    reasons = [line for line in lines if not any(one in f"Error: {line}" for one in REFUSED)]
    return next((line for line in reasons if not line.startswith("A fatal")), "no reason given")


def has_all(file: str, options: Sequence[str]) -> bool:
    if file_io.lstat(file) is None:
        return False
    known = file_io.read(file).decode("utf-8", "replace").splitlines()
    return all(option in known or f'"{option}"' in known for option in options)
