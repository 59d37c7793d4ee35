"""The unit and the logging as they are rendered: hardened, bounded, and readable by what reads them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml
from ansible.module_utils.kraft.node.release.manifest import CLASSPATH, MANIFEST
from ansible.module_utils.kraft.node.service.differences import CONFIG_FILES, RELOADED
from ansible.module_utils.kraft.node.service.record import STARTED_DIR
from ansible.module_utils.kraft.node.service.unit_fingerprint import fingerprint, fingerprinted
from ansible.module_utils.kraft.spec.desired.contributions import contributed_lines
from ansible.module_utils.kraft.spec.desired.plugins import OPTIONS, class_path_lines

TEMPLATES = Path(__file__).resolve().parents[3] / "roles/kafka/templates"
LOG_DIRS = ["/opt/kafka/kraft-logs/kafka-logs1", "/disk2/kafka"]
NODE: dict[str, Any] = {"class_path_lines": [], "java": "/usr/bin/java", "all_log_dirs": LOG_DIRS}
VARIABLES: dict[str, Any] = {
    "kafka_install_dir": "/opt/kafka",
    "kafka_user": "kafka",
    "kafka_group": "kafka",
    "kafka_log4j_dir": "/var/log/kafka",
    "__kafka_contributed": {"unit_lines": []},
    "__kafka_node": NODE,
    "kafka_nofile_limit": 100000,
    "ansible_facts": {"kafka_host": {"limits": {"nofile_hard": 20000}}},
}


def render(name: str, **changed: Any) -> str:
    """Render like Ansible: blocks take their line with them, an unknown variable is an error."""
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined)  # noqa: S701 - no markup
    environment.tests["match"] = lambda text, pattern: re.match(pattern, text) is not None
    return environment.from_string((TEMPLATES / name).read_text()).render(**{**VARIABLES, **changed})


def values(text: str, key: str) -> list[str]:
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{key}=")]


@pytest.fixture
def unit() -> str:
    return fingerprinted(render("kafka.service.j2"))


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_exposure_is_at_most_two(tmp_path: Path, unit: str) -> None:
    (tmp_path / "kafka.service").write_text(unit)
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20"]
    done = subprocess.run([*command, str(tmp_path / "kafka.service")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_jvm_may_compile_and_may_write_where_kafka_writes(unit: str) -> None:
    assert "MemoryDenyWriteExecute=true" not in unit
    assert values(unit, "ReadWritePaths") == [f"-{path}" for path in ["/var/log/kafka", *LOG_DIRS]]
    assert values(unit, "RequiresMountsFor") == LOG_DIRS


def test_the_record_holds_all_that_a_later_run_compares(unit: str) -> None:
    *_, made, copy = values(unit, "ExecStartPre")
    assert {Path(word).name for word in copy.split("/run/kafka-started ")[1].split()} == {
        *CONFIG_FILES,
        MANIFEST,
        "kafka.service",
    }
    assert made == f"+/usr/bin/install -d -m 0700 {STARTED_DIR}"
    assert values(unit, "Environment") == [f"KRAFTWRIGHT_UNIT={fingerprint(unit)}"]


def test_root_makes_the_record_where_the_service_cannot_write_and_removes_it_with_the_process(unit: str) -> None:
    assert not values(unit, "RuntimeDirectory")
    assert not [path for path in values(unit, "ReadWritePaths") if STARTED_DIR.startswith(path.lstrip("-"))]
    touching = [line.partition("=")[2] for line in unit.splitlines() if STARTED_DIR in line]
    assert {command[0] for command in touching} == {"+"}
    assert values(unit, "ExecStopPost") == [f"+/usr/bin/rm -rf {STARTED_DIR}"]
    assert values(unit, "ExecStartPre")[0].startswith(f"+/usr/bin/rm -rf {STARTED_DIR} ")


def test_contributions_only_add_lines_to_the_unit() -> None:
    given = {"unit_lines": ["Environment=A=b"], "files": [{"name": "metrics.yml", "content": "a: 1\n"}]}
    lines = contributed_lines([given], "/opt/kafka/config")
    before, after = render("kafka.service.j2"), render("kafka.service.j2", __kafka_contributed={"unit_lines": lines})
    copied = "/opt/kafka/config/contributed.list /opt/kafka/config/metrics.yml"
    added = [f"ExecStartPre=+/usr/bin/install -m 0600 -t {STARTED_DIR} {copied}", "Environment=A=b"]
    at = before.splitlines().index("ExecStart=" + values(before, "ExecStart")[0])
    assert after.splitlines() == [*before.splitlines()[:at], *added, *before.splitlines()[at:]]


def test_plugins_only_extend_the_class_path() -> None:
    entries = ["/opt/kafka/plugins/tiered-7d61f737fd66/*", "/opt/kafka/plugins/auth-0f3a9c51d2b4/*"]
    node = {**NODE, "class_path_lines": class_path_lines(entries, "/opt/kafka")}
    before, after = render("kafka.service.j2"), render("kafka.service.j2", __kafka_node=node)
    gone = [line for line in before.splitlines() if line not in after.splitlines()]
    assert [line.partition("=")[0] for line in gone] == ["ExecStart", "ExecStopPost"]
    (start,) = values(after, "ExecStart")
    assert start == values(before, "ExecStart")[0].replace("/opt/kafka/current/classpath.options", OPTIONS)
    assert values(after, "ExecStopPost") == [f"+/usr/bin/rm -rf {STARTED_DIR} {OPTIONS}"]
    assert sum(entry in after for entry in entries) == 2


def test_a_start_names_its_files_and_nothing_secret(unit: str) -> None:
    (start,) = values(unit, "ExecStart")
    assert start.split() == [
        "/usr/bin/java",
        "@/opt/kafka/config/jvm.options",
        f"@/opt/kafka/current/{CLASSPATH}",
        "kafka.Kafka",
        "/opt/kafka/config/server.properties",
    ]


def test_a_log_dir_below_home_is_not_hidden() -> None:
    assert values(render("kafka.service.j2"), "ProtectHome") == ["true"]
    assert values(
        render("kafka.service.j2", __kafka_node={**NODE, "all_log_dirs": ["/home/kafka/logs"]}), "ProtectHome"
    ) == ["read-only"]


@pytest.mark.parametrize("name", ["kafka.service.j2", "log4j2.yaml.j2"])
def test_the_same_variables_give_the_same_text(name: str) -> None:
    assert render(name) == render(name)
    assert "{{" not in render(name)
    assert render(name).startswith("# Written by Kraftwright")


def test_every_log_file_is_bounded() -> None:
    logging = yaml.safe_load(render("log4j2.yaml.j2"))["Configuration"]
    files = logging["Appenders"]["RollingFile"]
    assert [file["name"] for file in files] == ["Server", "Controller", "StateChange", "Authorizer"]
    for file in files:
        assert file["SizeBasedTriggeringPolicy"]["size"].endswith(" MB")
        assert int(file["DefaultRolloverStrategy"]["max"]) <= 10


def test_errors_of_every_logger_but_the_authorizers_are_in_server_log_and_journal() -> None:
    logging = yaml.safe_load(render("log4j2.yaml.j2"))["Configuration"]
    loggers = {entry["name"]: entry for entry in logging["Loggers"]["Logger"]}
    assert {ref["ref"] for ref in logging["Loggers"]["Root"]["AppenderRef"]} == {"Server", "Journal"}
    for name in ("org.apache.kafka.controller", "state.change.logger"):
        levels = {ref["ref"]: ref.get("level") for ref in loggers[name]["AppenderRef"]}
        assert (levels["Server"], levels["Journal"]) == ("WARN", "WARN")


def test_a_running_kafka_takes_changed_logging_over() -> None:
    assert RELOADED.search(render("log4j2.yaml.j2"))
