"""Findings of sslscan at a port with TLS that are more than information. Pure except for ``scan``."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

CLEAN = "clean"
VERSIONS = ("1.2", "1.3")  #: of TLS
STRENGTHS = ("strong", "acceptable")  #: of ciphers; the others are weak, null, anonymous and the like
AEAD = re.compile(r"GCM|POLY1305|CCM")  #: in names of ciphers
LEAST_BITS = 112
LEAST_RSA_BITS = 2048


def scan(address: tuple[str, int], shown: Path | None = None) -> str:
    """Return ``clean``, or all findings of sslscan there; `shown`: a file with certificate and key for it."""
    certificate = [f"--certs={shown}", f"--pk={shown}"] if shown else []
    command = ["sslscan", "--no-colour", "--xml=-", *certificate, f"{address[0]}:{address[1]}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603 - a list
    return "; ".join(findings(done.stdout)) or CLEAN


def findings(text: str) -> Iterator[str]:
    """Yield findings of sslscan's XML (2.0); an empty scan is one of them."""
    found = ElementTree.fromstring(text)  # noqa: S314 - of a tool that we started
    ciphers = found.findall(".//cipher")
    if not ciphers:
        yield "no cipher was accepted"
    for each in found.findall(".//protocol[@enabled='1']"):
        if each.get("type") != "tls" or each.get("version") not in VERSIONS:
            yield f"{each.get('type')} {each.get('version')} is enabled"
    for each in ciphers:
        if each.get("strength") not in STRENGTHS or int(each.get("bits", 0)) < LEAST_BITS:
            yield f"{each.get('cipher')} is {each.get('strength')}, with {each.get('bits')} bits"
        if not AEAD.search(each.get("cipher", "")):
            yield f"{each.get('cipher')} encrypts without authentication"
    for each in found.findall(".//group"):
        if int(each.get("bits", 0)) < LEAST_BITS:
            yield f"the group {each.get('name')} has {each.get('bits')} bits"
    flaws = {"heartbleed": ("vulnerable", "1"), "compression": ("supported", "1")}
    yield from (name for name, (key, bad) in flaws.items() if found.find(f".//{name}[@{key}='{bad}']") is not None)
    if found.find(".//renegotiation[@supported='1'][@secure='0']") is not None:
        yield "insecure renegotiation"
    yield from _of_certificates(found)


def _of_certificates(found: ElementTree.Element) -> Iterator[str]:
    if not found.findall(".//certificate"):
        yield "no certificate was seen"
    for each in found.findall(".//certificate"):
        algorithm = each.findtext("signature-algorithm", "")
        if any(weak in algorithm.lower() for weak in ("md5", "sha1")):
            yield f"the certificate is signed with {algorithm}"
        if each.findtext("expired") == "true" or each.findtext("self-signed") == "true":
            yield "the certificate is expired or signed by itself"
        key = each.find("pk")
        if (
            key is None
            or key.get("error") == "true"
            or (key.get("type") == "RSA" and int(key.get("bits", 0)) < LEAST_RSA_BITS)
        ):
            yield "the key is weak"
