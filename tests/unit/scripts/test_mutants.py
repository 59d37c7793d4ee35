"""Report of `make mutants` about planted faults: seen ones, known ones, and its failure."""

from __future__ import annotations

import re

from scripts import mutants
from scripts.mutants import KNOWN, ROOT, Mutant, Outcome, changed, complaints, known, rate, settings, stale

SEEN = Mutant("operations/quorum/plan", "plan", "if a and b:", "if a or b:")
HARMLESS = Mutant("operations/quorum/plan", "plan", "if a > 0:", "if a > -1:")
NEW = Mutant("cluster/shutdown_check", "judge", "x = 1", "x = 2")
LIST = """
operations/quorum/plan:
  - function: plan
    before: "if a > 0:"
    after: "if a > -1:"
    harmless: a is never between them
"""
DIFF = """--- ansible/module_utils/kraft/operations/quorum/plan.py
+++ ansible/module_utils/kraft/operations/quorum/plan.py
@@ -1,4 +1,4 @@
 def plan(wish):
-    if a and b:
+    if a or b:
         return 1
"""


def outcomes(seen: int, *missed: Mutant, status: str = "survived") -> list[Outcome]:
    return [Outcome(SEEN, "killed")] * seen + [Outcome(one, status) for one in missed]


def test_a_fault_is_known_by_its_lines_wherever_they_stand() -> None:
    assert Mutant("operations/quorum/plan", "plan", *changed(DIFF)) == SEEN
    assert changed(DIFF.replace("-1,4 +1,4", "-90,4 +90,4")) == ("if a and b:", "if a or b:")


def test_the_list_says_of_each_why_it_is_harmless() -> None:
    assert known(LIST) == {HARMLESS: "a is never between them"}
    assert all(reason.strip() for reason in known(KNOWN.read_text()).values())


def test_a_fault_that_nobody_sees_and_nobody_knows_fails_the_run() -> None:
    assert complaints(outcomes(99, HARMLESS), known(LIST)) == []
    (found,) = complaints(outcomes(99, HARMLESS, NEW), known(LIST))
    assert str(NEW) in found


def test_too_many_known_ones_fail_it_too() -> None:
    assert complaints(outcomes(19, HARMLESS), known(LIST)) == []
    assert len(complaints(outcomes(18, HARMLESS), known(LIST))) == 1
    assert complaints([], {}) != []


def test_no_test_at_all_is_not_seen_and_a_test_that_never_ends_is() -> None:
    assert rate(outcomes(1, NEW, status="no tests")) == 0.5
    assert rate(outcomes(1, NEW, status="suspicious")) == 0.5
    assert rate(outcomes(1, NEW, status="timeout")) == 1


def test_what_is_seen_by_now_or_was_never_planted_is_named() -> None:
    assert stale(outcomes(1, HARMLESS), known(LIST)) == []
    assert stale(outcomes(1), known(LIST)) == [HARMLESS]
    assert stale([Outcome(NEW, "killed")], known(LIST)) == []


def test_the_safety_core_is_what_faults_are_planted_into() -> None:
    modules = {str(path.relative_to(mutants.ROOT / "module_utils/kraft")) for path in mutants.planted()}
    assert modules >= {
        "cluster/shutdown_check.py",
        "cluster/health.py",
        "cluster/roll.py",
        "cluster/voter_sets.py",
        "cluster/batches.py",
        "operations/quorum/admin.py",
        "operations/quorum/plan.py",
        "operations/quorum/replacement.py",
        "operations/reassignment/planner.py",
        "operations/reassignment/throttle.py",
        "node/storage/log_dir.py",
        "node/storage/plan.py",
        "node/storage/record_batches.py",
        "node/storage/rules.py",
        "node/storage/voters.py",
    }


def test_the_tree_has_all_that_the_tests_of_the_core_read() -> None:
    tests = [path for room in settings()["pytest_add_cli_args_test_selection"] for path in (ROOT / room).rglob("*.py")]
    read = {name for path in tests for name in re.findall(r'ROOT / f?"([\w.]+)', path.read_text())}
    assert tests
    assert read <= {*settings()["also_copy"], "module_utils", "tests", "pyproject.toml"}
