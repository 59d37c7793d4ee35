"""Where Spark's parts are on the control machine, and what to do when one is missing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from spark_jobs.errors import InstallationError

JARS = Path(__file__).resolve().parents[1] / ".cache/spark/jars"
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
JAVA_REMEDY = "install a Java runtime 17 or newer (apt install openjdk-17-jre-headless) or set JAVA_HOME"
JARS_REMEDY = "bring the connector's jars with `make client`, or name their directory with --jars"


def local_settings(jars: Sequence[Path]) -> dict[str, str]:
    """Of a driver that does the work, too: it listens on loopback alone, and Java's own class path has the connector.

    Java takes no class from an AppCDS archive that Spark adds later.
    """
    return {**LOOPBACK, "spark.driver.extraClassPath": os.pathsep.join(str(jar) for jar in jars)}


def spark_home() -> Path:
    """Where pyspark keeps Spark. Raises ``InstallationError`` where pyspark is not installed."""
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise InstallationError("pyspark is not installed here: make setup, or pip install pyspark")
    return Path(spec.submodule_search_locations[0])
