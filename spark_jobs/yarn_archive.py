"""Puts Spark's jars into HDFS once, so that no run on YARN sends them again.

    HADOOP_CONF_DIR=/etc/hadoop/conf python -m spark_jobs.yarn_archive hdfs:///apps/kraftwright

Prints the setting that names the archive. An archive of this version of Spark that is there already is kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from spark_jobs import environment
from spark_jobs.cli import Parser, guarded
from spark_jobs.errors import EXIT_PROVEN, InstallationError
from spark_jobs.installation import spark_home

SETTING = "spark.yarn.archive"
SHELL = "org.apache.hadoop.fs.FsShell"


def main(arguments: Sequence[str]) -> int:
    """Put the archive into the folder; return the exit code."""
    made = Parser(prog="yarn_archive", description="Put Spark's jars into HDFS once.")
    made.add_argument("folder", help="folder of HDFS: hdfs:///apps/kraftwright")
    return guarded(lambda: _run(made.parse_args(arguments).folder.rstrip("/")))


def _run(folder: str) -> int:
    target = f"{folder}/spark-{version('pyspark')}.zip"
    if not _shell("-test", "-e", target):
        with tempfile.TemporaryDirectory() as directory:
            archive = Path(directory) / "spark.zip"
            pack(sorted((spark_home() / "jars").glob("*.jar")), archive)
            # Under another name until it is whole: runs begin at any time.
            partial = f"{target}.{os.getpid()}"
            for step in (("-mkdir", "-p", folder), ("-put", str(archive), partial), ("-mv", partial, target)):
                _required(*step)
    sys.stdout.write(f"{SETTING}={target}\n")
    return EXIT_PROVEN


def pack(jars: Sequence[Path], archive: Path) -> None:
    """Write the jars into the root of a zip file, as Spark wants them; they are compressed already."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as made:
        for jar in jars:
            made.write(jar, jar.name)


def _required(*arguments: str) -> None:
    if not _shell(*arguments):
        raise InstallationError(f"hdfs dfs {' '.join(arguments)} failed: see the lines above, and HADOOP_CONF_DIR")


def _shell(*arguments: str) -> bool:
    """Run a command of Hadoop's file system shell, which Spark's own jars have; return whether it succeeded."""
    home = spark_home()
    given = environment.of_spark(os.environ, "yarn", sys.executable, str(home))
    line = [str(home / "bin/spark-class"), SHELL, *arguments]
    return subprocess.run(line, env=given, stdout=sys.stderr, check=False).returncode == 0  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
