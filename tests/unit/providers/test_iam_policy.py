"""docs/iam-policy.json: only what has the cluster's tag is changed or removed, and only what is made gets the tag."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

POLICY = Path(__file__).resolve().parents[3] / "docs/iam-policy.json"
STATEMENTS: list[dict[str, Any]] = json.loads(POLICY.read_text())["Statement"]
OURS = {"aws:ResourceTag/kraftwright_cluster": "CLUSTER"}
#: They are part of a request whose other resources have the tag.
BESIDE = ("network-interface", "security-group-rule", "security-group")


def test_tags_are_given_only_while_something_is_made_or_to_what_is_ours() -> None:
    tagging = [each for each in STATEMENTS if "ec2:CreateTags" in each["Action"]]
    assert len(tagging) == 2
    for each in tagging:
        tests = {key: value for one in each["Condition"].values() for key, value in one.items()}
        assert tests["aws:RequestTag/kraftwright_cluster"] == "CLUSTER"
        given_to = (tests.get("ec2:CreateAction"), tests.get("aws:ResourceTag/kraftwright_cluster"))
        assert given_to[0] or given_to[1] == "CLUSTER"
        assert "*" not in str(tests.values())


def test_what_exists_is_changed_and_removed_only_with_the_tag_of_this_cluster() -> None:
    harmful = ("Attach", "Associate", "Authorize", "CreateRoute", "Delete", "Modify", "Release", "Revoke", "Terminate")
    for each in STATEMENTS:
        found = [one for one in each["Action"] if one.split(":")[1].startswith(harmful)]
        if not found or each["Action"] == ["ec2:CreateTags"] or each["Sid"] == "Make":
            continue
        beside = all(resource.split(":")[-1].partition("/")[0] in BESIDE for resource in each["Resource"])
        assert each.get("Condition", {}).get("StringEquals") == OURS or beside, each["Sid"]
