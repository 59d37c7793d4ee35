"""Every mistake in a configuration is named, all at once, and none of its secrets is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs import config
from spark_jobs.errors import EXIT_USAGE, UsageError

GOOD: dict[str, Any] = {
    "run_id": "run-1",
    "bootstrap_servers": "10.0.0.1:9092,kafka-2.example:9092",
    "topic": "smoke",
    "partitions": 6,
    "records": 1000,
    "record_bytes": 100,
    "output_dir": "/tmp/smoke",  # noqa: S108
}


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "smoke.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_smallest_configuration_is_enough(tmp_path: Path) -> None:
    loaded = config.load(written(tmp_path, GOOD))
    assert (loaded.writers, loaded.timeline, loaded.client_options) == (None, None, {})
    assert loaded.native_seconds == 10 + 0.05 * loaded.partitions
    assert loaded.output_dir == Path("/tmp/smoke")  # noqa: S108


def test_everything_optional_is_taken(tmp_path: Path) -> None:
    more = {"writers": 3, "timeline": "/x", "native_smoke_seconds": 1.5, "versions": {"kafka": "4.3.1"}, "cluster": {}}
    loaded = config.load(written(tmp_path, {**GOOD, **more}))
    assert (loaded.writers, loaded.timeline, loaded.native_seconds) == (3, Path("/x"), 1.5)


@pytest.mark.parametrize("servers", ["[fd00::1]:9092", "k1:9092,[fd00::1]:9092", "[fd00::1]:9092,10.0.0.1:9092"])
def test_names_and_addresses_of_both_kinds_may_stand_together(tmp_path: Path, servers: str) -> None:
    assert config.load(written(tmp_path, {**GOOD, "bootstrap_servers": servers})).bootstrap_servers == servers


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"run_id": "seventeen-letters"}, "run_id: 'seventeen-letters' must be 1 to 16 letters"),
        ({"run_id": "a b"}, "run_id: 'a b' must be"),
        ({"run_id": "~round"}, "run_id: '~round' must be"),
        ({"bootstrap_servers": "10.0.0.1"}, "bootstrap_servers: '10.0.0.1' must be host:port"),
        ({"bootstrap_servers": ["a:1"]}, "bootstrap_servers: ['a:1'] must be"),
        ({"bootstrap_servers": "[fd00::1]:9092,k2"}, "bootstrap_servers: '[fd00::1]:9092,k2' must be"),
        ({"topic": "with space"}, "topic: 'with space' must be a Kafka topic name"),
        ({"partitions": 0}, "partitions: 0 must be a number from 1 to 10000"),
        ({"records": "many"}, "records: 'many' must be a number"),
        ({"records": True}, "records: True must be a number"),
        ({"record_bytes": 84}, "record_bytes: 84 must be a number from 85"),
        ({"writers": 10_000}, "writers: 10000 must be a number from 1 to 9999"),
        ({"output_dir": ""}, "output_dir: '' must be a directory"),
        ({"cluster": []}, "cluster: [] must be an object"),
        ({"topics": "x"}, "topics: unknown name; known are run_id"),
        ({"client_options": {"security.protocol": "SSL"}}, "client_options: security.protocol must begin with kafka."),
        ({"client_options": {"kafka.acks": "1"}}, "client_options: kafka.acks cannot be set"),
        ({"client_options": {"kafka.retries": 1}}, "client_options: kafka.retries must be a text"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(change: dict[str, Any], line: str) -> None:
    found = config.smoke_config_errors({**GOOD, **change})
    assert [problem for problem in found if problem.startswith(line)], found
    assert len(found) == 1


@pytest.mark.parametrize("name", GOOD)
def test_what_is_missing_is_named(name: str) -> None:
    assert config.smoke_config_errors({key: value for key, value in GOOD.items() if key != name}) == [
        f"{name}: is missing"
    ]


def test_all_problems_come_at_once_with_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, {**GOOD, "records": -1, "partitions": -1, "client_options": {"password": "hunter2"}})
    with pytest.raises(UsageError) as raised:
        config.load(path)
    assert len(raised.value.problems) == 3
    assert all(problem.startswith(f"{path}: ") for problem in raised.value.problems)
    assert "hunter2" not in str(raised.value)
    assert raised.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize(
    ("content", "words"), [("{", "is not JSON"), ([], "must be an object"), ("null", "must be an object")]
)
def test_another_file_is_refused(tmp_path: Path, content: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        config.load(written(tmp_path, content))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.json: cannot be read: No such file"):
        config.load(tmp_path / "absent.json")
