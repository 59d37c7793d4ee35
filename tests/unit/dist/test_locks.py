"""Exactly the pinned artifacts are used."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dist import kafka, locks, maven
from dist.locks import Artifact, LockError

LOCKS = sorted(path.stem for path in locks.HERE.glob("*.lock"))
CONTENT = b"the jar"
GOOD = Artifact("org.example", "thing", "1.0", hashlib.sha256(CONTENT).hexdigest())


@pytest.mark.parametrize("name", LOCKS)
def test_every_lock_is_sorted_pinned_and_of_the_form(name: str) -> None:
    artifacts = locks.read(name)
    assert len({a.jar for a in artifacts}) == len(artifacts) > 0
    assert all(len(a.sha256) == 64 and "SNAPSHOT" not in a.version for a in artifacts)
    if name.startswith("kafka"):
        assert locks.path(name).read_text() == locks.text(artifacts)
        tools = {"zookeeper" if kafka.needs_zookeeper(name.removeprefix("kafka-")) else "kafka-tools"}
        assert {"kafka_2.13", "kafka-clients"} | tools <= {a.name for a in artifacts}


@pytest.mark.parametrize("line", ["a:b:1", "a:b abc", "a:b:1 abc", "a:b:c:1 " + "0" * 64])
def test_a_malformed_line_is_refused(line: str) -> None:
    with pytest.raises(LockError, match="not "):
        locks.parse(line)


def test_an_unknown_version_names_those_that_are_locked() -> None:
    with pytest.raises(LockError, match=r"no lock 'kafka-9\.9\.9'; there are .*kafka-4\.3\.1.*dist lock"):
        locks.read("kafka-9.9.9")


def test_missing_and_altered_jars_are_found(tmp_path: Path) -> None:
    assert locks.wrong((GOOD,), tmp_path) == [GOOD]
    (tmp_path / GOOD.jar).write_bytes(CONTENT)
    assert locks.wrong((GOOD,), tmp_path) == []
    (tmp_path / GOOD.jar).write_bytes(b"something else")
    assert locks.wrong((GOOD,), tmp_path) == [GOOD]


def brings(content: bytes, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Replace Maven; return the list of requested artifacts."""
    asked: list[list[str]] = []

    def run(_goal: str, artifacts: list[Artifact], _exclusions: str, *options: str) -> str:
        directory = Path(options[0].removeprefix("-DoutputDirectory="))
        asked.append([a.jar for a in artifacts])
        for artifact in artifacts:
            (directory / artifact.jar).write_bytes(content)
        return ""

    monkeypatch.setattr(maven, "run", run)
    return asked


def test_only_what_is_missing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Artifact("org.example", "other", "2.0", GOOD.sha256)
    (tmp_path / other.jar).write_bytes(CONTENT)
    asked = brings(CONTENT, monkeypatch)
    maven.fetch((GOOD, other), tmp_path)
    maven.fetch((GOOD, other), tmp_path)
    assert asked == [[GOOD.jar]]


def test_a_jar_of_an_older_lock_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brings(CONTENT, monkeypatch)
    (tmp_path / "thing-0.9.jar").write_bytes(CONTENT)
    maven.fetch((GOOD,), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [GOOD.jar]


def test_other_bytes_than_were_locked_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brings(b"tampered", monkeypatch)
    with pytest.raises(LockError, match=f"not what was locked:\n.*thing-1.0.jar: expected sha256 {GOOD.sha256}"):
        maven.fetch((GOOD,), tmp_path)


def test_a_missing_maven_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LockError, match=r"mvn is not installed; run scripts/bootstrap"):
        maven.run("list", [GOOD], "")


NOT_SERVED = (
    "artifacts could not be resolved: org.a:kafka-shell:jar:4, org.a:connect-mirror:jar:4: {}kafka-shell:jar:4{}"
)


@pytest.mark.parametrize("said", [("Could not find artifact org.a:", " in central"), ("org.a:", " was not found in x")])
def test_optional_artifacts_that_are_not_served_are_left_out(
    said: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[str]] = []

    def run(_goal: str, artifacts: list[Artifact], *_: str) -> str:
        asked.append({one.name for one in artifacts})
        if "kafka-shell" in asked[-1]:
            raise maven.failure(NOT_SERVED.format(*said))
        return "    org.a:kafka-tools:jar:4:runtime"

    monkeypatch.setattr(maven, "run", run)
    assert [one.name for one in kafka.resolved(kafka.roots("4.4.0"))] == ["kafka-tools"]
    assert asked[0] - asked[1] == {"kafka-shell", "connect-mirror"}


def test_a_needed_artifact_that_is_not_served_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> str:
        raise maven.failure(NOT_SERVED.replace("connect-mirror", "kafka-tools").format("x:", " was not found in x"))

    monkeypatch.setattr(maven, "run", run)
    with pytest.raises(LockError, match="kafka-tools"):
        kafka.resolved(kafka.roots("4.4.0"))


def test_resolved_artifacts_are_read_from_mavens_list(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "".join(
        f"[INFO]    {a}\n" for a in ("org.a:b_2.13:jar:1.0:compile -- b", "org.c:d:jar:2:runtime", "e:f:jar:3:test")
    )
    monkeypatch.setattr(maven, "run", lambda *_: said)
    assert maven.resolve((GOOD,)) == (Artifact("org.a", "b_2.13", "1.0"), Artifact("org.c", "d", "2"))
