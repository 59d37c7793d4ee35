"""kafka_appcds_archive with java and systemd played: each host makes its own, and none is in use without a trial."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.release import appcds_archive, appcds_archive_io
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.release.appcds_archive import AppCdsArchive, plan_appcds_archive

from tests.unit.modules.archives import checksum, make_archive
from tests.unit.modules.module_runner import Result, RunModule

VERSION = "9.9.1"
JAVA = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
for word in "$@"; do
  case "$word" in
    -XX:SharedArchiveFile=*) file="${word#*=}" ;;
    -XX:SharedClassListFile=*) list="${word#*=}" ;;
  esac
done
case "$1" in
  -Xshare:dump) test "$(cat "$list")" = "one/Class" || { echo "no list"; exit 1; }; echo data > "$file" ;;
  -Xshare:on) test "$(cat "$file")" = data || { echo "Unable to use shared archive."; exit 1; } ;;
esac
"""

SYSTEMD = {
    "systemd-run": """#!/bin/sh
for word in "$@"; do
  case "$word" in
    --property=WorkingDirectory=*) cd "${word#*=*=}" ;;
    --property=ExecStopPost=+/bin/sh*) last="${word##* }" ;;
  esac
done
sh "$word" && SERVICE_RESULT=success sh "$last" || SERVICE_RESULT=exit-code sh "$last"
""",
    "systemctl": "#!/bin/sh\nexit 3\n",
}


@pytest.mark.parametrize(
    ("found", "action"),
    [
        (AppCdsArchive(key="a"), "make"),
        (AppCdsArchive(key=""), "none"),
        (AppCdsArchive(key="", tried="a", usable=True, exists=True, enabled=True), "disable"),
        (AppCdsArchive(key="a", making=True), "none"),
        (AppCdsArchive(key="a", tried="a", usable=True, exists=True, enabled=True), "none"),
        (AppCdsArchive(key="a", tried="a", usable=True, exists=True), "enable"),
        (AppCdsArchive(key="a", tried="a", usable=False), "none"),
        (AppCdsArchive(key="a", tried="a", usable=True, exists=False, enabled=True), "make"),
        (AppCdsArchive(key="new", tried="old", usable=True, exists=True, enabled=True), "make"),
    ],
)
def test_actions_follow_from_what_is_found(found: AppCdsArchive, action: str) -> None:
    assert plan_appcds_archive(found) == action


class Host:
    """A host with a release and a JVM. `build` identifies a build of the JVM."""

    def __init__(self, root: Path, run: RunModule, build: str = "17.0.15") -> None:
        self.root, self.run = root, run
        self.home, self.install_dir = root / "jvm", root / "kafka"
        self.release = self.install_dir / "releases" / VERSION
        for name in ("release", *appcds_archive.JVM_FILES, "bin/java"):
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(build)
            os.utime(path, (1, 1))
        self.java = self.home / "bin/java"
        self.java.write_text(JAVA)
        self.java.chmod(0o755)
        (root / "list.gz").write_bytes(gzip.compress(b"one/Class"))
        self.systemd = root / "systemd"
        self.systemd.mkdir()
        for name, text in SYSTEMD.items():
            (self.systemd / name).write_text(text)
            (self.systemd / name).chmod(0o755)
        self.archive = make_archive(root / "kafka.tgz")
        (self.install_dir / "releases").mkdir(parents=True)
        self.unpack()

    def unpack(self) -> Result:
        given = {"version": VERSION, "install_dir": str(self.install_dir), "checksum": checksum(self.archive)}
        return self.run("kafka_release", archive=str(self.archive), **given)

    def kafka_appcds_archive(self, check_mode: bool = False, **params: Any) -> Result:
        given = {"version": VERSION, "checksum": checksum(self.archive), "java": str(self.java)}
        given["class_list"] = str(self.root / "list.gz")
        return self.run("kafka_appcds_archive", check_mode, install_dir=str(self.install_dir), **{**given, **params})

    make = kafka_appcds_archive

    def options(self) -> str:
        return (self.release / "classpath.options").read_text()


@pytest.fixture
def host(tmp_path: Path, run_module: RunModule, monkeypatch: pytest.MonkeyPatch) -> Host:
    made = Host(tmp_path, run_module)
    monkeypatch.setenv("PATH", f"{made.systemd}:{os.environ['PATH']}")
    return made


def test_appcds_archive_is_made_once_tried_and_then_used(host: Host) -> None:
    first, second = host.make(), host.make()
    assert (first["operation"], first["changed"], first["in_use"], first["missing"]) == ("make", True, True, False)
    assert (second["operation"], second["changed"], second["in_use"]) == ("none", False, True)
    start = f"-XX:SharedArchiveFile={host.release}/classes.jsa\n-XX:+VerifySharedSpaces\n-cp "
    assert host.options().startswith(start)
    assert not (host.release / appcds_archive.WORK).exists()
    assert [line.split()[0] for line in (host.home / "bin/calls").read_text().splitlines()] == [
        "-Xshare:dump",
        "-Xshare:on",
    ]


def test_a_release_with_appcds_archive_is_still_complete(host: Host) -> None:
    host.make()
    assert release.observe_release(str(host.install_dir), VERSION).complete
    assert host.unpack()["changed"] is False


def test_check_mode_predicts_and_starts_no_java(host: Host) -> None:
    assert host.make(check_mode=True)["changed"]
    assert not (host.home / "bin/calls").exists()
    assert host.options().startswith("-cp ")


def test_one_of_an_earlier_version_which_may_be_another_hosts_is_made_again(host: Host) -> None:
    host.make()
    record = host.release / "classes.json"
    found = appcds_archive.parse_record(record.read_text())
    record.write_text(appcds_archive.record_text(f"{found['key']}0", True, ""))
    (host.systemd / "systemd-run").write_text("#!/bin/sh\n")
    assert host.make()["operation"] == "make"
    assert host.options().startswith("-cp "), "out of use until its own is made"


def test_a_jvm_that_makes_none_is_no_failure(host: Host) -> None:
    (host.root / "list.gz").write_bytes(gzip.compress(b"another"))
    first, second = host.make(), host.make()
    assert first["reason"].startswith("the JVM made no AppCDS archive that it takes")
    assert (first["in_use"], second["changed"]) == (False, False)
    assert host.options().startswith("-cp ")


def test_a_making_that_was_killed_is_begun_again(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\n")
    begun = host.make()
    assert (begun["operation"], begun["changed"], begun["in_use"], begun["missing"]) == ("make", False, False, True)
    (host.systemd / "systemd-run").write_text(SYSTEMD["systemd-run"])
    assert host.make()["in_use"]


def test_a_making_that_was_ended_leaves_no_record(host: Host) -> None:
    (host.systemd / "systemd-run").write_text(SYSTEMD["systemd-run"].replace("=exit-code", "=signal"))
    (host.root / "list.gz").write_bytes(gzip.compress(b"another"))
    assert host.make()["missing"]
    assert not [path.name for path in host.release.iterdir() if path.name in ("classes.json", appcds_archive.WORK)]


def test_a_link_in_place_of_what_java_makes_is_not_taken(host: Host) -> None:
    (host.root / "of-root").write_text("data")
    host.java.write_text(JAVA.replace('echo data > "$file"', f'ln -s {host.root}/of-root "$file"'))
    assert not host.make()["in_use"]
    assert not (host.release / "classes.jsa").exists()


def test_a_user_without_rights_makes_it_and_a_host_that_goes_down_ends_it_at_once() -> None:
    asked: list[list[str]] = []

    def run(words: list[str]) -> tuple[int, str, str]:
        asked.append(words)
        return 0, "", ""

    appcds_archive_io.begin(run, "/opt/kafka/releases/9.9.1/.classes")
    rights = {"User=nobody", "NoNewPrivileges=true", "CapabilityBoundingSet=", "ProtectSystem=strict"}
    assert {f"--property={each}" for each in ("KillSignal=SIGKILL", *rights)} <= set(asked[0])
    assert next(each for each in asked[0] if "ReadWritePaths" in each).endswith("/.classes/made")


def test_a_making_that_runs_is_left_alone(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\n")
    (host.systemd / "systemctl").write_text("#!/bin/sh\n")
    first, second = host.make(), host.make()
    assert (first["changed"], first["making"], first["missing"]) == (True, True, False)
    assert (second["operation"], second["changed"]) == ("none", False)


def test_a_making_that_ends_while_it_is_looked_at_is_not_begun_again(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\n")
    host.make()
    work = f"{host.release}/.classes"
    ends = f"#!/bin/sh\ncd {work}/made && sh ../make.sh && SERVICE_RESULT=success sh {work}/finish.sh\nexit 3\n"
    (host.systemd / "systemctl").write_text(ends)
    result = host.make()
    assert (result["operation"], result["changed"], result["in_use"]) == ("none", False, True)


def test_a_host_that_cannot_make_it_is_told_and_goes_on(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\necho no bus >&2\nexit 1\n")
    result = host.make()
    assert (result.get("failed", False), result["changed"], result["in_use"]) == (False, False, False)
    assert result["reason"] == "systemd-run: no bus"


def test_after_a_new_jvm_the_old_appcds_archive_goes_out_of_use(host: Host) -> None:
    host.make()
    (host.home / "release").write_text("17.0.16")
    (host.home / "bin/calls").unlink()
    result = host.make()
    assert (result["operation"], result["in_use"], result["missing"]) == ("make", True, False)
    assert "-Xshare:dump" in (host.home / "bin/calls").read_text()


def test_without_a_jvm_nothing_is_done(host: Host) -> None:
    result = host.kafka_appcds_archive(java="/no/such/bin/java")
    assert (result["changed"], result["in_use"], result["missing"]) == (False, False, False)
    assert result["reason"].startswith("no JVM that could use the AppCDS archive")


def test_appcds_archive_of_an_incomplete_release_is_refused(host: Host) -> None:
    (host.release / "MANIFEST").unlink()
    assert "the release is not complete" in host.make()["msg"]
