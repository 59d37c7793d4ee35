"""Refusals of log dirs that are to be emptied."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired.drained import as_parameter, drained

from tests.unit.spec.inventory import cluster, found, hosts, problems_of, sentences
from tests.wording_files import Wording

TWO = {"kafka_log_dirs": ["/srv/a", "/srv/b"]}
CASES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("k9:/srv/b", "", "k9:/srv/b", TWO),
    ("k2", "k2", "k2", TWO),
    ("/srv/b", "", "/srv/b", TWO),
    ("k2:srv/b", "k2", "k2:srv/b", TWO),
    ("k2:/srv/a", "k2", "k2:/srv/a", TWO),
    ("k2:/srv/x", "k2", "k2:/srv/x", TWO),
    ("k2:/srv/b,k3:/srv/b,k3:/srv/x", "k3", "k3:/srv/x", TWO),
    ("k1:/srv/a,k1:/srv/b", "k1", "k1:/srv/b", {**TWO, "kafka_metadata_log_dir": "/srv/m"}),
]


def given(text: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {**settings, "kafka_drain_log_dirs": text}


@pytest.mark.parametrize(("text", "host", "value", "settings"), CASES)
def test_a_drain_is_refused_by_host_and_directory(text: str, host: str, value: str, settings: dict[str, Any]) -> None:
    expected = ("error", host, "kafka_drain_log_dirs", value)
    assert expected in found("drained_log_dir", 3, **given(text, settings))


def test_wording(wording: Wording) -> None:
    wording(each for text, _, _, more in CASES for each in sentences("drained_log_dir", 3, **given(text, more)))


@pytest.mark.parametrize("text", ["", "k2:/srv/b", "k2:/srv/b/, k3:/srv/b"])
def test_a_sound_drain_raises_no_alarm(text: str) -> None:
    assert [one for one in problems_of(hosts(3, **given(text, TWO))) if one.variable == "kafka_drain_log_dirs"] == []


def test_a_drain_is_read_as_hosts_and_directories() -> None:
    assert drained("k2:/b/, k2:/b,k3:/c") == (("k2", "/b"), ("k3", "/c"))
    nodes = cluster(3, **given("k2:/srv/b", TWO)).nodes
    assert as_parameter(nodes) == [{"node_id": 2, "path": "/srv/b"}]
    assert as_parameter(cluster(3).nodes) == as_parameter(()) == []


def test_a_host_that_is_called_by_its_ipv6_address_can_be_drained() -> None:
    assert drained("fd00::12:/srv/b,k3.example.com:/c") == (("fd00::12", "/srv/b"), ("k3.example.com", "/c"))
