"""kafka_health at the end of a deployment: each process is compared with what was deployed."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from typing import Any

import kafka_health
import pytest
from ansible.module_utils.kraft.cluster.health_wait import Look, Watch
from ansible.module_utils.kraft.cluster.outcome import Known
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.difference import PROPERTIES, RECORD, differences_from

from tests.unit.modules.module_runner import Result
from tests.unit.modules.node_host import CLUSTER_ID, Host
from tests.wording_files import Wording

CLIENT = {"bootstrap_servers": ["127.0.0.1:9092"], "cluster_id": CLUSTER_ID}


def ended(host: Host, check_mode: bool = False, settled: tuple[str, ...] = (), **params: Any) -> Result:
    """Return the module's result at the end of a deployment."""
    compared = {"host": "k1", "install_dir": str(host.install_dir), "release": "4.3.1", "settled": list(settled)}
    return host.run_module("kafka_health", check_mode, client=CLIENT, node_id=1, deployed={**compared, **params})


@pytest.fixture
def running(host: Host, monkeypatch: pytest.MonkeyPatch) -> Host:
    """A node that was deployed and runs, in a healthy cluster."""
    monkeypatch.setattr(kafka_health, "Client", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(Watch, "wait", lambda *_: Look(Known(Snapshot(CLUSTER_ID)), ()))
    monkeypatch.setattr(kafka_health, "look_once", lambda *_, **__: {})
    host.install()
    host.kafka_node()
    return host


def test_a_node_that_runs_with_what_was_deployed_ends_the_run_well(running: Host) -> None:
    assert not ended(running).get("failed")


def test_a_node_that_came_back_with_its_old_configuration_fails_the_run(running: Host, wording: Wording) -> None:
    running.configure("node.id=1\nnum.io.threads=16\n")
    found = ended(running)
    assert found["failed"]
    (one,) = differences_from(found["differences"])
    assert (one.file, one.key, one.old, one.new) == (PROPERTIES, "num.io.threads", None, "16")
    wording([found["msg"]])


def test_settings_that_were_changed_live_need_no_restart(running: Host) -> None:
    running.configure("node.id=1\nnum.io.threads=16\nbroker.rack=a\n")
    assert not ended(running, settled=("num.io.threads", "broker.rack")).get("failed")
    (one,) = differences_from(ended(running, settled=("num.io.threads",))["differences"])
    assert one.key == "broker.rack"


def test_a_node_with_an_older_unit_or_release_fails_the_run(running: Host) -> None:
    running.configure("node.id=1\n", nofile=30000)
    assert [one.file for one in differences_from(ended(running)["differences"])] == ["unit"]
    assert "release" in {one.file for one in differences_from(ended(running, release="4.4.0")["differences"])}


def test_a_process_that_is_gone_after_it_was_healthy_fails_the_run(running: Host) -> None:
    running.service = dataclasses.replace(running.service, pid=0, state="activating", sub_state="auto-restart")
    found = ended(running)
    assert found["failed"]
    assert found["differences"] == []


def test_a_process_without_a_record_fails_the_run(running: Host) -> None:
    shutil.rmtree(running.record)
    assert [one.file for one in differences_from(ended(running)["differences"])] == [RECORD]


def test_check_mode_has_written_nothing_to_compare_with(running: Host) -> None:
    running.configure("node.id=1\nnum.io.threads=16\n")
    assert not ended(running, check_mode=True).get("failed")
