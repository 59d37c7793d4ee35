"""Calls of AWS: docs/iam-policy.json has exactly those of the code; limits are those of botocore."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.providers.ec2 import asked
from botocore import xform_name
from botocore.loaders import Loader

ROOT = Path(__file__).resolve().parents[2]
CODE = [*(ROOT / "module_utils/kraft/providers/ec2").glob("*.py"), *(ROOT / "library").glob("kafka_*ec2*.py")]
CODE.append(ROOT / "library/kafka_security_group_exposure_info.py")
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
    names = set().union(*map(named, CODE))
    calls = {
        f"{service}:{operation}"
        for service, known in (("ec2", EC2), ("ssm", model("ssm")))
        for operation in known["operations"]
        if xform_name(operation) in names
    }
    assert calls == {action for each in STATEMENTS for action in each["Action"]}


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
