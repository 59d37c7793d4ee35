"""The control side's half of the look: the host's clock, and the steps that depend on files of this machine."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.kraft.control import authority, module_results
from ansible.module_utils.kraft.operations.certificates import requirements
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.unit.spec.host_rules.loaded_actions import action, plugin

HOST_INFO = plugin("kafka_host_info")
module_results.install()  # as the strategy does


def looked_at(monkeypatch: pytest.MonkeyPatch, steps: dict[str, Any], found: dict[str, Any]) -> tuple[Any, Any]:
    """Return the module's arguments for `steps`, and the action's result for `found`, on the first of two hosts."""
    look, given = action(HOST_INFO, steps=steps), {}
    look._loader = SimpleNamespace(path_dwim=str)

    def answer(module_args: dict[str, Any], **_: Any) -> dict[str, Any]:
        given.update(module_args["steps"])
        return {"found": {"time": time.time(), "steps": found}}

    monkeypatch.setattr(look, "_execute_module", answer)
    result = look.run(task_vars={"inventory_hostname": "k1", "ansible_play_hosts_all": ["k1", "k2"]})
    return given, result["ansible_facts"]["kafka_host"]["steps"]


def test_host_compares_its_client_with_the_digest_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = tmp_path / "client.zip"
    ours.write_bytes(b"zip")
    for archive, digest in ((ours, hashlib.sha256(b"zip").hexdigest()), (tmp_path / "none.zip", "")):
        given, _ = looked_at(monkeypatch, {"client": {"archive": str(archive), "path": "/there"}}, {})
        assert given["client"] == {"path": "/there", "digest": digest}


def test_a_certificate_says_for_which_node_of_this_cluster_it_was_made(tmp_path: Path) -> None:
    place = authority.Place(tmp_path, "passphrase-of-a-test")
    authority.ensure(place, "orders")
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    pem = request.public_bytes(serialization.Encoding.PEM).decode()
    made = authority.issue(place, pem, authority.Node("k9", "orders", ("k9",)), 30)
    asked = {"node": {"host": "k3", "cluster": "orders", "names": ["k3"]}}
    assert requirements.issued_to(asked, {"certificate": made}) == "k9"
    assert requirements.issued_to({"node": {**asked["node"], "cluster": "other"}}, {"certificate": made}) == ""
    assert requirements.issued_to(asked, {"certificate": ""}) == ""
    assert requirements.issued_to(asked, {}) == ""


@pytest.mark.parametrize("ahead", [0.0, 90.0, -90.0])
def test_clock_of_a_host_is_bounded_by_ours(monkeypatch: pytest.MonkeyPatch, ahead: float) -> None:
    look = action(HOST_INFO)

    def answer(**_: Any) -> dict[str, Any]:
        time.sleep(0.01)
        found = {"found": {"time": time.time() + ahead}}
        time.sleep(0.01)
        return found

    monkeypatch.setattr(look, "_execute_module", answer)
    low, high = look.run(task_vars={})["ansible_facts"]["kafka_host"]["clock_offset"]
    assert low < ahead < high
    assert high - low < 60


def test_host_that_cannot_be_looked_at_stays_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    look = action(HOST_INFO)
    monkeypatch.setattr(look, "_execute_module", lambda **_: {"failed": True, "msg": "no"})
    assert look.run(task_vars={}) == {"failed": True, "msg": "no"}
