"""Place of a downloaded archive on a host, and its prediction."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired.describe import download

from tests.unit.spec.role_variables import rendered_in_task

URL = "https://mirror.example/kafka_2.13-4.4.0.tgz?X-Signature=a/b"
INCOMING = "/opt/kafka/.incoming/kafka_2.13-4.4.0.tgz"
TASK = ("kafka/tasks/steps/install.yml", "Download Kafka's archive on the host")


@pytest.mark.parametrize(
    ("check", "missing", "expected"),
    [
        (False, True, INCOMING),
        (False, False, INCOMING),
        (True, False, INCOMING),
        (True, True, "/tmp/.kraftwright-kafka_2.13-4.4.0.tgz"),  # noqa: S108 - nothing is written there
    ],
)
def test_a_first_download_is_predicted_without_its_directory(check: bool, missing: bool, expected: str) -> None:
    given: dict[str, Any] = {
        "kafka_install_dir": "/opt/kafka",
        "ansible_check_mode": check,
        "__kafka_host": {"steps": {"directories": {"changed": missing}}},
        "__kafka_cluster": {"download": download(URL)},
    }
    assert rendered_in_task(*TASK, "ansible.builtin.get_url", "dest", **given) == expected


@pytest.mark.parametrize(
    ("archive", "expected"),
    [
        (URL, {"file": "kafka_2.13-4.4.0.tgz", "secret": False}),
        ("https://me:hunter2@mirror.example/k.tgz#top", {"file": "k.tgz", "secret": True}),
        ("/srv/kafka_2.13-4.4.0.tgz", {"file": "", "secret": False}),
        ("", {"file": "", "secret": False}),
    ],
)
def test_an_address_is_a_download_and_may_be_secret(archive: str, expected: dict[str, Any]) -> None:
    assert download(archive) == expected


def test_a_checksum_is_given_to_the_download_as_its_module_reads_it() -> None:
    given = {"kafka_archive_checksum": " SHA512:00FF"}
    assert rendered_in_task(*TASK, "ansible.builtin.get_url", "checksum", **given) == "sha512:00ff"
