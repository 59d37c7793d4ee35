"""Java is tried with new options, as a user without rights, and refuses for the options' sake alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node import jvm_trial
from ansible.module_utils.kraft.spec.desired.jvm import trial_options

END = "Error: A fatal exception has occurred. Program will exit.\n"
COULD_NOT, AT_START = jvm_trial.REFUSED
PERM_SIZE = f"Unrecognized VM option 'PermSize=64m'\nError: {COULD_NOT}.\n{END}"


class Java:
    """Gives the answer that the test wants, and keeps how it was started."""

    def __init__(self, code: int = 0, said: str = "") -> None:
        self.answer, self.started = (code, "", said), list[list[str]]()

    def __call__(self, command: list[str], **_: object) -> tuple[int, str, str]:
        self.started.append(command)
        return self.answer


def refusal(java: Java, file: Path, *options: str) -> str:
    return jvm_trial.refusal(java, sys.executable, list(options), str(file))


@pytest.mark.parametrize(
    ("code", "said", "why"),
    [
        (0, "openjdk version 17", ""),
        (1, PERM_SIZE, "Unrecognized VM option 'PermSize=64m'"),
        (1, f"Error: {COULD_NOT}.\n{END}", "no reason given"),
        (1, f"Could not reserve enough space for object heap\nError: {COULD_NOT}.\n", ""),
        (1, f"{AT_START}\nMultiple garbage collectors selected\n", "Multiple garbage collectors selected"),
        (1, f"{AT_START}\nCould not reserve enough space for 2097152KB object heap\n", ""),
        (124, "", ""),
        (127, "setpriv: failed to execute /opt/java/bin/java: Permission denied", ""),
    ],
)
def test_only_the_options_are_refused(tmp_path: Path, code: int, said: str, why: str) -> None:
    java = Java(code, said)
    assert refusal(java, tmp_path / "none", "-XX:PermSize=64m") == why
    (command,) = java.started
    assert command[: command.index(sys.executable)] == ["timeout", "30", *jvm_trial.AS_NOBODY]
    assert command[-1] == "-version"


def test_java_is_not_started_for_options_that_the_node_has(tmp_path: Path) -> None:
    file = tmp_path / "jvm.options"
    file.write_text('-Xmx1g\n-XX:+UseZGC\n"-XX:A=b c"\n')
    java = Java(1, PERM_SIZE)
    assert refusal(java, file, "-XX:+UseZGC", "-XX:A=b c") == refusal(java, file) == ""
    assert java.started == []
    assert refusal(java, file, "-XX:+UseZGC", "-XX:PermSize=64m") != ""


def test_no_java_is_no_refusal(tmp_path: Path) -> None:
    java = Java(1, PERM_SIZE)
    assert jvm_trial.refusal(java, str(tmp_path / "java"), ["-XX:PermSize=64m"], "") == ""
    assert java.started == []


def test_what_has_effects_or_secrets_is_not_tried() -> None:
    left_out = [
        *(
            "-Dpassword=x",
            "-javaagent:/a.jar=1",
            "-agentlib:jdwp=address=1",
            "-Xrunjdwp:x",
            "-Xlog:gc*:file=/var/log/gc.log",
        ),
        *("-Xms6g", "-Xmx6g", "-XX:+AlwaysPreTouch", "-XX:StartFlightRecording=filename=/x", "-XX:MaxRAMPercentage=70"),
        *("-XX:OnOutOfMemoryError=kill -9 %p", "-cp", "notes"),
    ]
    tried = [
        "-XX:+UseG1GC -XX:MaxGCPauseMillis=20",
        "-XX:PermSize=64m",
        "-XX:+UseConcMarkSweepGC",
        "-Xss1m",
        "--enable-preview",
    ]
    assert trial_options([*left_out, *tried]) == tried
