"""kafka_appcds_archive with java and systemd played: made once, brought to the others, never in use without a trial."""

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
    "systemd-run": '#!/bin/sh\nfor word in "$@"; do script="$word"; done\nPATH="$PATH" sh "$script"\n',
    "systemctl": "#!/bin/sh\nexit 3\n",
}


@pytest.mark.parametrize(
    ("found", "brought", "can_make", "action"),
    [
        (AppCdsArchive(key="a"), False, False, "none"),
        (AppCdsArchive(key="a"), True, True, "install"),
        (AppCdsArchive(key="a"), False, True, "make"),
        (AppCdsArchive(key=""), True, True, "none"),
        (AppCdsArchive(key="a", making=True), True, True, "none"),
        (AppCdsArchive(key="a", tried="a", usable=True, exists=True, enabled=True), True, True, "none"),
        (AppCdsArchive(key="a", tried="a", usable=True, exists=True), True, True, "enable"),
        (AppCdsArchive(key="a", tried="a", usable=False), True, True, "none"),
        (AppCdsArchive(key="a", tried="a", usable=True, exists=False, enabled=True), False, False, "disable"),
        (AppCdsArchive(key="new", tried="old", usable=True, exists=True, enabled=True), False, False, "disable"),
        (AppCdsArchive(key="new", tried="old", usable=True, exists=True, enabled=True), True, False, "install"),
    ],
)
def test_actions_follow_from_what_is_found(found: AppCdsArchive, brought: bool, can_make: bool, action: str) -> None:
    assert plan_appcds_archive(found, brought, can_make) == action


class Host:
    """A host with a release and a JVM. `build` tells one build of the JVM from another."""

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
        return self.run("kafka_appcds_archive", check_mode, install_dir=str(self.install_dir), **{**given, **params})

    def make(self, **params: Any) -> Result:
        return self.kafka_appcds_archive(class_list=str(self.root / "list.gz"), state="made", **params)

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
    brought = host.kafka_appcds_archive(check_mode=True, archive="/control/side/file")
    assert (brought["operation"], brought["missing"]) == ("install", False), "a later task has nothing to make"
    assert not (host.home / "bin/calls").exists()
    assert host.options().startswith("-cp ")


def test_without_anything_to_bring_it_says_what_is_missing(host: Host) -> None:
    result = host.kafka_appcds_archive()
    assert (result["changed"], result["missing"], result["in_use"]) == (False, True, False)
    assert result["key"].startswith(f"{VERSION}-")


def test_hosts_of_one_kind_have_the_same_key_and_others_another(tmp_path: Path, run_module: RunModule) -> None:
    args = ("/opt/kafka", VERSION, "sha256:aa")
    homes = {
        name: Host(tmp_path / name, run_module, build).home for name, build in {"a": "1", "b": "1", "c": "2"}.items()
    }
    keys = {name: appcds_archive.key_of(appcds_archive.jvm_identity(str(home)), *args) for name, home in homes.items()}
    assert keys["a"] == keys["b"] != keys["c"]


def test_what_one_host_made_is_used_on_another(tmp_path: Path, host: Host, run_module: RunModule) -> None:
    packed = tmp_path / "packed.gz"
    host.make()
    assert not host.kafka_appcds_archive(output=str(packed))["changed"]
    other = Host(tmp_path / "other", run_module)
    result = other.kafka_appcds_archive(archive=str(packed))
    assert (result["operation"], result["in_use"]) == ("install", True)
    assert "-Xshare:dump" not in (other.home / "bin/calls").read_text()


def test_appcds_archive_that_the_jvm_refuses_is_put_away_and_not_tried_again(tmp_path: Path, host: Host) -> None:
    (tmp_path / "foreign.gz").write_bytes(gzip.compress(b"made by another JVM"))
    first, second = (host.kafka_appcds_archive(archive=str(tmp_path / "foreign.gz")) for _ in range(2))
    assert (first["in_use"], first["missing"], first["reason"]) == (False, False, "Unable to use shared archive.")
    assert (second["changed"], second["reason"]) == (False, first["reason"])
    assert host.options().startswith("-cp ")
    assert not [name for name in os.listdir(host.release) if name.endswith(".jsa")]


def test_a_jvm_that_makes_none_is_no_failure(host: Host) -> None:
    (host.root / "list.gz").write_bytes(gzip.compress(b"another"))
    first, second = host.make(), host.make()
    assert first["reason"].startswith("the JVM made no AppCDS archive that it takes")
    assert (first["in_use"], second["changed"]) == (False, False)
    assert host.options().startswith("-cp ")


def test_a_making_that_was_killed_is_begun_anew(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\n")
    begun = host.make()
    assert (begun["operation"], begun["changed"], begun["in_use"], begun["missing"]) == ("make", False, False, True)
    (host.systemd / "systemd-run").write_text(SYSTEMD["systemd-run"])
    assert host.make()["in_use"]


def test_a_host_that_goes_down_ends_a_making_at_once() -> None:
    asked: list[list[str]] = []

    def run(words: list[str]) -> tuple[int, str, str]:
        asked.append(words)
        return 0, "", ""

    appcds_archive_io.begin(run, "make.sh")
    assert "--property=KillSignal=SIGKILL" in asked[0]


def test_a_making_that_runs_is_left_alone(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\n")
    (host.systemd / "systemctl").write_text("#!/bin/sh\n")
    first, second = host.make(), host.make()
    assert (first["changed"], first["making"], first["missing"]) == (True, True, False)
    assert (second["operation"], second["changed"]) == ("none", False)


def test_a_making_that_ends_while_it_is_looked_at_is_not_begun_anew(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\n")
    host.make()
    ends = f"#!/bin/sh\ntest ! -e {host.release}/.classes || sh {host.release}/.classes/make.sh\nexit 3\n"
    (host.systemd / "systemctl").write_text(ends)
    result = host.make()
    assert (result["operation"], result["changed"], result["in_use"]) == ("none", False, True)


def test_a_host_that_cannot_make_it_is_told_and_goes_on(host: Host) -> None:
    (host.systemd / "systemd-run").write_text("#!/bin/sh\necho no bus >&2\nexit 1\n")
    result = host.make()
    assert (result.get("failed", False), result["changed"], result["in_use"]) == (False, False, False)
    assert result["reason"] == "systemd-run: no bus"


@pytest.mark.parametrize("content", [b"no gzip at all", gzip.compress(b"data" * 1000)[:-12]], ids=["not gzip", "torn"])
def test_damaged_appcds_archive_leaves_everything_as_it_was(tmp_path: Path, host: Host, content: bytes) -> None:
    (tmp_path / "damaged.gz").write_bytes(content)
    result = host.kafka_appcds_archive(archive=str(tmp_path / "damaged.gz"))
    assert (result["changed"], result["missing"]) == (False, True)
    assert "is damaged" in result["reason"]
    assert not [name for name in os.listdir(host.release) if "jsa" in name]


def test_after_a_new_jvm_the_old_appcds_archive_goes_out_of_use(host: Host) -> None:
    host.make()
    (host.home / "release").write_text("17.0.16")
    result = host.kafka_appcds_archive()
    assert (result["operation"], result["in_use"], result["missing"]) == ("disable", False, True)
    assert host.options().startswith("-cp ")
    assert host.make()["in_use"]


def test_without_a_jvm_nothing_is_done(host: Host) -> None:
    result = host.kafka_appcds_archive(java="/no/such/bin/java", class_list=str(host.root / "list.gz"))
    assert (result["changed"], result["key"], result["missing"]) == (False, "", False)
    assert result["reason"].startswith("no JVM that could use the AppCDS archive")


def test_appcds_archive_of_an_incomplete_release_is_refused(host: Host) -> None:
    (host.release / "MANIFEST").unlink()
    assert "the release is not complete" in host.make()["msg"]
