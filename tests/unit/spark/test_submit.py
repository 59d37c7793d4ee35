"""Missing tools of this machine are named before anything is started; the command line is whole."""

from __future__ import annotations

import argparse
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_jobs import config, masters, native_smoke_command, report, submit
from spark_jobs.config import SmokeConfig
from spark_jobs.errors import EXIT_DEFECT, EXIT_FAILED, EXIT_PROVEN, EXIT_UNREACHABLE, EXIT_USAGE, InstallationError
from spark_jobs.progress import Progress

PATIENCE = 60.0  #: seconds for what must happen, on a machine as busy as may be
EXAMPLE = json.loads((Path(__file__).parent / "example_report.json").read_text())


def fake_java(directory: Path, says: str) -> Path:
    path = directory / "bin" / "java"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    directory = tmp_path / "jars"
    directory.mkdir()
    for name in ("spark-sql-kafka-0-10_2.13-4.2.0.jar", "kafka-clients-3.9.2.jar"):
        (directory / name).touch()
    return directory


def test_no_java_at_all_is_named_with_its_remedy() -> None:
    with pytest.raises(InstallationError, match=r"no java on PATH .* install a Java runtime 17"):
        submit.check_java({"PATH": "/nowhere"})


def test_a_java_home_without_java_is_named() -> None:
    with pytest.raises(InstallationError, match=r"/nowhere/bin/java cannot be run \(No such file"):
        submit.check_java({"JAVA_HOME": "/nowhere"})


def test_an_old_java_is_named_with_its_version(tmp_path: Path) -> None:
    fake_java(tmp_path, 'openjdk version "11.0.2"')
    with pytest.raises(InstallationError, match=r'not Java 17 or newer \(openjdk version "11\.0\.2"\)'):
        submit.check_java({"JAVA_HOME": str(tmp_path)})


def test_a_new_java_on_the_path_is_enough(tmp_path: Path) -> None:
    java = fake_java(tmp_path, 'openjdk version "25" 2025-09-16')
    submit.check_java({"PATH": str(java.parent)})


def test_missing_jars_are_named_with_what_makes_them(tmp_path: Path) -> None:
    fake_java(tmp_path, 'openjdk version "17.0.1"')
    with pytest.raises(InstallationError, match=r"no spark-sql-kafka.* in .*absent: .*`make client`"):
        submit.find_tools({"JAVA_HOME": str(tmp_path)}, tmp_path / "absent")


def test_the_line_names_master_jars_and_settings(jars: Path) -> None:
    tools = submit.Tools(Path("/spark/bin/spark-submit"), tuple(sorted(jars.glob("*.jar"))))
    line = submit.command(tools, "spark://host:7077", ["spark.executor.memory=2g"], 200_000, Path("smoke.json"))
    assert line[:3] == ["/spark/bin/spark-submit", "--master", "spark://host:7077"]
    assert line[4] == f"{jars}/kafka-clients-3.9.2.jar,{jars}/spark-sql-kafka-0-10_2.13-4.2.0.jar"
    assert line[-5:] == [
        "--conf",
        "spark.executor.memory=2g",
        str(submit.ROOT / "spark_jobs/smoke.py"),
        "--config",
        "smoke.json",
    ]


def test_a_local_master_stays_on_loopback_and_the_users_setting_comes_last(jars: Path) -> None:
    tools = submit.Tools(Path("/spark/bin/spark-submit"), tuple(jars.glob("*.jar")))
    line = submit.command(tools, "local[*]", ["spark.driver.host=10.0.0.9"], 1, Path("smoke.json"))
    hosts = [part for part in line if part.startswith("spark.driver.host=")]
    assert hosts == ["spark.driver.host=127.0.0.1", "spark.driver.host=10.0.0.9"]


@pytest.mark.parametrize(("records", "words"), [(200_000, "TieredStopAtLevel=1"), (5_000_000, "UseParallelGC")])
def test_long_runs_get_the_compiler_that_pays_later(jars: Path, records: int, words: str) -> None:
    tools = submit.Tools(Path("/spark/bin/spark-submit"), tuple(jars.glob("*.jar")))
    line = submit.command(tools, "local[*]", [], records, Path("smoke.json"))
    assert words in line[line.index("--driver-java-options") + 1]


def is_gone(pid: int) -> bool:
    """Wait until a process has ended, though no one may have waited for it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]:
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_a_run_that_takes_too_long_is_ended_with_all_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child"
    wait = subprocess.Popen.wait

    def wait_for_child_first(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        deadline = time.monotonic() + PATIENCE
        while timeout and not (child.exists() and child.read_text()) and time.monotonic() < deadline:
            time.sleep(0.01)
        return wait(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_for_child_first)
    script = (
        "import pathlib, subprocess, time\n"
        f"pathlib.Path({str(child)!r}).write_text(str(subprocess.Popen(['sleep', '300']).pid))\n"
        "time.sleep(300)\n"
    )
    log = tmp_path / "spark.log"
    assert submit._watched([sys.executable, "-c", script], 1.0, log, "local[*]") is None
    assert is_gone(int(child.read_text())), "the child still runs"


def test_the_end_of_sparks_output_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    log.write_text("".join(f"line {n}\n" for n in range(100)))
    assert submit.tail(log).splitlines() == [f"line {n}" for n in range(70, 100)]


@pytest.mark.parametrize("arguments", [[], ["--config"], ["--config", "absent.json", "--unknown"]])
def test_bad_arguments_are_usage_and_not_unreachable(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert submit.main(arguments) == EXIT_USAGE != EXIT_UNREACHABLE
    assert "usage: submit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("spark.ssl.keyPassword=x", "spark.ssl.keyPassword is a secret.*spark-defaults.conf"),
        ("spark.executor.memory", "'spark.executor.memory' is not a setting and its value"),
    ],
)
def test_a_setting_that_is_none_or_a_secret_is_refused(given: str, said: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=said):
        masters.setting(given)


def test_the_path_of_a_secret_is_none() -> None:
    given = "spark.kubernetes.authenticate.submission.oauthTokenFile=/run/token"
    assert masters.setting(given) == given


def test_the_environment_has_a_java_that_is_new_enough() -> None:
    submit.check_java(os.environ)


def prepared(
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: int | None,
    said: str,
    saved: Callable[[], None] = lambda: None,
) -> SmokeConfig:
    """A run whose spark-submit ends with `code`, leaves `said` in its log, and has `saved` a report."""
    settings = {"run_id": "run-1", "bootstrap_servers": "k1:9092", "topic": "smoke", "output_dir": str(directory)}
    numbers = {"partitions": 2, "records": 100, "record_bytes": 100}
    (directory / "smoke.json").write_text(json.dumps({**settings, **numbers}))
    (directory / submit.LOG).write_text(said)
    monkeypatch.setattr(submit, "find_tools", lambda *_: submit.Tools(directory / "bin" / "spark-submit", ()))

    def watched(*_: object) -> int | None:
        saved()
        return code

    monkeypatch.setattr(submit, "_watched", watched)
    monkeypatch.setattr(native_smoke_command, "saved_or_made", lambda *_: None)
    return config.load(directory / "smoke.json")


def run(directory: Path) -> int:
    return submit.main(["--config", str(directory / "smoke.json"), "--master", "nonsense"])


def left(directory: Path, settings: SmokeConfig, outcome: str, counted: bool = False) -> None:
    """The report that the job had saved before it ended."""
    draft = report.begun(settings, Progress(directory))
    draft["verdict"]["outcome"] = outcome  # type: ignore[typeddict-item]
    if counted:
        draft["counts"], draft["changes"] = EXAMPLE["counts"], EXAMPLE["changes"]
    report.write(draft, Progress(directory), directory)


@pytest.mark.parametrize(
    ("saved", "ended", "code"),
    [
        (None, 1, EXIT_DEFECT),
        ("unreachable", 1, EXIT_DEFECT),
        ("failed", 1, EXIT_FAILED),
        (None, 0, EXIT_DEFECT),
        ("unreachable", 0, EXIT_DEFECT),
        ("proven", 0, EXIT_PROVEN),
    ],
)
def test_an_exit_code_of_spark_without_the_jobs_report_is_no_verdict(
    saved: str | None, ended: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def job() -> None:
        if saved:
            left(tmp_path, settings, saved)

    settings = prepared(tmp_path, monkeypatch, ended, "something odd\n", job)
    assert run(tmp_path) == code


def test_a_spark_that_says_why_it_cannot_start_is_usage_with_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "Exception: When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set\n"
    settings = prepared(tmp_path, monkeypatch, 1, said)
    assert run(tmp_path) == EXIT_USAGE
    assert "HADOOP_CONF_DIR or YARN_CONF_DIR must be set" in capsys.readouterr().err
    found = report.of_run(settings)
    assert found is not None
    assert found["verdict"]["outcome"] == "undecided"


@pytest.mark.parametrize("counted", [False, True])
def test_a_run_that_takes_too_long_keeps_what_it_had_found(
    counted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = prepared(tmp_path, monkeypatch, None, "", lambda: left(tmp_path, settings, "unreachable", counted))
    (tmp_path / "progress.log").write_text("   0.5 s  Spark 4.2.0 is up on nonsense\n   1.0 s  wrote 100 records\n")
    assert run(tmp_path) == EXIT_USAGE
    assert "Last done: wrote 100 records." in capsys.readouterr().err
    found = report.of_run(settings)
    assert found is not None
    assert found["verdict"]["outcome"] == "undecided"
    assert (found["counts"] == EXAMPLE["counts"]) is counted
    assert any("were read back exactly once" in sentence for sentence in found["verdict"]["sentences"]) is counted


def test_a_trimmed_java_is_named_with_the_module_that_it_lacks(tmp_path: Path) -> None:
    java = fake_java(tmp_path, 'openjdk version "25" 2025-09-16')
    java.write_text(
        "#!/bin/sh\necho 'Error occurred during initialization of boot layer'\n"
        "echo 'java.lang.module.FindException: Module jdk.incubator.vector not found'; exit 1\n"
    )
    with pytest.raises(InstallationError, match=r"lacks the module jdk\.incubator\.vector"):
        submit.check_java({"JAVA_HOME": str(tmp_path)})


def test_a_driver_that_a_signal_ended_is_usage_with_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = prepared(tmp_path, monkeypatch, -9, "")
    (tmp_path / "progress.log").write_text("   1.0 s  wrote 100 records\n")
    assert run(tmp_path) == EXIT_USAGE
    assert "Spark's driver was killed by SIGKILL. Last done: wrote 100 records." in capsys.readouterr().err
    found = report.of_run(settings)
    assert found is not None
    assert found["verdict"]["outcome"] == "undecided"


def test_a_master_that_starts_no_application_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepared(tmp_path, monkeypatch, None, "")
    (tmp_path / "progress.log").write_text("   1.0 s  a record in each of 2 partitions\n")
    assert run(tmp_path) == EXIT_USAGE
    assert "nonsense did not start the application within 600 s: its queue is full" in capsys.readouterr().err


def test_what_a_killed_driver_started_is_ended_too(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = (
        "import os, pathlib, subprocess\n"
        f"pathlib.Path({str(child)!r}).write_text(str(subprocess.Popen(['sleep', '300']).pid))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert submit._watched([sys.executable, "-c", script], PATIENCE, tmp_path / "spark.log", "yarn") == -9
    assert is_gone(int(child.read_text())), "the child still runs"
