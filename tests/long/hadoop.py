"""Hadoop's own servers on loopback: HDFS, a ResourceManager and two NodeManagers, in one JVM."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from xml.sax.saxutils import escape

from ansible.module_utils.kraft.node.release.appcds_archive import java_home

from dist import locks, maven
from spark_jobs.installation import spark_home
from tests.integration.kafka_node import JVM, LEASH, free_ports
from tests.long.lab_hosts import ROOT

LOCK = "hadoop-3.5.0"
JARS = ROOT / ".cache/hadoop/jars"
NODES = 2
NODE_MB = 2304  #: room for an application's master and one executor of 768 MB, or for one such executor
NARROW = "narrow"  #: a queue with room for an application's master, and for no executor
START_SECONDS = 180
EXECUTOR = "YarnCoarseGrainedExecutorBackend"
LOGGING = """
status = error
appender.file.type = File
appender.file.name = file
appender.file.fileName = {path}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
"""


@dataclass(frozen=True)
class Hadoop:
    """The servers, with data, logs and settings in ``home``."""

    home: Path
    process: subprocess.Popen[str]

    @classmethod
    def start(cls, home: Path) -> Self:
        """Return when HDFS is formatted and up, and both NodeManagers are registered."""
        maven.fetch(locks.read(LOCK), JARS)
        _write_settings(home)
        jars = os.pathsep.join([str(home / "conf"), str(JARS / "*"), str(spark_home() / "jars/*")])
        logging = f"-Dlog4j2.configurationFile={home / 'log4j2.properties'}"
        line = [*LEASH, "java", "-Xmx512m", *JVM, logging, "-cp", jars]
        with (home / "console.log").open("w") as errors:
            process = subprocess.Popen(
                [*line, str(ROOT / "tests/long/HadoopServers.java"), str(home), str(NODES)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=home,
                env={**os.environ, "JAVA_HOME": java_home(shutil.which("java") or "java")},
            )
        servers = cls(home, process)
        late = threading.Timer(START_SECONDS, process.kill)
        late.start()
        try:
            assert servers._line() == "ready", servers.last_lines()
        finally:
            late.cancel()
        return servers

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(30)

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which a reader of docs/data_engineers.md reaches the servers."""
        return {"HADOOP_CONF_DIR": str(self.home / "conf"), "SPARK_LOCAL_IP": "127.0.0.1"}

    def files(self) -> list[str]:
        """Paths of all files in HDFS."""
        return self._answers("list")

    def stop_node(self, node: str) -> None:
        """Stop a NodeManager, and with it all executors on it."""
        self._answers(f"stop {node}")

    def start_node(self, node: str) -> None:
        self._answers(f"start {node}")

    def _answers(self, line: str) -> list[str]:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return list(iter(self._line, "end"))

    def executors(self) -> dict[int, str]:
        """The NodeManager of each executor that runs, by pid."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                line = (process / "cmdline").read_text()
            except OSError:
                continue
            if EXECUTOR in line and str(self.home) in line and line.partition("\0")[0].endswith("/java"):
                found[int(process.name)] = line.partition(f"{self.home}/node")[2][0]
        return found

    def ran(self) -> list[int]:
        """Tasks that the executors on each NodeManager finished."""
        logs = [(self.home / f"node{node}/logs").glob("application*/container*/stderr") for node in range(1, NODES + 1)]
        return [sum(log.read_text().count("Finished task") for log in found) for found in logs]

    def last_lines(self) -> str:
        logs = [self.home / "console.log", self.home / "servers.log"]
        return "\n".join(log.read_text(errors="replace")[-4000:] for log in logs if log.exists())

    def _line(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"Hadoop's servers ended:\n{self.last_lines()}"
        return line.rstrip("\n")


def _write_settings(home: Path) -> None:
    conf = home / "conf"
    conf.mkdir(parents=True)
    for name, settings in _settings(home).items():
        rows = (
            f"<property><name>{key}</name><value>{escape(value)}</value></property>" for key, value in settings.items()
        )
        (conf / name).write_text("<configuration>\n" + "\n".join(rows) + "\n</configuration>\n")
    (home / "log4j2.properties").write_text(LOGGING.format(path=home / "servers.log"))


def _settings(home: Path) -> Mapping[str, Mapping[str, str]]:
    ports = [f"127.0.0.1:{port}" for port in free_ports(7)]
    manager = ("", ".scheduler", ".resource-tracker", ".admin", ".webapp")
    hdfs = {f"dfs.datanode.{name}address": "127.0.0.1:0" for name in ("", "http.", "ipc.")}
    nodes = {f"yarn.nodemanager.{name}address": "127.0.0.1:0" for name in ("", "localizer.", "webapp.")}
    queue = "yarn.scheduler.capacity"
    return {
        "core-site.xml": {"fs.defaultFS": f"hdfs://{ports[0]}", "hadoop.tmp.dir": str(home / "tmp")},
        "hdfs-site.xml": {"dfs.namenode.http-address": ports[1], "dfs.replication": "1", **hdfs},
        "yarn-site.xml": {
            **{f"yarn.resourcemanager{name}.address": port for name, port in zip(manager, ports[2:])},
            **nodes,
            "yarn.nodemanager.resource.memory-mb": str(NODE_MB),
            "yarn.scheduler.minimum-allocation-mb": "256",
            "yarn.scheduler.maximum-allocation-mb": str(NODE_MB),
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99",
        },
        "capacity-scheduler.xml": {
            f"{queue}.root.queues": f"default,{NARROW}",
            f"{queue}.root.default.capacity": "75",
            f"{queue}.root.default.maximum-capacity": "100",
            f"{queue}.root.{NARROW}.capacity": "25",
            f"{queue}.root.{NARROW}.maximum-capacity": "25",
            f"{queue}.maximum-am-resource-percent": "1",
        },
    }
