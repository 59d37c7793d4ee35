"""Plant small faults into the safety core, one at a time, and run the tests that reach each: ``make mutants``.

``python scripts/mutants.py [MODULE ...]``: modules as ``operations/quorum/replacement``; without any, all of them.
mutmut plants and runs (its settings are in ``pyproject.toml``); its findings are compared with ``tests/mutants.yml``,
which gives for each fault that no test can see the reason why it does no harm.
Exit code 1 if fewer than LEAST of the faults are seen, or one that is not seen is not on that list.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import tomllib
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".cache/mutants"
LOG = ROOT / ".cache/mutants.log"
KNOWN = ROOT / "tests/mutants.yml"
#: The import path of the tests; mutmut takes a module's name from its path.
CORE = "ansible/module_utils/kraft"
LEAST = 0.95
#: A mutant that times out waits for something that the fault prevents: that is seen, too.
SEEN = ("killed", "timeout")


@dataclasses.dataclass(frozen=True, order=True)
class Mutant:
    """A planted fault: module (``operations/quorum/plan``), function, and the line before and after it."""

    module: str
    function: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.module} {self.function}\n    - {self.before}\n    + {self.after}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Result of a fault: ``killed``, ``survived``, ``timeout``, ``no tests`` …"""

    mutant: Mutant
    status: str


def known(text: str) -> dict[Mutant, str]:
    """Parse the list of harmless faults: fault → reason. KeyError: an entry without one of its parts."""
    return {
        Mutant(module, one["function"], one["before"], one["after"]): one["harmless"]
        for module, found in (yaml.safe_load(text) or {}).items()
        for one in found
    }


def changed(diff: str) -> tuple[str, str]:
    """Return the removed and the added lines of a unified diff; whitespace at both ends does not count."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "@@"))]
    sides = ([line[1:].strip() for line in lines if line.startswith(sign)] for sign in "-+")
    before, after = (" ".join(side) for side in sides)
    return before, after


def complaints(outcomes: Sequence[Outcome], harmless: Mapping[Mutant, str]) -> list[str]:
    """Return why the run fails, in words; empty if it does not."""
    missed = sorted(one.mutant for one in outcomes if one.status not in SEEN)
    found = [f"no test sees this: {one}" for one in missed if one not in harmless]
    if not outcomes or rate(outcomes) < LEAST:
        found.append(f"{rate(outcomes):.1%} of {len(outcomes)} faults are seen, and {LEAST:.0%} is the least")
    return found


def stale(outcomes: Sequence[Outcome], harmless: Mapping[Mutant, str]) -> list[Mutant]:
    """Return listed faults that a test sees by now, or that are no longer planted, in the inspected modules."""
    missed = {one.mutant for one in outcomes if one.status not in SEEN}
    modules = {one.mutant.module for one in outcomes}
    return sorted(one for one in harmless if one.module in modules and one not in missed)


def rate(outcomes: Sequence[Outcome]) -> float:
    return sum(one.status in SEEN for one in outcomes) / len(outcomes) if outcomes else 0.0


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


def plant(modules: Sequence[str], workers: int) -> None:
    """Have mutmut plant and test, in a separate process. SystemExit: the tests fail without any fault."""
    from mutmut.__main__ import cli  # noqa: PLC0415 - it looks for its settings where it is imported
    from mutmut.configuration import config  # noqa: PLC0415
    from mutmut.mutation import file_mutation, mutators  # noqa: PLC0415

    # Nearly all strings are messages, and tests assert ids and values, not wording.
    operators = [one for one in mutators.mutation_operators if one[1] is not mutators.operator_string]
    file_mutation.mutation_operators = operators  # type: ignore[attr-defined]
    if modules:
        config().only_mutate = [f"{CORE}/{one}.py" for one in modules]
    cli.main(["run", "--max-children", str(workers)], standalone_mode=False)
    sys.stdout.write(json.dumps([[*dataclasses.astuple(one.mutant), one.status] for one in outcomes()]))


def run(modules: Sequence[str], workers: int) -> list[Outcome]:
    """Return every planted fault and its result. SystemExit: mutmut failed; its last lines are shown."""
    words = [sys.executable, __file__, "--plant", "--workers", str(workers), *modules]
    with LOG.open("w") as log:
        code = subprocess.run(words, cwd=WORK, stdout=log, stderr=log, check=False).returncode  # noqa: S603
    lines = LOG.read_text().splitlines()
    if code:
        raise SystemExit("\n".join([*(line.rpartition("\r")[2] for line in lines[-40:]), f"mutmut failed; see {LOG}"]))
    return [Outcome(Mutant(*one[:4]), one[4]) for one in json.loads(lines[-1])]


def outcomes() -> Iterator[Outcome]:
    """Yield mutmut's result of each fault."""
    from mutmut.mutation.data import SourceFileMutationData  # noqa: PLC0415
    from mutmut.mutation.diff_apply import get_diff_for_mutant  # noqa: PLC0415
    from mutmut.stats import status_by_exit_code  # noqa: PLC0415
    from mutmut.utils.file_utils import walk_mutatable_files  # noqa: PLC0415
    from mutmut.utils.format_utils import orig_function_and_class_names_from_key  # noqa: PLC0415

    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        module = str(path.with_suffix("").relative_to(CORE))
        for key, code in data.exit_code_by_key.items():
            function, of = orig_function_and_class_names_from_key(key)
            name = f"{of}.{function}" if of else function
            yield Outcome(
                Mutant(module, name, *changed(get_diff_for_mutant(key, path=path))), status_by_exit_code[code]
            )


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="scripts/mutants.py", description=(__doc__ or "").splitlines()[0])
    made.add_argument("modules", nargs="*", help="only these, such as operations/quorum/replacement")
    made.add_argument("--workers", type=int, default=2, help="how many faults are tested at once (default: 2)")
    made.add_argument("--plant", action="store_true", help=argparse.SUPPRESS)
    return made


def main(arguments: Sequence[str]) -> int:
    given = parser().parse_args(arguments)
    if given.plant:
        plant(given.modules, given.workers)
        return 0
    prepare()
    found, harmless = run(given.modules, given.workers), known(KNOWN.read_text())
    failures = complaints(found, harmless)
    for one in stale(found, harmless):
        sys.stdout.write(f"on the list of the harmless, and seen by now or never planted: {one}\n")
    sys.stdout.write("".join(f"{one}\n" for one in failures))
    sys.stdout.write(f"{rate(found):.1%} of {len(found)} faults are seen\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
