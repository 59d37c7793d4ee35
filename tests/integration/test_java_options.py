"""The Java of this machine, tried with options."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from ansible.module_utils.kraft.node import jvm_trial
from ansible.module_utils.kraft.spec.desired.jvm import trial_options

JAVA = shutil.which("java") or "java"


def run(command: list[str], **_: object) -> tuple[int, str, str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become a user without rights")
@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["-XX:PermSize=64m"], "PermSize"),
        (["-XX:+UseG1GC -XX:MaxGCPauseMillis=20"], "UseG1GC"),
        (["-XX:+UseG1GC", "-XX:+UseSerialGC"], "garbage collectors"),
        (["-XX:+UseZGC", "-Xss1m", "-XX:+UseStringDeduplication"], ""),
        (["-Xms900g", "-Xmx900g", "-XX:+AlwaysPreTouch", "-Xlog:gc*:file=/root/no/gc.log", "-javaagent:/none.jar"], ""),
    ],
)
def test_java_refuses_what_it_does_not_know_and_nothing_else(options: list[str], why: str) -> None:
    said = jvm_trial.refusal(run, JAVA, trial_options(options), "/none")
    assert why in said
    assert bool(said) is bool(why)
