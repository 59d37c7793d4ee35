"""Keys of KMS that disks name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.providers.ec2.account import code_of

NONE, DENIED = "NotFoundException", "AccessDeniedException"


def kms_keys(client: Any, named: Sequence[str]) -> dict[str, str]:
    """Return each named key of KMS -> its ARN; empty if there is no such key that is enabled.

    `client`: of KMS. Keys that this user may not describe are left out.
    """
    found = {}
    for each in named:
        try:
            told = client.describe_key(KeyId=each)["KeyMetadata"]
            found[each] = str(told["Arn"]) if told["Enabled"] else ""
        except client.exceptions.ClientError as error:
            if code_of(error) not in {NONE, DENIED}:
                raise
            if code_of(error) == NONE:
                found[each] = ""
    return found
