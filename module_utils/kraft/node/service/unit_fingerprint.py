"""The unit's fingerprint: it identifies the text of the unit that a running process was started with.

systemd keeps the unit that it has loaded, not the one on disk, so the file alone proves nothing. The rendered text's
sha256 is put into the unit as an environment variable; it can be read back from the running process.
"""

from __future__ import annotations

import hashlib

from ansible.module_utils.kraft.node.service.unit_state import FINGERPRINT_VARIABLE

LINE_START = f"Environment={FINGERPRINT_VARIABLE}="
SECTION = "[Service]\n"


def without_fingerprint(text: str) -> str:
    """Return the unit's text as it was rendered."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(LINE_START))


def fingerprint(text: str) -> str:
    """Return the sha256 of the unit's text, whether or not the text already carries a fingerprint."""
    return hashlib.sha256(without_fingerprint(text).encode()).hexdigest()


def fingerprinted(text: str) -> str:
    """Return the unit's text with its own fingerprint as the first line of ``[Service]``; idempotent."""
    body = without_fingerprint(text)
    if SECTION not in body:
        raise ValueError("a unit without a [Service] section cannot carry a fingerprint")
    return body.replace(SECTION, f"{SECTION}{LINE_START}{fingerprint(body)}\n", 1)
