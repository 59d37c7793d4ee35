"""Fetch artifacts by Maven's own client: exactly the named ones, or with all their dependencies."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dist.locks import Artifact, LockError, wrong

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>kraftwright</groupId><artifactId>dist</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>{dependencies}</dependencies>
</project>
"""
DEPENDENCY = """<dependency><groupId>{a.group}</groupId><artifactId>{a.name}</artifactId><version>{a.version}</version>
{exclusions}</dependency>
"""
ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
#: Maven's message about artifacts that its repositories do not have.
NOT_SERVED = re.compile(
    r"artifacts could not be resolved: (\S+(?:, \S+)*): (?:Could not find artifact|\S+ was not found in)"
)
LISTED = re.compile(r"^\s+([\w.-]+):([\w.-]+):jar:([\w.-]+):(?:compile|runtime)", re.MULTILINE)


class NotServedError(LockError):
    """Artifacts that no repository has; ``names`` without group and version."""

    def __init__(self, text: str, names: frozenset[str]) -> None:
        self.names = names
        super().__init__(text)


def run(goal: str, artifacts: Iterable[Artifact], exclusions: str, *options: str) -> str:
    """Run one goal of Maven's dependency plugin over a pom that names `artifacts`; return its output."""
    maven = shutil.which("mvn")
    if maven is None:
        raise LockError("mvn is not installed; run scripts/bootstrap (Debian: apt-get install maven)")
    with tempfile.TemporaryDirectory() as scratch:
        pom = Path(scratch) / "pom.xml"
        pom.write_text(
            POM.format(dependencies="".join(DEPENDENCY.format(a=a, exclusions=exclusions) for a in artifacts))
        )
        command = [maven, "--batch-mode", "--no-transfer-progress", "--file", str(pom), f"{PLUGIN}:{goal}", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise failure(f"mvn could not bring the artifacts:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
    return done.stdout


def failure(text: str) -> LockError:
    """Return the error for Maven's output."""
    found = NOT_SERVED.search(text)
    return (
        NotServedError(text, frozenset(one.split(":")[1] for one in found[1].split(", "))) if found else LockError(text)
    )


def fetch(artifacts: tuple[Artifact, ...], directory: Path) -> None:
    """Leave exactly `artifacts` in `directory`, each compared with its lock. Does nothing when they are there.

    All jars of the directory are used: one of an older lock would be a second version on the class path.
    """
    for old in {path.name for path in directory.glob("*.jar")} - {each.jar for each in artifacts}:
        (directory / old).unlink(missing_ok=True)
    missing = wrong(artifacts, directory)
    if not missing:
        return
    directory.mkdir(parents=True, exist_ok=True)
    sys.stderr.write(f"dist: fetching {len(missing)} artifacts by mvn into {directory}\n")
    run("copy-dependencies", missing, ALONE, f"-DoutputDirectory={directory}", "-DoverWriteReleases=true")
    if still := wrong(artifacts, directory):
        names = "\n".join(f"  {directory / a.jar}: expected sha256 {a.sha256}" for a in still)
        raise LockError(f"not what was locked:\n{names}")


def resolve(roots: tuple[Artifact, ...]) -> tuple[Artifact, ...]:
    """Return `roots` with all their dependencies at run time, without hashes."""
    found = LISTED.findall(run("list", roots, "", "-DincludeScope=runtime").replace("[INFO]", ""))
    return tuple(sorted({Artifact(*coordinates) for coordinates in found}))
