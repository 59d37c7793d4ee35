"""Check whether a secret is readable in the inventory, by Ansible's record of each value's origin."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ansible.parsing.vault import EncryptedString

VAULT = b"$ANSIBLE_VAULT"


def tags(value: Any) -> Any:
    """Return Ansible's record of a value's origin."""
    return getattr(value, "_ansible_tags_mapping", {}).values()


def is_readable(value: Any) -> bool:
    """Check that a value is unprotected in a file of the inventory: not encrypted, not looked up, not empty."""
    if not isinstance(value, str) or isinstance(value, EncryptedString) or not value or "{{" in value or "${" in value:
        return False
    sources = [path for tag in tags(value) if (path := getattr(tag, "path", None))]
    return any(not starts_with_vault(path) for path in sources)


@lru_cache(maxsize=64)
def starts_with_vault(path: str) -> bool:
    """Check that a file is encrypted as a whole, or cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(len(VAULT)) == VAULT
    except OSError:
        return True
