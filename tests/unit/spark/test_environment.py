"""Whatever shell a run is started from, Spark's processes get the same."""

from __future__ import annotations

import pytest

from spark_jobs import environment

PLAIN = {"PATH": "/usr/bin", "HOME": "/home/ops", "LANG": "C.UTF-8", "JAVA_HOME": "/opt/java"}
OWN = {"PYSPARK_PYTHON": "/venv/python", "PYSPARK_DRIVER_PYTHON": "/venv/python", "SPARK_HOME": "/venv/spark"}
LOCAL = {"SPARK_LOCAL_HOSTNAME": "localhost"}
DROPPED = [
    {"PYSPARK_DRIVER_PYTHON": "ipython"},
    {"PYSPARK_DRIVER_PYTHON": "jupyter", "PYSPARK_DRIVER_PYTHON_OPTS": "notebook"},
    {"PYSPARK_PYTHON": "python2"},
    {"PYSPARK_SUBMIT_ARGS": "--master yarn pyspark-shell"},
    {"PYSPARK_GATEWAY_PORT": "1", "PYSPARK_GATEWAY_SECRET": "x"},
    {"SPARK_HOME": "/opt/spark-2.4"},
    {"SPARK_SUBMIT_OPTS": "-Dspark.master=yarn"},
    {"SPARK_SCALA_VERSION": "2.12", "SPARK_ENV_LOADED": "1"},
    {"SPARK_DIST_CLASSPATH": "/opt/hadoop/*", "SPARK_EXTRA_CLASSPATH": "/x"},
    {"SPARK_REMOTE": "sc://elsewhere"},
    {"SPARK_TESTING": "1"},
    {"PYTHONPATH": "/opt/spark-2.4/python"},
    {"PYTHONHOME": "/opt/python2", "PYTHONSTARTUP": "/x.py"},
    {"PYTHONINSPECT": "1"},
    {"HADOOP_CONF_DIR": "/etc/hadoop", "YARN_CONF_DIR": "/etc/hadoop"},
    {"HADOOP_HOME": "/opt/hadoop", "HADOOP_OPTS": "-Xmx1g", "HADOOP_USER_NAME": "hdfs"},
    {"HIVE_HOME": "/opt/hive", "HIVE_CONF_DIR": "/etc/hive"},
    {"CLASSPATH": "/opt/old/*"},
    {"_JAVA_OPTIONS": "-Xmx64m"},
    {"IPYTHON": "1", "IPYTHON_OPTS": "notebook", "JUPYTER_PATH": "/x"},
]
KEPT = [
    {"SPARK_CONF_DIR": "/etc/ours"},
    {"SPARK_LOCAL_IP": "127.0.0.1"},
    {"SPARK_LOCAL_HOSTNAME": "control1"},
    {"KUBECONFIG": "/home/ops/.kube/config"},
    {"PYTHONPYCACHEPREFIX": "/home/x", "TMPDIR": "/home/y", "https_proxy": "http://proxy"},
]


def made(more: dict[str, str], master: str = "local[*]") -> dict[str, str]:
    return environment.of_spark({**PLAIN, **more}, master, "/venv/python", "/venv/spark")


@pytest.mark.parametrize("foreign", DROPPED, ids=lambda names: next(iter(names)))
def test_what_steers_other_work_is_dropped(foreign: dict[str, str]) -> None:
    assert made(foreign) == {**PLAIN, **OWN, **LOCAL}


@pytest.mark.parametrize("documented", KEPT, ids=lambda names: next(iter(names)))
def test_what_is_documented_is_kept(documented: dict[str, str]) -> None:
    assert made(documented) == {**PLAIN, **OWN, **LOCAL, **documented}


def test_yarn_alone_gets_the_files_of_hadoop() -> None:
    hadoop = {"HADOOP_CONF_DIR": "/etc/hadoop", "YARN_CONF_DIR": "/etc/hadoop"}
    assert made(hadoop, "yarn") == {**PLAIN, **OWN, **hadoop}
    assert made(hadoop, "spark://m:7077") == {**PLAIN, **OWN}
