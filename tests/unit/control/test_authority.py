"""The cluster's own certificate authorities, and whether a node needs another certificate."""

from __future__ import annotations

import dataclasses
import datetime
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import authority, sealed_key
from ansible.module_utils.kraft.control.authority import Node, Place
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.certificate import CLIENTS, NODES
from ansible.module_utils.kraft.operations.certificates import change, phases, requirements
from ansible.module_utils.kraft.operations.certificates import users as certificates
from ansible.module_utils.kraft.operations.certificates.renewal import TRUST, UNLOADED, Verdict
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.commands import run

NODE = Node("kafka1", "orders", ("kafka1", "10.0.0.11"))
NOW = datetime.datetime.now(datetime.timezone.utc)


#: As it is delivered; tests run with fewer.
DELIVERED_ROUNDS = sealed_key.ROUNDS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("authority") / "tls", "only-for-this-test")
    authority.ensure(place, "orders")
    return place


@pytest.fixture
def place(made: Place, tmp_path: Path) -> Place:
    return dataclasses.replace(made, directory=Path(shutil.copytree(made.directory, tmp_path / "tls")))


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The tests may run without root."""
    monkeypatch.setattr("os.chown", lambda *_: None)
    monkeypatch.setattr("ansible.module_utils.kraft.node.files.apply.set_owner_and_mode", lambda *_: None)
    return str(tmp_path / "host")


def issued(place: Place, host: str, node: Node = NODE, days: int = 397, live: bool = False) -> dict[str, Any]:
    """A node's files as role kafka brings them."""
    request = certificate.request(run, host, "root")
    made = authority.issue(place, request, node, days)
    certificate.install(host, "root", made, authority.certificates(place.directory), live)
    return certificate.observe(run, host)


def verdict(place: Place, found: dict[str, Any], node: Node = NODE, **more: Any) -> Verdict:
    described = {"host": node.host, "cluster": node.cluster, "names": list(node.names)}
    asked = {"node": described, "authority": str(place.directory), "renew_before_days": 60, **more}
    return requirements.judge(asked, found)


def why(place: Place, found: dict[str, Any], node: Node = NODE, **more: Any) -> list[str]:
    return verdict(place, found, node, **more).reasons


def test_authorities_are_made_once_with_closed_keys(place: Place) -> None:
    before = authority.certificates(place.directory)
    authority.ensure(place, "orders")
    assert authority.certificates(place.directory) == before
    assert set(before) == {NODES, CLIENTS}
    assert before[NODES] != before[CLIENTS]
    for root in before:
        key = place.directory / f"{root}.key"
        assert key.stat().st_mode & 0o077 == 0
        assert "ENCRYPTED" in key.read_text()
    assert authority.fault(place) == ""


@pytest.mark.parametrize("broken", ["passphrase", "key", "pem", "swapped"])
def test_an_authority_that_cannot_be_used_is_a_fault(place: Place, broken: str) -> None:
    if broken == "passphrase":
        place = dataclasses.replace(place, passphrase="another-passphrase")  # noqa: S106 - opens nothing
    elif broken == "swapped":
        (place.directory / "nodes.key").write_text((place.directory / "clients.key").read_text())
    else:
        (place.directory / f"nodes.{broken}").unlink()
    assert str(place.directory / "nodes") in authority.fault(place)
    with pytest.raises(RefusedError):
        authority.issue(place, request_of_somebody(), NODE, 1)


@pytest.mark.parametrize("left", [["nodes.key"], ["nodes.key", "nodes.pem", "clients.key"]])
def test_a_run_that_was_killed_between_key_and_certificate_is_finished(place: Place, left: list[str]) -> None:
    for path in place.directory.iterdir():
        if path.name not in left:
            path.unlink()
    keys = {name: (place.directory / name).read_bytes() for name in left}
    assert authority.fault(place) == ""
    assert authority.fault(dataclasses.replace(place, passphrase="another-passphrase"))  # noqa: S106 - opens nothing
    authority.ensure(place, "orders")
    assert authority.fault(place) == ""
    assert set(authority.certificates(place.directory)) == {NODES, CLIENTS}
    for name in (NODES, CLIENTS):
        authority._open(place, name)
    opened = {name: authority._key_before(place, name.removesuffix(".key")) for name in keys if name.endswith(".key")}
    assert all(opened.values())


def request_of_somebody() -> str:
    key = rsa.generate_private_key(65537, 2048)
    made = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM).decode()


def test_no_one_has_an_authority_before_it_is_made(tmp_path: Path) -> None:
    nowhere = Place(tmp_path / "none", "only-for-this-test")
    assert authority.fault(nowhere) == ""
    assert authority.certificates(nowhere.directory) == {}
    assert not nowhere.directory.exists()


def test_a_certificate_says_what_the_inventory_says(place: Place, host: str) -> None:
    found = issued(place, host)
    made = x509.load_pem_x509_certificate(found["certificate"].encode())
    assert made.subject.rfc4514_string() == "CN=kafka1,OU=nodes,O=orders"
    assert authority.names_of(made) == {"kafka1", "10.0.0.11"}
    assert (made.not_valid_after_utc - NOW).days in (396, 397)
    assert found["key_fits"]
    assert found["trust"] == authority.certificates(place.directory)
    assert why(place, found) == []


def test_openssl_accepts_it_for_servers_and_clients_from_the_nodes_authority_alone(place: Place, host: str) -> None:
    issued(place, host)
    for purpose in ("sslserver", "sslclient"):
        for root, code in ((NODES, 0), (CLIENTS, 2)):
            trusted = ["-CAfile", str(place.directory / f"{root}.pem")]
            assert run(["openssl", "verify", "-purpose", purpose, *trusted, f"{host}/node.pem"])[0] == code


def test_the_key_is_open_to_the_group_alone_and_no_pending_one_is_left(place: Place, host: str) -> None:
    issued(place, host)
    assert sorted(path.name for path in Path(host).iterdir()) == ["clients.pem", "node.pem", "nodes.pem"]
    assert "PRIVATE KEY" in Path(host, "node.pem").read_text()
    assert "PRIVATE KEY" not in str(certificate.observe(run, host))


def test_a_killed_request_leaves_the_pair_that_was_there(place: Place, host: str) -> None:
    before = issued(place, host)
    certificate.request(run, host, "root")
    assert certificate.observe(run, host) == before


def test_a_node_without_a_certificate_needs_one(place: Place, tmp_path: Path) -> None:
    assert len(why(place, certificate.observe(run, str(tmp_path / "empty")))) == 1


@pytest.mark.parametrize(
    ("node", "more"),
    [
        (dataclasses.replace(NODE, names=("kafka1", "kafka.example.org")), {}),
        (dataclasses.replace(NODE, host="kafka2"), {}),
        (dataclasses.replace(NODE, cluster="billing"), {}),
        (NODE, {"renew_before_days": 400}),
        (NODE, {"renew_all": True}),
    ],
)
def test_a_certificate_that_no_longer_fits_is_issued_again(
    place: Place, host: str, node: Node, more: dict[str, Any]
) -> None:
    found = issued(place, host)
    assert len(why(place, found, node, **more)) == 1


@pytest.mark.parametrize(
    ("node", "more", "live"),
    [
        (NODE, {}, False),
        (NODE, {"renew_before_days": 400}, True),
        (NODE, {"renew_all": True}, True),
        (dataclasses.replace(NODE, names=("kafka.example.org",)), {"renew_before_days": 400}, False),
    ],
)
def test_only_what_is_right_and_grows_old_is_loaded_by_a_node_that_runs(
    place: Place, host: str, node: Node, more: dict[str, Any], live: bool
) -> None:
    assert verdict(place, issued(place, host), node, **more).live == live


def test_all_are_renewed_although_certificates_are_now_issued_for_fewer_days(place: Place, host: str) -> None:
    found = issued(place, host, days=397)
    assert why(place, found, renew_before_days=1) == []
    assert len(why(place, found, renew_before_days=1, renew_all=True)) == 1


def test_an_expired_certificate_needs_a_restart(place: Place, host: str) -> None:
    assert verdict(place, issued(place, host, days=0), NODE) == Verdict(["has a certificate that has expired"])


def test_what_a_killed_run_has_left_is_loaded(place: Place, host: str) -> None:
    found = {**issued(place, host), "unloaded": True}
    assert verdict(place, found) == Verdict([UNLOADED], live=True)


def test_the_certificate_of_the_process_is_kept_until_it_ends(
    place: Place, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path / "started"))
    first = issued(place, host)["certificate"]
    assert not certificate.is_renewed_live(run)
    (tmp_path / "started").mkdir()
    before = {path: path.stat().st_mtime_ns for path in Path(host).glob("*s.pem")}
    for _ in range(2):
        assert issued(place, host, live=True)["unloaded"]
    assert (tmp_path / "started" / certificate.OF_PROCESS).read_text() == first
    assert certificate.is_renewed_live(run)
    assert {path: path.stat().st_mtime_ns for path in Path(host).glob("*s.pem")} == before
    certificate.loaded(host)
    assert not certificate.observe(run, host)["unloaded"]


def test_a_process_whose_first_certificate_ends_soon_is_not_renewed_live(
    place: Place, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path))
    issued(place, host, days=13)
    issued(place, host, live=True)
    assert not certificate.is_renewed_live(run)


def test_what_a_process_cannot_load_restarts_it_although_it_has_loaded_one_before(
    place: Place, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path / "started"))
    issued(place, host)
    (tmp_path / "started").mkdir()
    issued(place, host, live=True)
    assert certificate.is_renewed_live(run)
    found = issued(place, host, dataclasses.replace(NODE, names=("kafka.example.org",)))
    assert not certificate.is_renewed_live(run)
    assert not found["unloaded"]


def test_a_process_without_keystore_goes_on_and_is_asked_to_load_nothing(
    place: Place, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path / "started"))
    (tmp_path / "started").mkdir()
    settings = tmp_path / "started" / certificate.STARTED
    settings.write_text("listeners=CLIENT://:9092\n")
    os.utime(settings, (1e9, 1e9))  # older than what is issued here
    found = issued(place, host, days=0)
    assert verdict(place, found) == Verdict(["has a certificate that has expired"], live=True)
    found = issued(place, host, live=True)
    assert verdict(place, found) == Verdict([])
    assert set(found["process"]["trust"]) == {CLIENTS, NODES}
    assert [each.name for each in settings.parent.iterdir()] == [certificate.STARTED]


def test_fewer_names_need_no_new_certificate(place: Place, host: str) -> None:
    assert why(place, issued(place, host), dataclasses.replace(NODE, names=("kafka1",))) == []


def test_another_authority_or_key_or_trust_is_noticed(place: Place, host: str, tmp_path: Path) -> None:
    found = issued(place, host)
    other = Place(tmp_path / "other", place.passphrase)
    authority.ensure(other, "orders")
    assert len(why(other, found)) == 1
    assert why(place, {**found, "trust": {}}) == [TRUST]
    assert len(why(place, {**found, "key_fits": False})) == 1
    assert len(why(place, {**found, "certificate": "-----BEGIN CERTIFICATE-----\n"})) == 1


def test_authorities_of_clients_alone_are_loaded_by_a_node_that_runs(
    place: Place, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path / "started"))
    found = issued(place, host)
    (tmp_path / "started").mkdir()
    (tmp_path / "started" / certificate.STARTED).touch()
    for root, live in ((CLIENTS, True), (NODES, False)):
        change.take(place, root, phases.BEGIN, "orders")
        assert verdict(place, found) == Verdict([TRUST], live=live)
    certificate.install(host, "root", "", authority.certificates(place.directory), live=True)
    assert not (tmp_path / "started" / certificate.OF_PROCESS).exists()
    os.utime(Path(host, "clients.pem"), (2e9, 2e9))
    assert CLIENTS not in certificate.observe(run, host)["process"]["trust"]
    certificate.loaded(host)
    assert CLIENTS in certificate.observe(run, host)["process"]["trust"]


def test_the_order_of_authorities_is_no_reason_to_write_them(place: Place, host: str) -> None:
    change.take(place, CLIENTS, phases.BEGIN, "orders")
    found, path = issued(place, host), Path(host, "clients.pem")
    before = path.stat().st_mtime_ns
    change.take(place, CLIENTS, phases.ISSUE, "orders")
    assert why(place, found) == []
    certificate.install(host, "root", "", authority.certificates(place.directory))
    assert path.stat().st_mtime_ns == before


def test_an_authority_that_is_lost_or_replaced_is_foreign_to_the_host(place: Place, host: str, tmp_path: Path) -> None:
    found = issued(place, host)
    other = Place(tmp_path / "other", place.passphrase)
    authority.ensure(other, "orders")
    for directory, foreign in ((place.directory, False), (other.directory, True), (tmp_path / "none", True)):
        assert requirements.is_foreign({"authority": str(directory)}, found) is foreign
    assert not requirements.is_foreign({"authority": str(other.directory)}, {**found, "trust": {}})


def test_a_key_of_another_certificate_does_not_fit(place: Place, host: str) -> None:
    first = Path(host, "node.pem")
    issued(place, host)
    key = first.read_text().split("-----BEGIN CERTIFICATE-----")[0]
    issued(place, host)
    first.write_text(key + certificate.observe(run, host)["certificate"])
    assert not certificate.observe(run, host)["key_fits"]


def test_a_group_that_does_not_exist_is_refused_before_a_key_is_made(host: str) -> None:
    with pytest.raises(RefusedError, match="no-such-group"):
        certificate.request(run, host, "no-such-group")
    assert not Path(host).exists()


def shown(text: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(text[text.index("-----BEGIN CERTIFICATE") :].encode())


def test_a_users_certificate_is_for_clients_alone_and_of_their_own_authority(place: Place) -> None:
    text = authority.issue_to_user(place, authority.User("writer", "orders"), 30)
    certificate, roots = shown(text), authority.certificates(place.directory)
    assert certificate.subject.rfc4514_string() == "CN=writer,OU=clients,O=orders"
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(roots[CLIENTS].encode()))
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [x509.oid.ExtendedKeyUsageOID.CLIENT_AUTH]
    key = serialization.load_pem_private_key(text.encode(), None)
    assert key.public_key() == certificate.public_key()


WRITER = {"name": "writer", "authentication": "tls"}


def steps(place: Place, *users: dict[str, Any], renew_before_days: int = 10) -> list[str]:
    return [str(each) for each in certificates.steps(place.directory, "orders", list(users), renew_before_days)]


def carry_out(place: Place, *users: dict[str, Any], days: int = 30) -> None:
    for step in certificates.steps(place.directory, "orders", list(users), 10):
        certificates.carry_out(place, step, days)


def test_a_user_has_one_certificate_until_it_is_due(place: Place) -> None:
    reader = {"name": "reader", "password": "no-certificate"}
    assert steps(place, WRITER, reader) == ["writer has no certificate"]
    carry_out(place, WRITER, reader)
    path = place.directory / "users/writer.pem"
    assert (path.stat().st_mode & 0o777, [each.name for each in path.parent.iterdir()]) == (0o600, ["writer.pem"])
    assert steps(place, WRITER, reader) == []
    assert steps(place, WRITER, renew_before_days=31) == ["writer has a certificate that expires in 29 days"]


def test_a_user_whose_name_yaml_reads_as_a_number_has_a_certificate(place: Place) -> None:
    numbered: dict[str, Any] = {"name": 1234, "authentication": "tls"}
    carry_out(place, numbered)
    assert steps(place, numbered) == []


def test_a_user_who_goes_or_gets_a_password_loses_the_certificate(place: Place) -> None:
    for without in ({"name": "writer", "state": "absent"}, {"name": "writer", "password": "drawn"}):
        carry_out(place, WRITER)
        assert steps(place, without) == ["writer: remove the certificate"]
        carry_out(place, without)
        assert steps(place, without) == []


def test_a_file_that_is_no_certificate_or_has_another_key_is_issued_again(place: Place) -> None:
    path = place.directory / "users/writer.pem"
    carry_out(place, WRITER)
    text = path.read_text()
    other = authority.issue_to_user(place, authority.User("writer", "orders"), 30)
    begin = text.index("-----BEGIN CERTIFICATE")
    path.write_text(other[: other.index("-----BEGIN CERTIFICATE")] + text[begin:])
    assert steps(place, WRITER) == ["writer has a certificate that does not belong to its key"]
    path.write_text("nothing")
    assert steps(place, WRITER) == ["writer has no certificate"]
    path.write_text("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n")
    assert steps(place, WRITER) == ["writer has a certificate that cannot be read"]
    path.write_text(authority.issue_to_user(place, authority.User("admin", "orders"), 30))
    assert steps(place, WRITER) == ["writer has the certificate of CN=admin,OU=clients,O=orders"]


def test_keys_of_authorities_are_sealed_by_many_rounds_and_openssl_opens_them(made: Place) -> None:
    assert DELIVERED_ROUNDS >= 600_000
    for root in (NODES, CLIENTS):
        path = made.directory / f"{root}.key"
        assert sealed_key.rounds_of(path.read_bytes()) == sealed_key.ROUNDS
        code, out, _ = run(
            ["openssl", "pkey", "-in", str(path), "-passin", f"pass:{made.passphrase}", "-noout", "-text"]
        )
        assert (code, "256 bit" in out) == (0, True)


def test_a_key_of_an_earlier_version_is_sealed_again_when_it_is_used(place: Place) -> None:
    path = place.directory / f"{NODES}.key"
    key = serialization.load_pem_private_key(path.read_bytes(), place.passphrase.encode())
    weak = serialization.BestAvailableEncryption(place.passphrase.encode())
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)
    path.write_bytes(key.private_bytes(*form, weak))
    assert sealed_key.rounds_of(path.read_bytes()) < sealed_key.ROUNDS
    authority.ensure(place, "orders")
    assert sealed_key.rounds_of(path.read_bytes()) == sealed_key.ROUNDS
    assert authority.fault(place) == ""
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_certificate_signs_alone_and_ends_with_its_authority_at_the_latest(place: Place, host: str) -> None:
    made = x509.load_pem_x509_certificate(issued(place, host, days=365 * 20)["certificate"].encode())
    signs = x509.load_pem_x509_certificate((place.directory / f"{NODES}.pem").read_bytes())
    assert made.not_valid_after_utc == signs.not_valid_after_utc
    usage = made.extensions.get_extension_for_class(x509.KeyUsage).value
    assert (usage.digital_signature, usage.key_cert_sign, usage.crl_sign) == (True, False, False)
