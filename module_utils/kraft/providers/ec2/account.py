"""boto3's clients with retries, and AWS's refusals as errors with remedies."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.errors import KraftError, ToolError
from ansible.module_utils.kraft.providers.ec2.refusal_remedies import LOCAL, NO_CREDENTIALS, advice_for, of_reason

#: Throttled calls are repeated with growing, random pauses (botocore's own standard mode).
TRIES = 10
SILENT_TRIES = 3  # of a call without an answer, READ seconds each
LAUNCH_TRIES = 4  # AWS reports "no capacity" with status 500, which botocore repeats
CONNECT, READ = 5, 30  # seconds
CALL = re.compile(r"\((?P<code>[\w.]+)\) when calling the (?P<operation>\w+) operation")


class AccountError(KraftError):
    """AWS refused, or was unreachable; the message has the remedy."""


def code_of(error: Any) -> str:
    """Return AWS's code of a ClientError."""
    return str(error.response.get("Error", {}).get("Code", ""))


def advised(text: str) -> str:
    """Return a message with an AWS error code, extended by the remedy for that code in that call."""
    found = CALL.search(text)
    advice = advice_for(found["code"], found["operation"], text) if found else of_reason(text)
    if not advice and ("credentials" in text.lower() or "NoCredentials" in text):
        advice = NO_CREDENTIALS
    return f"{text} -> {advice}" if advice and f"-> {advice}" not in text else text


def refusal(result: Mapping[str, Any], task: str) -> str:
    """Return a failed task's message, without repetitions, with the remedy. `task`: its name."""
    each = [result, *(one for one in result.get("results") or [] if one.get("failed"))]
    said = [str(one["msg"]) for one in each if one.get("msg") and "One or more items failed" not in str(one["msg"])]
    texts = [advised(text.strip()) if "->" not in text else text.strip() for text in said]
    unique = list(dict.fromkeys(texts)) or ["no reason was given; -vvv shows more"]
    return unique[0] if "->" in unique[0] or "othing was changed" in unique[0] else f"{task}: {'; '.join(unique)}"


@functools.lru_cache(maxsize=1)
def _boto() -> Any:
    """Import boto3 and botocore, or raise the remedy."""
    try:
        import boto3  # noqa: PLC0415
        import botocore.config  # noqa: PLC0415
        import botocore.exceptions  # noqa: PLC0415
    except ImportError as error:
        raise ToolError(f"{error}: boto3 is needed where Ansible runs; `make setup` installs it") from None
    return boto3, botocore


def config(tries: int = TRIES, read: float = READ) -> Any:
    """Return botocore's settings: throttled calls are repeated, and no call waits for minutes."""
    return _boto()[1].config.Config(
        retries={"mode": "standard", "total_max_attempts": tries},
        max_pool_connections=16,
        connect_timeout=CONNECT,
        read_timeout=read,
    )


def client(service: str, region: str, tries: int = TRIES, read: float = READ) -> Any:
    """Return a client of boto3 for a region; credentials and address come from AWS's own variables and files.

    `tries`: of a throttled call. A call without an answer has SILENT_TRIES, of `read` seconds each.
    """
    made = _boto()[0].client(service, region_name=region, config=config(tries, read))
    made.meta.events.register_first(f"needs-retry.{service}", _end_silence)
    return made


def _end_silence(attempts: int, caught_exception: Exception | None = None, **_: Any) -> None:
    """Raise the error of a call that got no answer often enough; botocore's own handler counts all errors alike."""
    named = _boto()[1].exceptions
    if attempts >= SILENT_TRIES and isinstance(caught_exception, (named.HTTPClientError, named.ConnectionError)):
        raise caught_exception


def explained(error: Exception, region: str) -> KraftError:
    """Convert an error of botocore to ours; ours are returned unchanged, others are raised again."""
    if isinstance(error, KraftError):
        return error
    _, botocore = _boto()
    named = botocore.exceptions
    if isinstance(error, named.ClientError):
        return AccountError(advised(f"AWS in {region}: {error}"))
    if advice := next((text for name, text in LOCAL.items() if isinstance(error, getattr(named, name, ()))), ""):
        return AccountError(f"AWS in {region}: {error} -> {advice.format(region=region)}")
    if isinstance(error, named.BotoCoreError):
        return AccountError(f"AWS in {region}: {error}")
    raise error
