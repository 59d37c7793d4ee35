"""Spark's own cluster: a master and two workers from the pyspark package, ended by their pids."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from spark_jobs.installation import JARS
from spark_jobs.submit import find_tools
from tests.integration.kafka_node import free_ports
from tests.integration.patience import until

WORKERS = 2
MASTER_SECONDS = 240
REGISTERED = "Successfully registered with master"


@dataclass(frozen=True)
class Standalone:
    """A master at ``url``, and two workers with one core each in ``directories``."""

    url: str
    directories: tuple[Path, ...]
    processes: tuple[subprocess.Popen[bytes], ...]

    @classmethod
    def start(cls, directory: Path, seconds: float = MASTER_SECONDS) -> Self:
        spark_class = find_tools(os.environ, JARS).spark_submit.with_name("spark-class")
        (port,) = free_ports(1)
        url = f"spark://127.0.0.1:{port}"
        own = tuple(directory / f"worker{number}" for number in range(1, WORKERS + 1))
        master = ["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        worker = ["worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        lines = [master, *([*worker, "--work-dir", str(place), url] for place in own)]
        with (directory / "standalone.log").open("w") as log:
            processes = tuple(_started(spark_class, line, log.fileno()) for line in lines)
        cluster = cls(url, own, processes)
        try:
            _wait_for_port(port, seconds)
            _wait_for_workers(directory / "standalone.log", seconds)
        except BaseException:
            cluster.stop()
            raise
        return cluster

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(30)

    def ran(self) -> list[int]:
        """Tasks that each worker's executors finished."""
        logs = [[log.read_text() for log in place.glob("app-*/*/stderr")] for place in self.directories]
        return [sum(text.count("Finished task") for text in texts) for texts in logs]

    def executors(self) -> list[int]:
        """Pids of the executors that run."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                line, place = (process / "cmdline").read_text(), (process / "cwd").readlink()
            except OSError:
                continue
            if "ExecutorBackend" in line and set(self.directories) & set(place.parents):
                found.append(int(process.name))
        return found


def _started(spark_class: Path, line: Sequence[str], log: int) -> subprocess.Popen[bytes]:
    name, *rest = line
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [str(spark_class), f"org.apache.spark.deploy.{name}", *rest]
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log)


def _wait_for_workers(log: Path, seconds: float) -> None:
    """An application that starts before a worker is there would run on the other one alone."""
    text = until(log.read_text, lambda found: found.count(REGISTERED) >= WORKERS, seconds)
    assert text.count(REGISTERED) >= WORKERS, text


def _wait_for_port(port: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, "the master does not listen"
            time.sleep(0.1)
        else:
            return
