"""The environment of Spark's processes: of the control machine's only what is documented (docs/daily_use.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark_jobs import masters

#: Variables that control Spark, Hadoop and Python: a shell that was made for other work has them.
STEERS = re.compile(
    r"(SPARK|PYSPARK|PYTHON|HADOOP|YARN|HIVE|IPYTHON|JUPYTER|SCALA|BEELINE)(_\w+|[A-Z]*)|CLASSPATH|_JAVA_OPTIONS"
)
DOCUMENTED = {"SPARK_CONF_DIR", "SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME", "SPARK_LOCAL_DIRS"}
#: Variables about Python's compiled files; they change nothing that runs.
HARMLESS = {"PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"}
OF_YARN = {"HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_USER_NAME"}


def of_spark(environment: Mapping[str, str], master: str, python: str, home: str) -> dict[str, str]:
    """Return the environment of Spark's processes; `python`: of driver and workers, `home`: Spark's folder.

    With a local master the driver's name need not resolve, and no Hadoop takes part.
    """
    kept = DOCUMENTED | HARMLESS | (OF_YARN if master.startswith("yarn") else set())
    found = {name: text for name, text in environment.items() if name in kept or not STEERS.fullmatch(name)}
    named = {"PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python, "SPARK_HOME": home}
    own_name = {"SPARK_LOCAL_HOSTNAME": "localhost"} if masters.is_local(master) else {}
    return {**own_name, **found, **named}
