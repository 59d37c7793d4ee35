"""Remedy for each refusal of AWS, by its code and, if that matters, by the call or AWS's text. Pure.

Codes: docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html, read in November 2026. A code that is not
in the tables has the remedy of its kind. No remedy ends, deletes, detaches or overwrites anything.
"""

from __future__ import annotations

import re

LATER = "AWS is still busy with it: run again in a minute"
POLICY = (
    "docs/iam-policy.json is what the user or role needs; {operation} is in it. A policy of the organisation (SCP) may"
    " forbid what docs/iam-policy.json allows"
)
WITH_PROFILE = ". kafka_ec2_instance_profile needs iam:PassRole, too"
DECODE = "; the encoded text says which rule refused: aws sts decode-authorization-message --encoded-message TEXT"
RENEW = "these credentials are not accepted: renew them"
AGAIN = "the session has ended: log in again (aws sso login)"
CLOCK = "the session has ended, or the clock of this machine is wrong (chronyc tracking)"
SLOWER = "AWS asks for fewer calls: run again in some minutes"
GONE = "it is gone, or AWS does not show it yet: run again"
FOREIGN = "it belongs to another account, which must share it with this one; or write one of this account"
KEY_OF_KMS = "let this user and EC2 use the key (kms_key of kafka_ec2_volumes): docs/ec2.md lists the actions"
IN_USE = "something that is not this cluster's still uses it: see what, free it, then run this again"
QUOTA = "a quota of the account is used up: ask for more (Service Quotas)"
FAILED = "AWS failed: run again in some minutes"
NO_ANSWER = "AWS does not answer now: run again in some minutes"
NO_CREDENTIALS = (
    "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in (aws sso login) and run this again"
)
#: Code of AWS -> what to do.
ADVICE = {
    "AuthFailure": f"{RENEW}, and compare the clock of this machine",
    "UnauthorizedOperation": POLICY,
    "AccessDenied": POLICY,
    "AccessDeniedException": POLICY,
    "InvalidClientTokenId": RENEW,
    "UnrecognizedClientException": RENEW,
    "MissingAuthenticationToken": RENEW,
    "ExpiredToken": AGAIN,
    "ExpiredTokenException": AGAIN,
    "RequestExpired": CLOCK,
    "SignatureDoesNotMatch": f"{RENEW}, and compare the clock of this machine (chronyc tracking)",
    "OptInRequired": "the account must accept something first: the text of AWS says which terms or which region",
    "PendingVerification": "AWS still verifies this account: run again when its mail has come",
    "Blocked": "AWS has blocked this account: ask AWS Support",
    "InsufficientInstanceCapacity": (
        "the zone has no such machine left now: run again later, or change kafka_ec2_zone or kafka_ec2_instance_type"
    ),
    "InsufficientCapacity": "run again later, or change kafka_ec2_zone or kafka_ec2_instance_type",
    "InsufficientVolumeCapacity": "the zone has no such disk left now: run again later, or change kafka_ec2_zone",
    "InsufficientAddressCapacity": "AWS has no public address left now: run again later",
    "InsufficientFreeAddressesInSubnet": "the subnet is full: give another in kafka_ec2_subnet_ids",
    "VcpuLimitExceeded": "the quota of vCPUs is used up: ask for more, or use a smaller kafka_ec2_instance_type",
    "InstanceLimitExceeded": "the account's quota of instances is used up: ask for more",
    "MaxSpotInstanceCountExceeded": "the quota of spot machines is used up: ask for more",
    "VolumeLimitExceeded": "the account's quota of volumes is used up: ask for more",
    "MaxIOPSLimitExceeded": "the account's quota of IOPS is used up: ask for more, or lower iops in kafka_ec2_volumes",
    "AddressLimitExceeded": "the quota of Elastic IPs is used up: ask for more, or change kafka_ec2_public_addresses",
    "VpcLimitExceeded": "the account's quota of VPCs is used up: ask for more, or give kafka_ec2_vpc_id",
    "SubnetLimitExceeded": "the VPC's quota of subnets is used up: ask for more",
    "InternetGatewayLimitExceeded": "the quota of internet gateways is used up: ask for more, or give kafka_ec2_vpc_id",
    "RouteTableLimitExceeded": "the VPC's quota of route tables is used up: ask for more",
    "SecurityGroupLimitExceeded": "the quota of security groups is used up: ask for more",
    "SecurityGroupsPerInterfaceLimitExceeded": "the machine is in too many groups: list fewer of them",
    "RulesPerSecurityGroupLimitExceeded": (
        "name fewer sources in kafka_ec2_client_sources, a prefix list or a group in place of many networks"
    ),
    "TagLimitExceeded": "a resource has at most 50 tags: name fewer in kafka_ec2_tags",
    "TagPolicyViolation": "a tag policy of the organisation forbids this value: change kafka_ec2_tags",
    "Unsupported": "the zone does not have this kafka_ec2_instance_type: choose another zone or type",
    "UnsupportedOperation": "AWS does not do this with such a machine: its text says why",
    "UnsupportedHibernationConfiguration": "choose another kafka_ec2_instance_type",
    "InvalidParameterCombination": "two values do not fit: the text of AWS names them",
    "InvalidParameterValue": "AWS does not accept this value: its text names it",
    "InvalidAMIID.NotFound": (
        "the image is not in this region, or the account's Allowed AMIs settings hide it: change kafka_ec2_ami"
    ),
    "InvalidSnapshot.NotFound": "the image's snapshot is gone, or not shared with this account: change kafka_ec2_ami",
    "Gateway.NotAttached": (
        "the VPC has no internet gateway, or AWS does not show it yet: Elastic IPs need one. Attach it, then run again"
    ),
    "AttachmentLimitExceeded": (
        "this kafka_ec2_instance_type takes no more disks: name fewer and larger ones in kafka_ec2_volumes"
    ),
    "VolumeModificationSizeLimitExceeded": "the quota of volumes in change is used up: run again later",
    "CustomerKeyHasBeenRevoked": KEY_OF_KMS,
    "InvalidInstanceID": LATER,
    "InvalidPaginationToken": LATER,
    "InvalidNextToken": LATER,
    "InvalidPermission.NotFound": "another run or person changed the group's rules: run again",
    "TooManyRequestsException": SLOWER,
    "EC2ThrottledException": SLOWER,
    "IncompleteSignature": f"{RENEW}; a key must be copied as a whole",
    "InvalidSecurity.RequestHasExpired": CLOCK,
    "InvalidAMIID.Unavailable": "the image cannot be launched any more: change kafka_ec2_ami",
    "InvalidAMIID.Malformed": "write ami-... or ssm:/... in kafka_ec2_ami",
    "InvalidKey.Format": "write the text of an RSA or ED25519 public key in kafka_ec2_public_key",
    "InvalidKeyPair.NotFound": "give an existing key pair in kafka_ec2_key_name, or kafka_ec2_public_key",
    "InvalidKeyPair.Duplicate": "another key pair has this name: change kafka_ec2_key_name",
    "InvalidGroup.NotFound": "a security group named in a source is not in this VPC, or was just made: run again",
    "InvalidGroup.Duplicate": "the VPC has a security group of this name: run again",
    "InvalidGroup.InUse": IN_USE,
    "InvalidPrefixListId.NotFound": "give a prefix list (pl-...) of this region and account",
    "InvalidPermission.Duplicate": LATER,
    "InvalidPlacementGroup.Unknown": "make it (aws ec2 create-placement-group), or correct kafka_ec2_placement_group",
    "InvalidSubnet.Conflict": "another subnet of the VPC has this network: run again",
    "InvalidSubnetID.NotFound": GONE,
    "InvalidVpcID.NotFound": GONE,
    "InvalidInstanceID.NotFound": GONE,
    "InvalidVolume.NotFound": GONE,
    "InvalidAllocationID.NotFound": GONE,
    "InvalidVolume.ZoneMismatch": "a disk and its machine must be in one zone: write the zone of the disk",
    "InvalidIPAddress.InUse": "another machine has this address: change kafka_ec2_private_ip",
    "InvalidKMSKey.InvalidState": f"the key of KMS is disabled: enable it, or {KEY_OF_KMS}",
    "InvalidKmsKey.InvalidState": f"the key of KMS is disabled: enable it, or {KEY_OF_KMS}",
    "KMSKeyNotAccessibleFault": KEY_OF_KMS,
    "RouteAlreadyExists": (
        "the route table has this route, to a target that is gone: see it (aws ec2 describe-route-tables), lead it to"
        " the gateway (aws ec2 replace-route), then run again"
    ),
    "InvalidBlockDeviceMapping": (
        "the root disk does not fit the image: its text says why. Change kafka_ec2_root_volume_size or kafka_ec2_ami"
    ),
    "DependencyViolation": IN_USE,
    "OperationNotPermitted": "AWS does not allow this now: its text says why",
    "IncorrectInstanceState": LATER,
    "IncorrectState": LATER,
    "VolumeInUse": "the volume is attached to another machine: see where: aws ec2 describe-volumes",
    "Resource.AlreadyAssociated": "the address is on another machine: see where, and disassociate it if that is right",
    "VolumeModificationRateExceeded": "a volume can be changed again six hours after the last change: run again then",
    "IncorrectModificationState": "the volume is still being changed: run again when that is done",
    "RequestLimitExceeded": SLOWER,
    "Throttling": SLOWER,
    "ThrottlingException": SLOWER,
    "RequestThrottled": SLOWER,
    "ServiceUnavailable": NO_ANSWER,
    "Unavailable": NO_ANSWER,
    "InternalError": FAILED,
    "InternalFailure": FAILED,
}
#: (code, call) -> what to do, if another call has another cause.
OF_CALL = {
    ("OperationNotPermitted", "TerminateInstances"): (
        "the machine is protected, or a policy protects it: the text of AWS says which. Lift that, then run this again"
    ),
    ("OperationNotPermitted", "AttachVolume"): "the volume is still being changed: run again when that is done",
    ("OperationNotPermitted", "ModifyInstanceAttribute"): "the machine does not allow this change: see its text",
    ("Resource.AlreadyAssociated", "AssociateRouteTable"): (
        "the subnet has another route table: see which, and disassociate it if that is right"
    ),
    ("Resource.AlreadyAssociated", "AttachInternetGateway"): "the gateway is attached to another VPC: see which",
    (
        "InvalidIPAddress.InUse",
        "ReleaseAddress",
    ): "something still uses this address: see what, free it, then run again",
    ("IncorrectState", "AttachVolume"): LATER,
    ("IncorrectState", "ModifyVolume"): "the volume is still being changed: run again when that is done",
    ("DependencyViolation", "DeleteSecurityGroup"): "a machine or another group still uses it: run this again",
    ("InvalidParameterValue", "RunInstances"): (
        "kafka_ec2_ami and kafka_ec2_instance_type must be of one architecture, and values as the text of AWS says"
    ),
    ("InvalidParameterCombination", "RunInstances"): (
        "kafka_ec2_ami, kafka_ec2_instance_type and the zone must fit each other: the text of AWS says which do not"
    ),
    ("InvalidParameterCombination", "CreateVolume"): "iops and throughput must fit the size: see kafka_ec2_volumes",
    ("InvalidParameterValue", "CreateVolume"): "iops and throughput must fit the size: see kafka_ec2_volumes",
    ("InvalidParameterValue", "AttachVolume"): "another disk has this device name: run again",
    ("OptInRequired", "RunInstances"): (
        "accept the terms of this image in AWS Marketplace, or subscribe to it: the text of AWS has the address"
    ),
    ("InvalidGroup.NotFound", "DescribeSecurityGroups"): (
        "a machine is in a security group that is gone, or that only another account sees (shared VPC): see its groups"
    ),
    ("OptInRequired", "DescribeVpcs"): "enable the region for this account, or change kafka_ec2_region",
    ("AuthFailure", "DescribeVpcs"): f"{RENEW}; compare the clock of this machine; is the region enabled?",
}
#: AWS's reason for a machine that ended at launch -> remedy.
OF_REASON = {
    "Client.VolumeLimitExceeded": ADVICE["VolumeLimitExceeded"],
    "Client.InternalError": KEY_OF_KMS,
    "Client.InvalidSnapshot": "the image cannot be launched: change kafka_ec2_ami",
    "Client.UserInitiatedShutdown": "a user or a script of the account ended it: CloudTrail says who",
    "Client.InstanceInitiatedShutdown": "the image shuts itself down: aws ec2 get-console-output shows why",
    "Server.InsufficientInstanceCapacity": ADVICE["InsufficientInstanceCapacity"],
    "Server.InternalError": FAILED,
    "Server.SpotInstanceTermination": "AWS took the machine back: use no spot machines",
    "KMS": KEY_OF_KMS,
}
#: Exceptions of botocore that no answer of AWS causes -> what to do.
LOCAL = {
    "NoCredentialsError": NO_CREDENTIALS,
    "PartialCredentialsError": NO_CREDENTIALS,
    "CredentialRetrievalError": NO_CREDENTIALS,
    "ProfileNotFound": NO_CREDENTIALS,
    "SSOError": "log in again: aws sso login",
    "TokenRetrievalError": "log in again: aws sso login",
    "ProxyConnectionError": "this machine cannot reach its proxy: correct HTTPS_PROXY, or set NO_PROXY",
    "SSLError": "this machine does not trust what answers: set AWS_CA_BUNDLE to the certificates of your proxy",
    "EndpointConnectionError": "kafka_ec2_region {region} does not exist, or this machine has no way to AWS",
    "ConnectTimeoutError": "AWS does not answer: this machine has no way to AWS, or needs HTTPS_PROXY",
    "ReadTimeoutError": "AWS does not answer in time: run again in some minutes",
    "ConnectionClosedError": "the connection to AWS broke: run again",
    "NoRegionError": "set kafka_ec2_region",
    "InvalidRegionError": "{region} is no region: correct kafka_ec2_region",
}


#: Part of a code -> what to do, the first that matches: for codes that no table has.
OF_KIND = (
    (r"Thrott|RequestLimit|TooManyRequests|RateExceeded|BandwidthLimit|UpdateLimit", SLOWER),
    (r"Kms|KMS|Encrypted", KEY_OF_KMS),
    (
        r"Insufficient|Unfulfillable|CapacityExceeded|HostRequirements|InstancesUnavailable",
        ADVICE["InsufficientCapacity"],
    ),
    (r"LimitExceeded|CountExceeded|IOPSLimit|LimitPrice", QUOTA),
    (r"ServerInternal|Internal|Retryable", FAILED),
    (r"Unavailable$|Timeout", NO_ANSWER),
    (r"NotFound|NoFound|\.Unknown$|DoesNotExist", GONE),
    (r"Duplicate|AlreadyExists|AlreadyAssigned|Exists$|AlreadyCovered", "it is there already: run again"),
    (r"InUse|Existing|CannotDelete|NotAttached", IN_USE),
    (r"State|InProgress|Concurrent|Pending|NotOpen|Expired", LATER),
    (r"AccessDenied|Permission|Unauthorized|NotEnabled|Disabled|Inaccessible", POLICY),
    (r"DifferentAccount", FOREIGN),
    (r"Unsupported|NotSupported|NotExportable|NonEBS", ADVICE["UnsupportedOperation"]),
)
#: The rest: mostly values that AWS does not accept.
ELSE = (
    "the text of AWS says what it does not accept: correct that, then run again; a policy (SCP) can be the cause, too"
)
PROFILE = "correct kafka_ec2_instance_profile; a new profile is known a minute after it was made: run again then"
#: AWS's words for something of another account: it answers them with the code for wrong credentials.
NOT_OURS = re.compile(r"ot authorized|ermission|belong|not own")


def advice_for(code: str, operation: str, text: str = "") -> str:
    """Return the remedy for a code in a call. `text`: AWS's message."""
    if code == "AuthFailure" and NOT_OURS.search(text):
        return FOREIGN
    if code == "InvalidParameterValue" and "nstance Profile" in text:
        return PROFILE
    found = OF_CALL.get((code, operation)) or ADVICE.get(code, "")
    found = found or next((advice for part, advice in OF_KIND if re.search(part, code)), ELSE)
    if found is not POLICY:
        return found
    service = "ssm" if operation == "GetParameters" else "ec2"
    more = (WITH_PROFILE if operation == "RunInstances" else "") + (DECODE if "ncoded" in text else "")
    return POLICY.format(operation=f"{service}:{operation}") + more


def of_reason(text: str) -> str:
    """Return the remedy for a machine that ended, by AWS's reason."""
    return next((advice for code, advice in OF_REASON.items() if code in text), "")
