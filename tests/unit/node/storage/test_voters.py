"""The voters in a first snapshot, read from one that Kafka 4.3.1's format tool wrote for three controllers."""

from __future__ import annotations

import base64

import pytest
from ansible.module_utils.kraft.node.storage.voters import voters

THREE = base64.b64decode(
    "AAAAAAAAAAAAAAEEAAAAAAKmB6NZACAAAAACAAABof/UYQUAAAGh/9RhBf//////////////////AAAAAyoAAAAIAAAAAxYAAAAA"
    "AaH/1GD5AAAeAAACCAAAAAUKAAAAAQAA1gIAAAQIAAAABsACAAAEAAAAAeXJD0vq5kDM+l21dPPMu00CC0NPTlRST0xMRVILMTAu"
    "ODkuMi4xMSOFAAAAAAEAAAAAAAJUUMsUYvr/SSrysxcdtBuPAgtDT05UUk9MTEVSCzEwLjg5LjIuMTIjhQAAAAABAAAAAAADsT45"
    "NJH1b2u9sNXf8LbgCwILQ09OVFJPTExFUgsxMC44OS4yLjEzI4UAAAAAAQAAAAAAAAAAAAAAAwAAAD8AAAAAAqsTmfIAIAAAAAAA"
    "AAGh/9RhCQAAAaH/1GEJ//////////////////8AAAABGgAAAAgAAAAEBgAAAAA="
)
ENTRIES = (
    "1@10.89.2.11:9093:5ckPS-rmQMz6XbV088y7TQ",
    "2@10.89.2.12:9093:VFDLFGL6_0kq8rMXHbQbjw",
    "3@10.89.2.13:9093:sT45NJH1b2u9sNXf8LbgCw",
)


def test_voters_are_read_with_address_and_directory_id() -> None:
    assert voters(THREE) == ENTRIES


def test_a_snapshot_without_voters_names_none() -> None:
    assert voters(b"") == ()


@pytest.mark.parametrize("cut", [1, 40, 61, 100, 200, len(THREE) - 1])
def test_from_half_a_snapshot_nothing_follows(cut: int) -> None:
    assert voters(THREE[:cut]) is None


@pytest.mark.parametrize("place", range(0, len(THREE), 7))
def test_a_damaged_snapshot_never_fails_in_another_way(place: int) -> None:
    damaged = THREE[:place] + bytes([THREE[place] ^ 0xFF]) + THREE[place + 1 :]
    assert voters(damaged) is None or isinstance(voters(damaged), tuple)
