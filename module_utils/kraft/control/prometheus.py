"""Queries to an existing Prometheus from the control machine."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import KraftError

TIMEOUT = 5.0  #: seconds for a connection, and for each part of an answer
MOST = 16 * 1024 * 1024  #: bytes of an answer
Ask = Callable[[str, Mapping[str, str]], Any]


class SilentError(KraftError):
    """Prometheus does not answer, or the answer is not Prometheus's; the text describes it."""


def asking(url: str) -> Ask:
    """Return ``ask(path, parameters)``, which returns the answer's ``data`` and raises ``SilentError``."""

    def query(path: str, parameters: Mapping[str, str]) -> Any:
        whole = f"{url.rstrip('/')}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(whole, timeout=TIMEOUT) as answer:  # noqa: S310 - a rule allows only http and https
                return json.loads(answer.read(MOST))["data"]
        except urllib.error.HTTPError as error:
            raise SilentError(f"it answers with {error.code} {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise SilentError(str(getattr(error, "reason", error) or type(error).__name__)) from error
        except (ValueError, KeyError, TypeError) as error:
            raise SilentError("its answer is not that of Prometheus") from error

    return query
