"""Names and texts of key pairs."""

from __future__ import annotations


def lock_name(cluster: str) -> str:
    """Return the name of the key pair that is a cluster's lock. No cluster's own key has a space in its name."""
    return f"kraftwright lock of {cluster}"


def key_text(public_key: str) -> str:
    """Return type and body of a public key, without its comment."""
    return " ".join(public_key.split()[:2])
