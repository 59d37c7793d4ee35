"""Commands that messages offer name playbooks and variables that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from ansible.module_utils.kraft.spec.inventory_rules.risks import ACCEPTABLE
from ansible.module_utils.kraft.status.advice import STEPS, steps

ROOT = Path(__file__).resolve().parents[2]
#: A command in a message: the playbook, and the variable that it is given.
OFFERED = re.compile(r"(?:playbooks/|\b)(\w+)\.yml(?: -e '?\{?\"?(kafka_\w+))?")
PLAYBOOKS = {path.stem for path in ROOT.glob("playbooks/*.yml")}
#: A risk that a message offers to accept.
RISK = re.compile(r"list (\w+) in kafka_accepted_risks|(\w+) in kafka_accepted|kafka_accepted_risks\"?:? \[\"?(\w+)")
ROLES = sorted(ROOT.glob("roles/*/defaults/**/*.yml"))
KNOWN = {name for path in ROLES for name in yaml.safe_load(path.read_text()) or {}}


def offered() -> set[tuple[str, str, str]]:
    """File, playbook and variable (which may be empty) of each command in the source of messages."""
    found = set()
    for top in ("module_utils", "library", "plugins", "roles"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".py", ".yml"):
                where = str(path.relative_to(ROOT))
                text = path.read_text()
                named = re.findall(r"playbooks/(\w+)\.yml", text)  # a slip there is found, too
                found |= {(where, *one) for one in OFFERED.findall(text) if one[0] in PLAYBOOKS or one[0] in named}
    return found


@pytest.mark.parametrize(("where", "playbook", "variable"), sorted(offered()))
def test_a_command_in_a_message_names_what_there_is(where: str, playbook: str, variable: str) -> None:
    path = ROOT / f"playbooks/{playbook}.yml"
    assert path.is_file(), where
    assert not variable or variable in path.read_text() or variable in KNOWN, where


@pytest.mark.parametrize("rule", STEPS)
def test_each_step_of_a_status_names_what_there_is(rule: str) -> None:
    made = steps(rule, ("kafka1", "kafka2"), "-i inventories/mine")
    assert made
    for step in made:
        for playbook, variable in OFFERED.findall(step.command):
            text = (ROOT / f"playbooks/{playbook}.yml").read_text()
            assert not variable or variable in text or variable in KNOWN


def test_each_risk_that_a_message_offers_can_be_accepted() -> None:
    sources = [path for top in ("module_utils", "library", "plugins", "roles") for path in (ROOT / top).rglob("*.py")]
    offered = {name for path in sources for one in RISK.findall(path.read_text()) for name in one if name}
    assert {"only_replica", "quorum_form", "release_older", "setting_unknown"} <= offered
    assert offered <= ACCEPTABLE
