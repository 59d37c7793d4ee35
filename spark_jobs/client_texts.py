"""Certificates and keys as texts in the options of Kafka's client: executors do not have the files of this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.client_config import PEM, ClientConfig

from spark_jobs.errors import UsageError

KEY = re.compile(r"-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----.*?-----END (?:ENCRYPTED )?PRIVATE KEY-----", re.DOTALL)
CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


def read(path: str) -> str:
    """Return the text of a file. UsageError if it cannot be read."""
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError([f"{path}: cannot be read ({error}): name a PEM file in the client's options"]) from None


def with_texts(config: ClientConfig, read_file: Callable[[str], str] = read) -> ClientConfig:
    """Return the same client with the texts of its PEM files. PKCS#12 has no text, so that stays a file."""
    texts: dict[str, Any] = {}
    if config.ca_file and not config.ca_pem:
        texts["ca_pem"] = read_file(config.ca_file)
    if config.keystore_file and config.keystore_type == PEM and not config.key_pem:
        content = read_file(config.keystore_file)
        key = KEY.search(content)
        if key is None:
            raise UsageError([f"{config.keystore_file}: has no PKCS#8 key (BEGIN PRIVATE KEY), which Java needs"])
        texts |= {"key_pem": key[0], "certificate_pem": "\n".join(CERTIFICATE.findall(content))}
    return replace(config, **texts)
