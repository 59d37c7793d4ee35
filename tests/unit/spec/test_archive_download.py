"""Place of a downloaded archive on a host, and its prediction."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from tests.unit.spec.inventories import ROOT, load_plugins
from tests.unit.spec.role_variables import rendered

URL = "https://mirror.example/kafka_2.13-4.4.0.tgz?X-Signature=a/b"
INCOMING = "/opt/kafka/.incoming/kafka_2.13-4.4.0.tgz"


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
    host = {"steps": {"directories": {"changed": missing}}}
    given: dict[str, Any] = {"kafka_install_dir": "/opt/kafka", "kafka_archive": URL, "ansible_check_mode": check}
    found = rendered("kafka", "__kafka_archive_downloaded", ansible_facts={"kafka_host": host}, **given)
    assert found == expected


def test_a_checksum_is_given_to_the_download_as_its_module_reads_it() -> None:
    load_plugins()
    loader = DataLoader()
    tasks = loader.load_from_file(str(ROOT / "roles/kafka/tasks/steps/install.yml"), trusted_as_template=True)
    [asked] = [task["ansible.builtin.get_url"] for task in tasks if "ansible.builtin.get_url" in task]
    templar = Templar(loader=loader, variables={"kafka_archive_checksum": " SHA512:00FF"})
    assert templar.template(asked["checksum"]) == "sha512:00ff"
