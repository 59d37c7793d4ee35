"""Plant small faults into the safety core, one at a time, and run the tests that reach each: ``make mutants``.

``python scripts/mutants.py [MODULE ...]``: modules as ``operations/quorum/replacement``; without any, all of them.
mutmut plants, runs, and lists what no test sees (its settings are in ``pyproject.toml``; in ``.cache/mutants``,
``mutmut show NAME`` shows a fault). Exit code 1 if fewer than LEAST of all faults are seen.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".cache/mutants"
#: The import path of the tests; mutmut takes a module's name from its path.
CORE = "ansible/module_utils/kraft"
#: Some faults have no effect, such as another first value that is always replaced; so it is below 1.
LEAST = 0.99


def settings() -> dict[str, list[str]]:
    """Return mutmut's own settings."""
    found: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutmut"]
    return found


def planted() -> list[Path]:
    """Return the files into which faults are planted. SystemExit: a pattern names none, so something was renamed."""
    patterns = settings()["only_mutate"]
    found = {one: sorted((ROOT / "module_utils/kraft").glob(one.removeprefix(f"{CORE}/"))) for one in patterns}
    missing = [one for one, files in found.items() if not files]
    if missing:
        raise SystemExit(f"no such file: {', '.join(missing)}; correct only_mutate in pyproject.toml")
    return [file for files in found.values() for file in files]


def prepare() -> None:
    """Create a tree with the core at the import path of the tests."""
    planted()
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / CORE).parent.mkdir(parents=True)
    (WORK / "mutants" / CORE).parent.mkdir(parents=True)
    (WORK / CORE).symlink_to(ROOT / "module_utils/kraft")
    (WORK / "mutants/module_utils").symlink_to("ansible/module_utils")
    for name in ("pyproject.toml", "tests", *settings()["also_copy"]):
        (WORK / name).symlink_to(ROOT / name)


def rate(counts: Mapping[str, int]) -> float:
    """Return the seen share of mutmut's counts. A timeout is seen: the fault prevents what the test waits for."""
    return (counts["killed"] + counts["timeout"]) / counts["total"] if counts["total"] else 0.0


def main(modules: Sequence[str]) -> int:
    """Plant in the tree that `prepare` made: mutmut looks for its settings in the working directory."""
    prepare()
    os.chdir(WORK)
    from mutmut.__main__ import cli  # noqa: PLC0415
    from mutmut.configuration import config  # noqa: PLC0415
    from mutmut.mutation import file_mutation, mutators  # noqa: PLC0415

    # Nearly all strings are messages, and tests assert ids and values, not wording.
    operators = [one for one in mutators.mutation_operators if one[1] is not mutators.operator_string]
    file_mutation.mutation_operators = operators  # type: ignore[attr-defined]
    if modules:
        config().only_mutate = [f"{CORE}/{one}.py" for one in modules]
    for words in (["run", "--max-children", "2"], ["results"], ["export-cicd-stats"]):
        cli.main(words, standalone_mode=False)
    counts = json.loads((WORK / "mutants/mutmut-cicd-stats.json").read_text())
    sys.stdout.write(f"{rate(counts):.1%} of {counts['total']} faults are seen; {LEAST:.0%} of all is the least\n")
    return 0 if modules or rate(counts) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
