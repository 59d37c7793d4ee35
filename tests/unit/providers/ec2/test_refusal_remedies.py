"""The remedy for each error code that EC2 documents, in each call of the code; none of them destroys anything."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ansible.module_utils.kraft.providers.ec2 import refusal_remedies
from ansible.module_utils.kraft.providers.ec2.account import explained
from botocore.exceptions import ClientError

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
REGION = "eu-central-1"
CODES = [
    code
    for line in (HERE / "error_codes.txt").read_text().splitlines()
    for code in line.split()
    if not line.startswith("#")
]
STATEMENTS = json.loads((ROOT / "docs/iam-policy.json").read_text())["Statement"]
CALLS = sorted({action.partition(":")[2] for each in STATEMENTS for action in each["Action"]})
DESTROYING = re.compile(r"destroy|terminate|delete|release|remove|detach|\bformat|replace_node|\bforce", re.IGNORECASE)
SAID = "the text of AWS"


def told(code: str, call: str, text: str = SAID) -> str:
    return str(explained(ClientError({"Error": {"Code": code, "Message": text}}, call), REGION))


def test_every_documented_code_has_a_remedy_in_every_call() -> None:
    assert len(CODES) > 400
    assert len(CALLS) > 40
    for code in CODES:
        for call in CALLS:
            said, _, remedy = told(code, call).partition(" -> ")
            assert (code in said, f"the {call} operation" in said, said.endswith(SAID)) == (True, True, True)
            assert 3 <= len(remedy.split()) <= 60, (code, call, remedy)


def test_no_remedy_destroys_anything() -> None:
    found = {(code, remedy) for code in CODES for call in CALLS if DESTROYING.search(remedy := advice_of(code, call))}
    assert found == set()


def advice_of(code: str, call: str) -> str:
    """Return the remedy without the name of the permission, which may be that of a removal."""
    return told(code, call).partition(" -> ")[2].replace(f":{call}", "")


def test_no_advice_of_the_table_destroys_anything() -> None:
    texts = [
        *refusal_remedies.ADVICE.values(),
        *refusal_remedies.OF_CALL.values(),
        *refusal_remedies.OF_REASON.values(),
        *refusal_remedies.LOCAL.values(),
    ]
    assert [each for each in texts if DESTROYING.search(each)] == []


@pytest.mark.parametrize(
    "code", ["Fresh.FromNextYear", "FreshLimitExceeded", "InvalidFresh.NotFound", "FreshThrottled"]
)
def test_a_code_that_is_not_documented_yet_has_the_remedy_of_its_kind(code: str) -> None:
    assert len(advice_of(code, "RunInstances").split()) >= 3


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("DescribeImages", "Not authorized for images: [ami-0a1b2c3d]"),
        ("RunInstances", "Not authorized for images: [ami-0a1b2c3d]"),
        ("AssociateAddress", "You do not have permission to access the specified resource."),
        ("AuthorizeSecurityGroupIngress", "The security group 'sg-1' does not belong to you"),
    ],
)
def test_something_of_another_account_is_no_fault_of_ours(call: str, text: str) -> None:
    remedy = told("AuthFailure", call, text).partition(" -> ")[2]
    assert "another account" in remedy
    assert "renew" not in remedy
    assert "renew" in told("AuthFailure", call, "AWS was not able to validate the provided access credentials")


def test_a_forbidding_policy_of_the_organisation_is_named_also_without_an_encoded_text() -> None:
    text = "User is not authorized to perform: ec2:RunInstances with an explicit deny in a service control policy"
    plain, encoded = (told("UnauthorizedOperation", "RunInstances", each) for each in (text, f"{text}. Encoded: x"))
    assert "SCP" in plain
    assert "decode-authorization-message" not in plain
    assert "decode-authorization-message" in encoded
    assert "iam:PassRole" in plain


def test_the_machine_of_one_removed_node_never_leads_to_the_removal_of_its_cluster() -> None:
    assert "kafka_ec2_destroy" not in told("OperationNotPermitted", "TerminateInstances")
