"""Digest of the secrets in a file: equal for equal secrets, and useless for finding them.

scrypt (RFC 7914) makes each guess cost about 50 ms and 16 MB. The salt makes guesses for one cluster useless for
another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ansible.module_utils.kraft.node.files.plan import Change, has_settings
from ansible.module_utils.kraft.secret_values import shown_text

COST = {"n": 2**14, "r": 8, "p": 1}


def secret_digest(text: str, salt: str, whole: bool = False, settings: bool = False) -> str:
    """Return the digest of the lines that hold secrets, in order, as hexadecimal digits; empty without any.

    `whole`: the text is one secret. `settings`: it holds a node's settings.
    """
    pairs = zip(text.splitlines(), shown_text(text, settings).splitlines())
    secret = text if whole else "\n".join(line for line, public in pairs if line != public)
    return hashlib.scrypt(secret.encode(), salt=salt.encode(), dklen=16, **COST).hex() if secret else ""


def secret_digests(changes: Iterable[Change], salt: str) -> dict[str, str]:
    """Return path -> digest of every file that holds secrets and whose content changes."""
    files = [one.wanted for one in changes if {"create", "content"} & set(one.why)]
    digests = {
        one.path: secret_digest(one.content.decode("utf-8", "replace"), salt, one.sensitive, has_settings(one.path))
        for one in files
    }
    return {path: digest for path, digest in digests.items() if digest}
