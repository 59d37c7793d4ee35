"""The rules and their severities in docs/validation.md are those of the code, and what can be accepted is a risk."""

from __future__ import annotations

import re

from ansible.module_utils.kraft.node.storage import log_dir
from ansible.module_utils.kraft.node.storage.rules import explain_content
from ansible.module_utils.kraft.spec.inventory_rules.risks import RISKS

from scripts import render_rules

CODE = render_rules.of_the_code()


def test_every_rule_is_documented_with_its_severities() -> None:
    page = render_rules.PAGE.read_text()
    assert len(CODE) > 120
    listed = page.split(render_rules.BEGIN)[1].split(render_rules.END)[0]
    assert listed == render_rules.lists(CODE), "run scripts/render_rules.py"


def test_the_states_that_stop_a_log_dir_are_all_known() -> None:
    every = [value for name, value in vars(log_dir).items() if name.isupper() and isinstance(value, str)]
    stopping = {each for each in every if explain_content(log_dir.LogDir(path="/data", state=each))}
    assert stopping == set(render_rules.STATES)


def test_what_can_be_accepted_is_a_risk_or_an_error_that_the_documentation_calls_one() -> None:
    risks = {name for name, found in CODE.items() if "risk" in found}
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", render_rules.PAGE.read_text(), re.MULTILINE))
    errors = {name for name, what in rows.items() if what.endswith("(an error in every profile)")}
    assert risks | errors == RISKS
    assert not risks & errors
