"""The options and the command of the page read a value of a JVM."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import yaml

from tests.integration.kafka_home import class_path
from tests.integration.kafka_node import LEASH, free_ports
from tests.integration.patience import until

PAGE = (Path(__file__).resolve().parents[2] / "docs/daily_use.md").read_text()
SLEEPS = "public class Sleeps { public static void main(String[] a) throws Exception { Thread.sleep(600_000); } }"
OF_KAFKA, OF_EVERY_JVM = "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions", "java.lang:type=Runtime"


def test_one_value_is_read_by_the_command_of_the_page(tmp_path: Path) -> None:
    section = PAGE.partition("## One value of JMX")[2]
    (port,) = free_ports(1)
    options = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)[0])["kafka_jvm_options"]
    tool, *asked = shlex.split(re.findall(r"```text\n(.*?)```", section, re.DOTALL)[0])
    assert (tool, asked[-1]) == ("/opt/kafka/bin/kafka-jmx.sh", OF_KAFKA)
    (tmp_path / "Sleeps.java").write_text(SLEEPS)
    words = [option.replace("9999", str(port)) for option in options]
    with subprocess.Popen([*LEASH, "java", "-Xmx64m", *words, str(tmp_path / "Sleeps.java")]) as jvm:
        command = [word.replace("9999", str(port)) for word in [*asked[:-1], OF_EVERY_JVM, "--attributes", "SpecName"]]
        command += ["--report-format", "properties"]
        line = ["java", "-Xmx64m", *class_path(), "org.apache.kafka.tools.JmxTool", *command]

        def told() -> str:
            done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
            return done.stdout + done.stderr

        said = until(told, lambda found: "SpecName=" in found)
        jvm.kill()
    assert f"{OF_EVERY_JVM}:SpecName=Java Virtual Machine Specification" in said
