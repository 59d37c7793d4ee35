"""boto3's clients with retries, and AWS's refusals as errors that say what to change."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.errors import KraftError, ToolError

#: Throttled calls are repeated with growing, random pauses (botocore's own standard mode).
TRIES = 10
#: Error code of AWS -> what to do.
ADVICE = {
    "AuthFailure": "these credentials are not accepted: renew them, and look at the machine's clock",
    "UnauthorizedOperation": "docs/iam-policy.json is what the user or role needs",
    "AccessDenied": "docs/iam-policy.json is what the user or role needs",
    "AccessDeniedException": "docs/iam-policy.json is what the user or role needs",
    "ExpiredToken": "the session is over: log in again",
    "RequestExpired": "the session is over, or this machine's clock is wrong",
    "InvalidClientTokenId": "these credentials are not accepted: renew them",
    "OptInRequired": "the region is not enabled for this account: enable it, or change kafka_ec2_region",
    "InsufficientInstanceCapacity": (
        "the zone has no such machine left now: run again later, or change kafka_ec2_zone or kafka_ec2_instance_type"
    ),
    "VcpuLimitExceeded": "the quota of vCPUs is used up: ask for more, or use a smaller kafka_ec2_instance_type",
    "InstanceLimitExceeded": "the account's quota of instances is used up: ask for more, or terminate others",
    "Unsupported": "the zone does not have this kafka_ec2_instance_type: choose another zone or type",
    "InvalidParameterCombination": "kafka_ec2_ami and kafka_ec2_instance_type must be of one architecture",
    "VolumeLimitExceeded": "the account's quota of volumes is used up: ask for more",
    "MaxIOPSLimitExceeded": "the account's quota of IOPS is used up: ask for more, or lower iops in kafka_ec2_volumes",
    "AddressLimitExceeded": "the quota of Elastic IPs is used up: ask for more, or change kafka_ec2_public_addresses",
    "VpcLimitExceeded": "the account's quota of VPCs is used up: ask for more, or give kafka_ec2_vpc_id",
    "RulesPerSecurityGroupLimitExceeded": "fewer sources, or groups in place of CIDRs, in kafka_ec2_client_sources",
    "InvalidIPAddress.InUse": "another machine has this address: change kafka_ec2_private_ip",
    "InsufficientFreeAddressesInSubnet": "the subnet is full: give another in kafka_ec2_subnet_ids",
    "DependencyViolation": "something that is not this cluster's still uses it: remove that, then run this again",
    "OperationNotPermitted": "the machine is protected: run playbooks/destroy_ec2.yml, which says what it needs",
    "VolumeModificationRateExceeded": "a volume can be changed again six hours after the last change: run again then",
    "IncorrectModificationState": "the volume is still being changed: run again when that is done",
    "RequestLimitExceeded": "AWS asks for fewer calls: run again in some minutes",
}
NO_CREDENTIALS = (
    "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in (aws sso login) and run this again"
)


class AccountError(KraftError):
    """AWS refused, or could not be asked; says what to change."""


def advised(text: str) -> str:
    """A module's message that holds an error code of AWS, with what to do."""
    found = [code for code in ADVICE if f"({code})" in text]
    if not found and ("credentials" in text.lower() or "NoCredentials" in text):
        return f"{text} -> {NO_CREDENTIALS}"
    return f"{text} -> {ADVICE[found[0]]}" if found else text


def refusal(result: Mapping[str, Any], task: str) -> str:
    """What a failed task of amazon.aws said, each word once, with what to do. `task`: its name."""
    each = [result, *(one for one in result.get("results") or [] if one.get("failed"))]
    said = [str(one["msg"]) for one in each if one.get("msg") and "One or more items failed" not in str(one["msg"])]
    texts = list(dict.fromkeys(advised(text.strip()) for text in said)) or ["no reason was given; -vvv shows more"]
    return texts[0] if "->" in texts[0] or "othing was changed" in texts[0] else f"{task}: {'; '.join(texts)}"


@functools.lru_cache(maxsize=1)
def _boto() -> Any:
    """boto3 and botocore, or what to do without them."""
    try:
        import boto3  # noqa: PLC0415
        import botocore.config  # noqa: PLC0415
        import botocore.exceptions  # noqa: PLC0415
    except ImportError as error:
        raise ToolError(f"{error}: boto3 is needed where Ansible runs; `make setup` installs it") from None
    return boto3, botocore


def client(service: str, region: str) -> Any:
    """A client of boto3 for a region; credentials and address come from AWS's own variables and files."""
    boto3, botocore = _boto()
    config = botocore.config.Config(retries={"mode": "standard", "max_attempts": TRIES}, max_pool_connections=16)
    return boto3.client(service, region_name=region, config=config)


def explained(error: Exception, region: str) -> AccountError:
    """An error of botocore in our words; anything else is raised again."""
    _, botocore = _boto()
    named = botocore.exceptions
    if isinstance(error, (named.NoCredentialsError, named.PartialCredentialsError, named.ProfileNotFound)):
        return AccountError(f"AWS: {error} -> {NO_CREDENTIALS}")
    if isinstance(error, named.ClientError):
        return AccountError(advised(f"AWS in {region}: {error}"))
    if isinstance(error, named.EndpointConnectionError):
        return AccountError(f"{error} -> kafka_ec2_region {region} does not exist, or this machine has no way to AWS")
    if isinstance(error, named.BotoCoreError):
        return AccountError(f"AWS in {region}: {error}")
    raise error
