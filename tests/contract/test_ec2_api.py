"""Calls of AWS: docs/iam-policy.json has exactly those of the code; limits are those of botocore."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import boto3
from ansible.module_utils.kraft.providers.ec2 import asked
from botocore import xform_name
from botocore.loaders import Loader

ROOT = Path(__file__).resolve().parents[2]
CODE = [*(ROOT / "module_utils/kraft/providers/ec2").glob("*.py"), *(ROOT / "library").glob("kafka_*ec2*.py")]
STATEMENTS = json.loads((ROOT / "docs/iam-policy.json").read_text())["Statement"]


def model(service: str) -> dict[str, Any]:
    found: dict[str, Any] = Loader().load_service_model(service, "service-2")
    return found


EC2 = model("ec2")


def named(path: Path) -> set[str]:
    """Attributes and texts of a file: what is called, and what is called by its name."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    attributes = {each.attr for each in nodes if isinstance(each, ast.Attribute)}
    return attributes | {each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def test_each_call_is_in_the_policy_and_each_permission_is_used() -> None:
    names = set().union(*(named(each) for each in CODE if each.name != OF_KEYS))
    calls = {
        f"{service}:{operation}"
        for service, known in (("ec2", EC2), ("ssm", model("ssm")))
        for operation in known["operations"]
        if xform_name(operation) in names
    }
    assert calls == {action for each in STATEMENTS for action in each["Action"]}


#: The readers of pages, and calls that AWS has no pages for.
READERS = {"pages", "listed"}
WHOLE = {
    "describe_account_attributes",
    "describe_addresses",
    "describe_images",
    "describe_instance_attribute",
    "describe_key",
    "describe_key_pairs",
}
#: Queried only if disks name a key of KMS; docs/ec2.md has the permissions on that key.
OF_KEYS = "kms.py"


def describing(path: Path) -> list[tuple[str, str, set[str]]]:
    """(function that is called, the describing call, its arguments) of a file."""
    found = []
    for each in ast.walk(ast.parse(path.read_text())):
        if isinstance(each, ast.Call):
            called = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
            texts = [str(one.value) for one in each.args if isinstance(one, ast.Constant)]
            name = next((one for one in (called, *texts) if one.startswith("describe_")), "")
            found += [(called, name, {str(one.arg) for one in each.keywords})] if name else []
    return found


def test_each_describing_call_reads_all_pages_or_is_bounded_by_ids() -> None:
    calls = [each for path in CODE for each in describing(path)]
    assert len(calls) > 20
    unbounded = [
        (called, name)
        for called, name, given in calls
        if called not in READERS and name not in WHOLE and not any(each.endswith("Ids") for each in given)
    ]
    assert unbounded == []


def test_calls_that_are_read_whole_have_no_pages() -> None:
    client = boto3.client("ec2", region_name="eu-central-1", aws_access_key_id="a", aws_secret_access_key="b")  # noqa: S106
    assert {each for each in WHOLE - {"describe_key"} if client.can_paginate(each)} <= {
        "describe_images"
    }  # always by its id
    assert all("ImageIds" in given for path in CODE for _, name, given in describing(path) if name == "describe_images")


def test_tags_are_allowed_in_each_call_that_makes_something() -> None:
    making = next(set(each["Action"]) for each in STATEMENTS if each["Sid"] == "Make")
    tagging = next(each["Condition"]["StringEquals"] for each in STATEMENTS if each["Sid"] == "TagWhatIsMade")
    assert {f"ec2:{each}" for each in tagging["ec2:CreateAction"]} == making


def test_limits_of_gp3_are_those_that_aws_documents() -> None:
    members = EC2["shapes"]["CreateVolumeRequest"]["members"]
    numbers = {}
    for name, kind in (("Size", "gp3: "), ("Iops", "gp3: "), ("Throughput", "Range: ")):
        text = re.sub(r"<[^>]+>|,", "", members[name]["documentation"])
        found = re.search(kind + r"(\d+)\D+(\d+)", text)
        assert found, text
        numbers[name] = (int(found[1]), int(found[2]))
    assert numbers == {"Size": (1, asked.LARGEST_VOLUME), "Iops": asked.IOPS, "Throughput": asked.THROUGHPUT}


def test_the_limit_of_user_data_is_that_of_aws() -> None:
    text = EC2["shapes"]["RequestLaunchTemplateData"]["members"]["UserData"]["documentation"]
    found = re.search(r"User data is limited to (\d+) KB", text)
    assert found, text
    assert int(found[1]) * 1024 == asked.LONGEST_USER_DATA
