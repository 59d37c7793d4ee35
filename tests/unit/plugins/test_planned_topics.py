"""Topics that are declared absent: whether the cluster is queried for them before the first change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

PLAYBOOK = Path(__file__).resolve().parents[3] / "playbooks/deploy_cluster.yml"


def is_asked(answers: bool, **given: Any) -> bool:
    [play] = DataLoader().load_from_file(str(PLAYBOOK), trusted_as_template=True)
    [envelope] = [task for task in play["tasks"] if "block" in task]
    [task] = [task for task in envelope["block"] if task["name"] == "Plan the whole deployment"]
    variables = {**play["vars"], "ansible_facts": {"kafka_answers": answers}, **given}
    templar: Any = Templar(loader=DataLoader(), variables=variables)
    return bool(templar.evaluate_conditional(task["when"]))


@pytest.mark.parametrize("answers", [True, False])
def test_a_cluster_that_gives_no_answer_is_started_and_not_asked_for_its_topics(answers: bool) -> None:
    """A killed run may have started a part of the nodes: the next one must start the others first."""
    absent = [{"name": "new"}, {"name": "old", "state": "absent"}]
    assert is_asked(answers, kafka_topics=absent) == answers
    assert not is_asked(answers, kafka_topics=[{"name": "new"}, {"name": "old", "state": "present"}])
    assert not is_asked(answers)
    for plan in ("kafka_plan_file", "kafka_approved_plan"):
        assert is_asked(answers, **{plan: "plan.json"})
