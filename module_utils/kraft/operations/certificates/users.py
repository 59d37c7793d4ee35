"""Certificates of users: key and certificate are stored beside the authority, on the control machine."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.node.certificate import CERTIFICATE, CLIENTS
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.operations.certificates import renewal
from ansible.module_utils.kraft.spec.resources.users import ABSENT, has_certificate, user_certificate
from cryptography import x509
from cryptography.hazmat.primitives import serialization


@dataclasses.dataclass(frozen=True)
class Step:
    """Step for one user's file. ``reason``: why a certificate is issued; empty if the file is removed."""

    user: authority.User
    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.user.name} {self.reason}" if self.reason else f"{self.user.name}: remove the certificate"


def steps(directory: Path, cluster: str, users: list[Mapping[str, Any]], renew_before_days: int) -> Iterator[Step]:
    """Yield steps for those of `users` (``kafka_users``) with a missing, wrong, due or unwanted certificate."""
    trust, now = authority.certificates(directory), datetime.datetime.now(datetime.timezone.utc)
    for user in users:
        path = Path(user_certificate(str(directory), user["name"]))
        who = authority.User(str(user["name"]), cluster)
        if user.get("state") == ABSENT or not has_certificate(user):
            if path.exists():
                yield Step(who, path, "")
            continue
        desired = renewal.Desired(who.subject, (), renew_before_days, trust, CLIENTS)
        reasons = renewal.reasons(desired, _current(path), now)
        if reasons:
            yield Step(who, path, " and ".join(map(str, reasons)))


def _current(path: Path) -> renewal.Current:
    text = path.read_text() if path.is_file() else ""
    found = CERTIFICATE.search(text)
    return renewal.Current(found.group(0), _key_fits(text)) if found else renewal.Current()


def _key_fits(text: str) -> bool:
    try:
        key = serialization.load_pem_private_key(text.encode(), None)
        certificate = x509.load_pem_x509_certificate(text.encode())
    except (ValueError, TypeError):
        return False
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return key.public_key().public_bytes(*form) == certificate.public_key().public_bytes(*form)


def carry_out(place: authority.Place, step: Step, days: int) -> None:
    """Issue the certificate, or remove it; a file is written in one step."""
    if not step.reason:
        step.path.unlink()
        return
    step.path.parent.mkdir(mode=0o700, exist_ok=True)
    text = authority.issue_to_user(place, step.user, days)
    file_io.write_file(str(step.path), text.encode(), os.geteuid(), os.getegid(), 0o600)
