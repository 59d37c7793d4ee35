"""Paths of Spark's parts on the control machine, and the remedy if one is missing."""

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
    """Return settings of a driver that also does the work: it listens on loopback; Java's class path has the connector.

    Java takes no class from an AppCDS archive that Spark adds later.
    """
    return {**LOOPBACK, "spark.driver.extraClassPath": os.pathsep.join(str(jar) for jar in jars)}


def spark_home() -> Path:
    """Return pyspark's folder of Spark. Raises ``InstallationError`` if pyspark is not installed."""
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise InstallationError("pyspark is not installed here: make setup, or pip install pyspark")
    return Path(spec.submodule_search_locations[0])
