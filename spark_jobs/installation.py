"""Where Spark's parts are on the control machine, and what to do when one is missing."""

from __future__ import annotations

from pathlib import Path

JARS = Path(__file__).resolve().parents[1] / ".cache/spark/jars"
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
JAVA_REMEDY = "install a Java runtime 17 or newer (apt install openjdk-17-jre-headless) or set JAVA_HOME"
JARS_REMEDY = "bring the connector's jars with `make client`, or name their directory with --jars"
