"""Archives: the same bytes each time, the layout of Apache's, tools that start the right class."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from dist import archive, client, given, kafka, locks, tools
from dist.locks import Artifact, LockError

ROOT = Path(__file__).resolve().parents[3]
MEMBERS = {"top/libs/b.jar": b"b", "top/bin/x.sh": b"#!/bin/sh\n", "top/LICENSE": b"l"}


def test_the_same_members_make_the_same_bytes(tmp_path: Path) -> None:
    archive.tar_gz(tmp_path / "one.tgz", MEMBERS)
    archive.tar_gz(tmp_path / "two.tgz", dict(reversed(MEMBERS.items())))
    assert (tmp_path / "one.tgz").read_bytes() == (tmp_path / "two.tgz").read_bytes()
    archive.zip_file(tmp_path / "one.zip", MEMBERS)
    archive.zip_file(tmp_path / "two.zip", dict(reversed(MEMBERS.items())))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.tgz", "one.zip", "two.tgz", "two.zip"]


def test_members_are_roots_and_only_programs_can_be_run(tmp_path: Path) -> None:
    archive.tar_gz(tmp_path / "one.tgz", MEMBERS)
    with tarfile.open(tmp_path / "one.tgz") as made:
        entries = made.getmembers()
    assert [e.name for e in entries] == sorted(MEMBERS)
    assert {(e.uid, e.gid, e.mtime) for e in entries} == {(0, 0, 0)}
    assert {e.name: e.mode for e in entries if e.mode != 0o644} == {"top/bin/x.sh": 0o755}


@pytest.fixture
def small_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of one jar, the jar already fetched; gives the cache."""
    jars = tmp_path / "cache/kafka/libs-1.0"
    jars.mkdir(parents=True)
    with zipfile.ZipFile(jars / "kafka_2.13-1.0.jar", "w") as jar:
        jar.writestr("LICENSE", "licence")
        jar.writestr("NOTICE", "notice")
        jar.writestr("kafka/tools/StorageTool.class", "")
    digest = locks.sha256(jars / "kafka_2.13-1.0.jar")
    lock = tmp_path / "kafka-1.0.lock"
    lock.write_text(locks.text((Artifact("org.apache.kafka", "kafka_2.13", "1.0", digest),)))
    monkeypatch.setattr(locks, "path", lambda name: tmp_path / f"{name}.lock")
    return tmp_path / "cache"


def test_the_archive_has_apaches_layout_and_its_checksum_beside_it(small_lock: Path) -> None:
    made = kafka.assemble("1.0", small_lock)
    assert made == small_lock / "kafka/kafka_2.13-1.0.tgz"
    with tarfile.open(made) as opened:
        names = set(opened.getnames())
    top = "kafka_2.13-1.0"
    wanted = ("LICENSE", "NOTICE", "libs/kafka_2.13-1.0.jar", "bin/kafka-storage.sh", "bin/kafka-server-start.sh")
    assert {f"{top}/{path}" for path in (*wanted, "config/server.properties", "config/tools-log4j2.yaml")} <= names
    said = Path(f"{made}.sha256").read_text()
    assert said == f"{hashlib.sha256(made.read_bytes()).hexdigest()}  {made.name}\n"


def test_an_archive_that_is_there_is_not_made_again_until_its_lock_changes(small_lock: Path) -> None:
    made = kafka.assemble("1.0", small_lock)
    os.utime(made, (1, 1))  # two archives of one tick of the clock had one time
    before = made.stat().st_mtime_ns
    assert kafka.assemble("1.0", small_lock).stat().st_mtime_ns == before
    locks.path("kafka-1.0").write_text("# a remark\n" + locks.path("kafka-1.0").read_text())
    assert kafka.assemble("1.0", small_lock).stat().st_mtime_ns > before


@pytest.mark.parametrize("damage", ["kafka_2.13-1.0.tgz", "kafka_2.13-1.0.tgz.sha256"])
@pytest.mark.parametrize("gone", [True, False])
def test_an_archive_that_is_damaged_is_made_again(small_lock: Path, damage: str, gone: bool) -> None:
    made = kafka.assemble("1.0", small_lock)
    before = made.read_bytes()
    file = small_lock / "kafka" / damage
    file.unlink() if gone else file.write_text("")
    assert kafka.assemble("1.0", small_lock).read_bytes() == before
    assert Path(f"{made}.sha256").read_text().startswith(hashlib.sha256(before).hexdigest())


def test_a_release_that_needs_zookeeper_gives_jars_to_tests_and_no_archive(small_lock: Path) -> None:
    assert kafka.jars("1.0", small_lock) == small_lock / "kafka/libs-1.0"
    zookeeper = Artifact("org.apache.zookeeper", "zookeeper", "1.0", "0" * 64)
    locks.path("kafka-1.0").write_text(locks.text((*locks.read("kafka-1.0"), zookeeper)))
    with pytest.raises(LockError, match="runs on ZooKeeper"):
        kafka.assemble("1.0", small_lock)


ALL_CLASSES = {one for known in tools.TOOLS.values() for one in known}


def test_every_tool_is_a_program_that_names_its_class() -> None:
    made = tools.wrappers(ALL_CLASSES)
    assert len(made) == len(tools.TOOLS) > 30
    assert "--tool org.apache.kafka.tools.TopicCommand" in made["kafka-topics.sh"]


def test_a_tool_starts_the_class_that_its_release_has_and_is_left_out_without_one() -> None:
    older = tools.wrappers({"kafka.admin.ConfigCommand", "org.apache.kafka.tools.TopicCommand"})
    assert set(older) == {"kafka-configs.sh", "kafka-topics.sh"}
    assert "--tool kafka.admin.ConfigCommand" in older["kafka-configs.sh"]
    assert "--tool org.apache.kafka.tools.ConfigCommand" in tools.wrappers(ALL_CLASSES)["kafka-configs.sh"]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release whose java prints its arguments, reached through a link as on a host."""
    home = tmp_path / "releases/1.0"
    for folder in ("bin", "libs", "config", "java/bin"):
        (home / folder).mkdir(parents=True)
    programs = {f.name: f.read_text() for f in kafka.FILES.glob("*.sh")} | tools.wrappers(ALL_CLASSES)
    programs["../java/bin/java"] = '#!/bin/sh\nprintf "%s\\n" "$@"\n'
    for name, text in programs.items():
        (home / "bin" / name).write_text(text)
        (home / "bin" / name).chmod(0o755)
    (tmp_path / "bin").symlink_to(home / "bin")
    return tmp_path


def arguments(release: Path, program: str, *given_to: str, **environment: str) -> list[str]:
    env = {"PATH": os.environ["PATH"], "JAVA_HOME": str(release / "releases/1.0/java"), **environment}
    return subprocess.run(
        [str(release / "bin" / program), *given_to], env=env, capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_a_tool_runs_small_and_quick_and_passes_its_arguments_on(release: Path) -> None:
    said = arguments(release, "kafka-topics.sh", "--list", "two words")
    assert said[-3:] == ["org.apache.kafka.tools.TopicCommand", "--list", "two words"]
    assert {"-Xmx256M", "-XX:TieredStopAtLevel=1"} <= set(said)
    assert f"-Dlog4j2.configurationFile={release}/releases/1.0/config/tools-log4j2.yaml" in said
    assert said[said.index("-cp") + 1] == f"{release}/releases/1.0/libs/*"


def test_the_users_own_options_are_honoured(release: Path) -> None:
    own = {"KAFKA_HEAP_OPTS": "-Xmx1g -Xms1g", "KAFKA_OPTS": "-Done -Dtwo", "KAFKA_LOG4J_OPTS": "-Dlog4j2.x=y"}
    said = arguments(release, "kafka-configs.sh", **own, CLASSPATH="/more.jar")
    assert {"-Xmx1g", "-Xms1g", "-Done", "-Dtwo", "-Dlog4j2.x=y"} <= set(said)
    assert "-Xmx256M" not in said
    assert said[said.index("-cp") + 1].startswith("/more.jar:")


def test_a_node_runs_with_a_nodes_options(release: Path) -> None:
    said = arguments(release, "kafka-server-start.sh", "server.properties")
    assert said[-2:] == ["kafka.Kafka", "server.properties"]
    assert {"-Xmx1G", "-XX:+UseG1GC"} <= set(said)
    assert "-XX:TieredStopAtLevel=1" not in said


def test_the_client_is_imported_from_its_zip_and_from_nothing_else(tmp_path: Path) -> None:
    made = client.build(tmp_path)
    spec = yaml.safe_load((ROOT / "roles/kafka/meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    assert spec["kafka_client_checksum"]["default"] == f"sha256:{hashlib.sha256(made.read_bytes()).hexdigest()}"
    imports = (
        "import kafka, kafka.admin.client; from kafka.protocol.metadata import MetadataRequest; print(kafka.__file__)"
    )
    program = f"import sys; sys.path.insert(0, {str(made)!r}); {imports}"
    said = subprocess.run(
        ["/usr/bin/python3", "-I", "-S", "-c", program], env={}, capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith(f"{made}/kafka/")


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
def test_a_given_archive_is_known_by_the_checksum_beside_it(
    tmp_path: Path, algorithm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    brought = tmp_path / "kafka_2.13-4.3.1.tgz"
    brought.write_bytes(b"archive")
    digits = "ab" * (hashlib.new(algorithm).digest_size)
    assert given.checksum(brought) == f"sha256:{hashlib.sha256(b'archive').hexdigest()}"
    assert "It proves nothing" in capsys.readouterr().err
    Path(f"{brought}.{algorithm}").write_text(f"{digits}  {brought.name}\n")
    assert given.checksum(brought) == f"{algorithm}:{digits}"
    assert capsys.readouterr().err == ""
    half = " ".join(digits.upper()[i : i + 8] for i in range(0, len(digits), 8))
    Path(f"{brought}.{algorithm}").write_text(
        f"{brought.name}: {half[: len(half) // 2]}\n     {half[len(half) // 2 :]}\n"
    )
    assert given.checksum(brought) == f"{algorithm}:{digits}"
    Path(f"{brought}.{algorithm}").write_text("404 not found\n")
    with pytest.raises(LockError, match=f"holds no {algorithm} of kafka_2.13-4.3.1.tgz"):
        given.checksum(brought)


def test_a_given_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LockError, match=r"no archive .*/none\.tgz; KAFKA_ARCHIVE is the path"):
        given.checksum(tmp_path / "none.tgz")
