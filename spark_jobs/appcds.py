"""An AppCDS archive of Spark's classes, with which a session starts in about half the processor time.

    python -m spark_jobs.appcds    # make the one that fits this machine, unless it is there

A session that does what the jobs do is run once; as it ends, Java writes down the classes that it has loaded (JEP 350).
Each later session is given the file. Java holds it against its own build, the class path and sums in the file, and goes
on without if it does not fit, is damaged or gone: nothing depends on it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from spark_jobs.errors import SmokeError
from spark_jobs.installation import JARS, local_settings, spark_home

ROOT = Path(__file__).resolve().parents[1]
ARCHIVES = ROOT / ".cache/spark/appcds"
#: Suppresses Java's messages about an archive that it rejects, on the job's own stdout.
QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off"
TRAINING_SECONDS = 300.0
LAST_LINES = 5


def options(environment: Mapping[str, str], jars: Sequence[Path]) -> str:
    """Return Java's options that name the archive for this Java and these jars; '' if there is none."""
    path = archive(environment, jars)
    return f'"-XX:SharedArchiveFile={path}" -Xshare:auto -XX:+VerifySharedSpaces {QUIET}' if path.is_file() else ""


def archive(environment: Mapping[str, str], jars: Sequence[Path]) -> Path:
    """Return the path of the archive for this Java and these jars."""
    files = [*_java(environment), *sorted((spark_home() / "jars").glob("*.jar")), *jars]
    return ARCHIVES / f"{_digest(files)}.jsa"


def _java(environment: Mapping[str, str]) -> list[Path]:
    """Return the classes of the Java that spark-submit takes, which are another file after each update of it."""
    home = environment.get("JAVA_HOME")
    java = Path(home, "bin/java") if home else Path(shutil.which("java", path=environment.get("PATH")) or "java")
    return [java.resolve().parent.parent / "lib/modules"]


def _digest(files: Iterable[Path]) -> str:
    """Return a digest of the files' paths, sizes and times: Java compares the same."""
    found = hashlib.sha256()
    for path in files:
        known = path.stat() if path.exists() else None
        found.update(f"{path} {known.st_size} {known.st_mtime_ns}\n".encode() if known else f"{path}\n".encode())
    return found.hexdigest()[:16]


def make(environment: Mapping[str, str], jars: Sequence[Path]) -> Path:
    """Make the archive if it is missing, in place of those for other jars. OSError holds the reason of a failure."""
    path = archive(environment, jars)
    if path.is_file():
        return path
    sys.stderr.write("spark: making an AppCDS archive, with which later sessions start sooner; once, about 20 s\n")
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    try:
        done = _trained(environment, jars, partial)
        if done.returncode or not partial.is_file():
            raise OSError("\n".join(done.stderr.splitlines()[-LAST_LINES:]) or f"exit code {done.returncode}")
        partial.rename(path)
    except subprocess.TimeoutExpired as error:
        raise OSError(f"it took more than {TRAINING_SECONDS:.0f} s") from error
    finally:
        partial.unlink(missing_ok=True)
    for older in set(ARCHIVES.glob("*.jsa")) - {path}:
        older.unlink()
    return path


def _trained(environment: Mapping[str, str], jars: Sequence[Path], path: Path) -> subprocess.CompletedProcess[str]:
    """Run a session that writes its classes to `path` as it ends."""
    return train(environment, jars, f'"-XX:ArchiveClassesAtExit={path}" {QUIET}')


def train(environment: Mapping[str, str], jars: Sequence[Path], java: str) -> subprocess.CompletedProcess[str]:
    """Run a short session with the jobs' steps; `java`: further options of its Java."""
    home = spark_home()
    line = [
        *(str(home / "bin/spark-submit"), "--master", "local[2]"),
        *(part for name, value in local_settings(jars).items() for part in ("--conf", f"{name}={value}")),
        *("--driver-java-options", f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 {java}".rstrip()),
        str(ROOT / "spark_jobs/appcds_training.py"),
    ]
    return subprocess.run(  # noqa: S603 - our own job, its arguments in a list
        line,
        env={**environment, "PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=TRAINING_SECONDS,
    )


def main() -> int:
    """Make the archive, or print why sessions start without; that is no error."""
    try:
        sys.stdout.write(f"{make(os.environ, tuple(sorted(JARS.glob('*.jar'))))}\n")
    except (OSError, SmokeError) as error:
        sys.stderr.write(f"Spark starts without an AppCDS archive, which takes longer: {error}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
