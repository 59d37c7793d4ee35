"""One run at a time makes and changes a cluster's resources on EC2: the lock is a key pair, whose name AWS gives once.

No machine gets this key pair, and its private half is thrown away. Its tags hold the record of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ansible.module_utils.kraft.providers.ec2.account import AccountError, code_of
from ansible.module_utils.kraft.providers.ec2.answers import tags
from ansible.module_utils.kraft.providers.ec2.key_pairs import lock_name
from ansible.module_utils.kraft.providers.ec2.waiting import Aws, NotShownError

Record = Mapping[str, str]  # of a run: its name is ``run``
PREFIX = "kraftwright_lock_"
TAKEN = "InvalidKeyPair.Duplicate"
TRIES = 3


def acquire(aws: Aws, cluster: str, own_tags: Mapping[str, str], ours: Record, break_run: str) -> str | Record:
    """The id of the key pair that is the lock, or who holds it. `break_run`: a dead run whose lock is removed."""
    given = {**own_tags, **{PREFIX + field: value for field, value in ours.items()}}
    listed = [{"Key": key, "Value": value} for key, value in given.items()]
    for _ in range(TRIES):
        try:
            made = aws.client.create_key_pair(
                KeyName=lock_name(cluster),
                KeyType="ed25519",
                TagSpecifications=[{"ResourceType": "key-pair", "Tags": listed}],
            )
            return str(made["KeyPairId"])
        except aws.client.exceptions.ClientError as error:
            if code_of(error) != TAKEN:
                raise
        key_id, holder = _holder(aws, cluster)
        if holder and holder["run"] == ours.get("run"):
            return key_id  # AWS's answer to this run was lost
        if holder and holder["run"] != break_run:
            return holder
        if key_id:
            aws.client.delete_key_pair(KeyPairId=key_id)
    raise AccountError(f"other runs take the lock of {cluster} (key pair {lock_name(cluster)}) -> run this again later")


def _holder(aws: Aws, cluster: str) -> tuple[str, Record | None]:
    """Return (id of the lock, its run); ("", None) if it is gone by now."""
    name, found = lock_name(cluster), list[Any]()

    def is_shown() -> bool:
        """Look until AWS shows the lock: a new one is not shown at once. The name is free again if it has gone."""
        found[:] = aws.client.describe_key_pairs(Filters=[{"Name": "key-name", "Values": [name]}])["KeyPairs"]
        return bool(found)

    try:
        aws.shown(f"key pair {name}, the lock of another run", is_shown, aws.young)
    except NotShownError:
        return "", None
    named = tags(found[0])
    held = {key[len(PREFIX) :]: value for key, value in named.items() if key.startswith(PREFIX)}
    if not held.get("run"):
        remedy = "delete it in AWS if no run needs it"
        raise AccountError(f"key pair {lock_name(cluster)} is the name of a lock, and says no run -> {remedy}")
    return found[0]["KeyPairId"], held


def release(aws: Aws, key_id: str) -> None:
    """Remove our own lock, which AWS may not show yet; another run's has another id."""
    with suppress(NotShownError):
        aws.shown("", lambda: aws.client.delete_key_pair(KeyPairId=key_id) or True, aws.young)
