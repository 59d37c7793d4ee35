"""The safety core, into which `make mutants` plants faults, and the share that tests see."""

from __future__ import annotations

import re

from scripts import mutants
from scripts.mutants import LEAST, ROOT, rate, settings


def test_a_fault_without_a_test_or_with_an_unclear_result_is_not_seen() -> None:
    counts = dict.fromkeys(("killed", "timeout", "survived", "no_tests", "suspicious", "total"), 0)
    assert rate(counts) == 0
    seen = {"killed": 296, "timeout": 1, "survived": 1, "no_tests": 1, "suspicious": 1, "total": 300}
    assert rate({**counts, **seen}) == LEAST


def test_the_safety_core_is_what_faults_are_planted_into() -> None:
    modules = {str(path.relative_to(mutants.ROOT / "module_utils/kraft")) for path in mutants.planted()}
    assert modules >= {
        "cluster/shutdown_check.py",
        "cluster/health.py",
        "operations/roll/restart_order.py",
        "cluster/voter_sets.py",
        "operations/roll/batches.py",
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
