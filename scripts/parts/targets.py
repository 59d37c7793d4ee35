"""Every test target as a list of parts, the longest first: a long part that starts last would run alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One command of a target: ``heavy`` if it starts brokers, and how many cores it keeps busy."""

    name: str
    command: str
    heavy: bool = False
    cores: int = 1


def molecule(scenario: str, sweep: str = "") -> Part:
    """Return a molecule scenario, or a short form; its hosts are removed after Ctrl-C, too, unless ``KEEP`` is set."""
    tidy = f'trap \'[ "$whole" ] || [ "${{KEEP:-}}" ] || molecule destroy -s {scenario}\' EXIT'
    chosen = f"export KRAFT_SWEEP={sweep}; " if sweep else ""
    test = f"molecule test -s {scenario} ${{KEEP:+--destroy never}}"
    name = f"molecule-{scenario}" + (f"-{sweep}" if sweep else "")
    return Part(name, f"{chosen}{tidy}; {test} && whole=1", heavy=True)


def pytest(name: str, arguments: str, heavy: bool = False, cores: int = 1) -> Part:
    """Return tests that report their long ones; ``slowest`` reads it."""
    return Part(name, f"pytest -q -p no:cacheprovider --durations 10 --durations-min 1 {arguments}", heavy, cores)


SHELL = "git ls-files -z scripts .ci dist roles | xargs -0 grep -lZ '^#!/bin/.*sh' | xargs -0 shellcheck"
CHECK = (
    Part("ansible-lint", "ansible-lint"),
    pytest("unit", "tests/unit --ignore tests/unit/spark"),
    pytest("contract", "tests/contract"),
    Part("mypy", "mypy ."),
    Part("docs", "python -m scripts.site"),
    Part("yamllint", "yamllint --strict ."),
    Part("ruff", "ruff check && ruff format --check"),
    Part("shellcheck", SHELL),
)
TEST = (
    pytest(
        "integration",
        "-n 2 --dist loadfile -m 'not long' tests/integration --ignore-glob '*/test_spark_*'",
        heavy=True,
        cores=2,
    ),
    molecule("interrupted", sweep="short"),
    molecule("cluster", sweep="short"),
    molecule("refusals", sweep="short"),
    pytest("integration-spark", "tests/integration/test_spark_*.py", heavy=True),
    pytest("unit-spark", "tests/unit/spark", heavy=True),
)
MUTANTS = Part("mutants", "python scripts/mutants.py")
ZOOKEEPER = "pytest -q -p no:cacheprovider tests/integration/test_spark_zookeeper_source.py"
#: A switch away from a cluster on ZooKeeper, and a copy of the oldest one; `test` has the other copy.
OLD_SOURCES = Part(
    "integration-old-sources",
    f"KRAFT_SOURCE=3.9.2 {ZOOKEEPER} -k switch && KRAFT_SOURCE=2.8.2 {ZOOKEEPER} -k 'not switch'",
    heavy=True,
)
#: Registries are needed, and minutes.
LONG = pytest("long", "tests/long", heavy=True)
INTEGRATION_LONG = pytest("integration-long", "-m long tests/integration", heavy=True)
TARGETS = {
    "check": CHECK,
    "test": TEST + CHECK,
    "test-long": (
        molecule("day_two", sweep="short"),
        molecule("ec2"),
    ),
    "test-all": (
        molecule("day_two", sweep="all"),
        molecule("interrupted", sweep="all"),
        molecule("refusals"),
        molecule("cluster", sweep="all"),
        molecule("dedicated", sweep="all"),
        molecule("moved"),
        molecule("watched", sweep="all"),
        molecule("ec2"),
        OLD_SOURCES,
        LONG,
        INTEGRATION_LONG,
        MUTANTS,
    ),
}
