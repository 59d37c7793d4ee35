"""The digest of a file's secrets: another for another secret, the same for another anything else."""

from __future__ import annotations

from ansible.module_utils.kraft.node.files.plan import FILE, Change, Current, Desired
from ansible.module_utils.kraft.node.files.secret_digest import secret_digest, secret_digests

TEXT = "num.io.threads=8\nssl.keystore.password=c4n4ry\n"


def test_digest_follows_the_secret_and_nothing_else() -> None:
    digest = secret_digest(TEXT, "salt")
    assert digest == secret_digest(TEXT.replace("=8", "=9"), "salt")
    assert digest != secret_digest(TEXT.replace("c4n4ry", "other"), "salt")
    assert digest != secret_digest(TEXT, "pepper")
    assert "c4n4ry" not in digest


def test_digest_follows_every_line_of_a_private_key_and_the_whole_of_a_sensitive_file() -> None:
    key = "a: 1\n-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\nb: 1\n"
    digest = secret_digest(key, "salt")
    assert digest == secret_digest(key.replace("b: 1", "b: 2"), "salt")
    assert digest != secret_digest(key.replace("MIIEvQ", "MIIEvR"), "salt")
    plain = Change(Desired("/key", FILE, content=b"c4n4ry", sensitive=True), Current(), ("create",))
    assert secret_digests([plain], "salt") == {"/key": secret_digest("c4n4ry", "salt", whole=True)}


def test_text_without_a_secret_has_none() -> None:
    assert secret_digest("num.io.threads=8\n", "salt") == ""


def test_only_changed_contents_are_digested() -> None:
    wanted = {name: Desired(name, FILE, content=TEXT.encode()) for name in ("/new", "/mode", "/edited")}
    reasons = {"/new": ("create",), "/mode": ("mode",), "/edited": ("content", "mode")}
    changes = [Change(wanted[name], Current(), why) for name, why in reasons.items()]
    plain = Change(Desired("/plain", FILE, content=b"a=1\n"), Current(), ("create",))
    assert secret_digests([*changes, plain], "salt") == dict.fromkeys(["/new", "/edited"], secret_digest(TEXT, "salt"))
