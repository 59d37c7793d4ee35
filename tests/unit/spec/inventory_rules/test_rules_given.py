"""Certificates that the operator brings: each mistake is refused by its file, before any host is touched."""

from __future__ import annotations

import dataclasses
import ipaddress
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import given_certificates, given_constraints
from ansible.module_utils.kraft.control.given_certificates import Source
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.listener_properties import GIVEN_RULE
from ansible.module_utils.kraft.spec.desired.server_properties import server_settings
from ansible.module_utils.kraft.spec.inventory.reading import read
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import ExtensionOID

from plugins.action import kafka_desired
from tests.given_pki import BOTH, PKCS8, Pair, Pki, make, rsa_key
from tests.unit.problems import worded
from tests.unit.spec.inventories import example, host_variables
from tests.unit.spec.inventory import LISTENERS, SPECS, hosts, problems_of
from tests.wording_files import Wording

UNNAMED = [{key: value for key, value in each.items() if key != "protocol"} for each in LISTENERS]
NAMES = {f"k{at}": [f"10.0.0.{at}"] for at in (1, 2, 3)}
DIRECTORY = "kafka_tls.directory"
Bend = Callable[[Pki], Any]


@pytest.fixture
def pki(tmp_path: Path) -> Pki:
    made = Pki(tmp_path / "pki")
    made.nodes(NAMES)
    return made


def given(pki: Pki, loader: Any = None, **more: Any) -> list[Any]:
    """Return the variables of three hosts, with the files in the directory."""
    tls = {"authority": "given", "directory": str(pki.directory), **more.pop("tls", {})}
    found = hosts(**{"kafka_security": "tls", "kafka_listeners": UNNAMED, "kafka_tls": tls, **more})
    return [
        dataclasses.replace(each, given=given_certificates.read(each.host, each.values, loader or DataLoader()))
        for each in found
    ]


def refused(pki: Pki, **more: Any) -> list[Problem]:
    return [each for each in problems_of(given(pki, **more)) if each.rule.startswith(("certificate", "tls"))]


def k1(pki: Pki, **bent: Any) -> None:
    pki.node("k1", **{"names": NAMES["k1"], **bent})


def reversed_chain(pki: Pki) -> None:
    path = pki.directory / "nodes/k1.pem"
    whole = pki.issuing.pem
    path.write_text(whole + path.read_text().replace(whole, ""))


def shuffled(pki: Pki) -> None:
    below = make("CN=Below,O=Example", pki.issuing, ca=True)
    own = make("CN=k1,O=Example", below, names=NAMES["k1"])
    pki.place("k1", own)
    pki.write("nodes/k1.pem", own.pem + pki.issuing.pem + below.pem)


def alone(pki: Pki) -> None:
    path = pki.directory / "nodes/k1.pem"
    path.write_text(path.read_text().replace(pki.issuing.pem, ""))


def another_key(pki: Pki) -> None:
    pki.write("nodes/k1.key", pki.issuing.key_pem())


def sealed(pki: Pki) -> None:
    made = pki.node("k1", NAMES["k1"])
    pki.write("nodes/k1.key", made.key_pem(PKCS8, "another-passphrase"))


def signed_with_sha1(pki: Pki) -> None:
    """Sign with openssl: the library for certificates makes none."""
    files = {"ca": pki.issuing.pem, "key": pki.issuing.key_pem(PKCS8)}
    own, key = (str(pki.write(f"{name}.tmp", text)) for name, text in files.items())
    request = ["openssl", "req", "-new", "-key", str(pki.directory / KEY), "-subj", "/CN=k1"]
    asked = subprocess.run(request, check=True, capture_output=True, text=True).stdout
    sign = ["openssl", "x509", "-req", "-sha1", "-CA", own, "-CAkey", key, "-set_serial", "7", "-days", "90"]
    made = subprocess.run(sign, check=True, capture_output=True, text=True, input=asked).stdout
    pki.write(K1, made + pki.issuing.pem)


def key_among_certificates(pki: Pki, mode: int, key_first: bool = False) -> None:
    own, key = pki.directory / K1, (pki.directory / KEY).read_text()
    own.write_text(key + own.read_text() if key_first else own.read_text() + key)
    own.chmod(mode)


def clients_below_nodes(pki: Pki) -> None:
    pki.write("clients.pem", make("CN=People,O=Example", pki.root, ca=True).pem)


def of_a_curve_that_nobody_reads() -> str:
    """Make a key with openssl: the library for certificates makes none."""
    key = subprocess.run(
        ["openssl", "ecparam", "-name", "brainpoolP320r1", "-genkey", "-noout"], check=True, capture_output=True
    ).stdout
    made = ["openssl", "req", "-x509", "-new", "-key", "/dev/stdin", "-subj", "/CN=k1", "-days", "90"]
    return subprocess.run(made, check=True, capture_output=True, input=key).stdout.decode()


def test_a_key_that_no_one_here_reads_is_refused_like_all_else(pki: Pki) -> None:
    pki.write(K1, of_a_curve_that_nobody_reads())
    (pki.directory / "users").mkdir(exist_ok=True)
    (pki.directory / "users/gone.pem").symlink_to("/nowhere")
    found = [(each.rule, each.host, each.value) for each in problems_of(given(pki))]
    assert found == [("certificate_file", "k1", str(pki.directory / K1))]


K1, KEY, USER, ROOTS, CLIENTS = "nodes/k1.pem", "nodes/k1.key", "users/app.pem", "nodes.pem", "clients.pem"
#: (what is bent, rule, host, file that is named)
CASES: list[tuple[str, Bend, str, str, str]] = [
    ("no certificate", lambda pki: (pki.directory / K1).unlink(), "certificate_file", "k1", K1),
    ("no PEM", lambda pki: pki.write(K1, "nothing"), "certificate_file", "k1", K1),
    ("no roots", lambda pki: (pki.directory / ROOTS).unlink(), "certificate_file", "", ROOTS),
    ("roots of clients that are no PEM", lambda pki: pki.write(CLIENTS, "x"), "certificate_file", "", CLIENTS),
    ("no key", lambda pki: (pki.directory / KEY).unlink(), "certificate_key", "k1", KEY),
    ("no key in its file", lambda pki: pki.write(KEY, "nothing"), "certificate_key", "k1", KEY),
    ("key of another", another_key, "certificate_key", "k1", KEY),
    ("key for all", lambda pki: os.chmod(pki.directory / KEY, 0o640), "certificate_key", "k1", KEY),
    ("key among certificates", lambda pki: key_among_certificates(pki, 0o644), "certificate_key", "k1", K1),
    ("sealed key", sealed, "certificate_key", "k1", KEY),
    ("chain without the authority", alone, "certificate_chain", "k1", K1),
    ("authority first", reversed_chain, "certificate_chain", "k1", K1),
    ("authorities in the wrong order", shuffled, "certificate_chain", "k1", K1),
    ("foreign root", lambda pki: pki.write(ROOTS, make("CN=X", ca=True).pem), "certificate_chain", "k1", K1),
    ("expired", lambda pki: k1(pki, begin=-9, days=-1), "certificate_dates", "k1", K1),
    ("not yet valid", lambda pki: k1(pki, begin=1), "certificate_dates", "k1", K1),
    (
        "expired root",
        lambda pki: pki.write(ROOTS, make("CN=X", ca=True, days=-0.5).pem),
        "certificate_dates",
        "",
        ROOTS,
    ),
    ("due within a week", lambda pki: k1(pki, days=6.9), "certificate_ends", "k1", K1),
    ("for servers alone", lambda pki: k1(pki, usage=BOTH[:1]), "certificate_usage", "k1", K1),
    ("for clients alone", lambda pki: k1(pki, usage=BOTH[1:]), "certificate_usage", "k1", K1),
    ("SHA-1", signed_with_sha1, "certificate_weak", "k1", K1),
    ("RSA of 1024 bits", lambda pki: k1(pki, key=rsa_key(1024)), "certificate_weak", "k1", K1),
    ("Ed25519", lambda pki: k1(pki, key=ed25519.Ed25519PrivateKey.generate()), "certificate_weak", "k1", K1),
    (
        "a curve that Java lacks",
        lambda pki: k1(pki, key=ec.generate_private_key(ec.SECP256K1())),
        *("certificate_weak", "k1", K1),
    ),
    ("an owner without a name", lambda pki: k1(pki, subject=""), "certificate_subject", "k1", K1),
    ("an owner whose name is escaped", lambda pki: k1(pki, subject="CN=a\\,b"), "certificate_subject", "k1", K1),
    ("key of a user for all", lambda pki: pki.user("app") and pki.write(USER, "x", 0o644), "certificate_key", "", USER),
    ("the same root for both", lambda pki: pki.write(CLIENTS, pki.root.pem), "certificate_root", "", CLIENTS),
    ("clients below the nodes' root", clients_below_nodes, "certificate_root", "", CLIENTS),
    ("an authority that is no root", lambda pki: pki.write(ROOTS, pki.issuing.pem), "certificate_root", "", ROOTS),
]


def constrained(pki: Pki, **names: Any) -> None:
    """An authority between root and node that may sign some names alone."""
    constraints = x509.NameConstraints(names.get("permitted"), names.get("excluded"))
    below = make("CN=Below,O=Example", pki.issuing, ca=True, constraints=constraints)
    own = make("CN=k1,O=Example", below, names=NAMES["k1"])
    pki.place("k1", own)
    pki.write(K1, own.pem + below.pem + pki.issuing.pem)


def network(text: str) -> list[x509.GeneralName]:
    return [x509.IPAddress(ipaddress.ip_network(text))]


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        ({"permitted": network("10.9.0.0/16")}, True),
        ({"excluded": network("10.0.0.0/8")}, True),
        ({"permitted": network("10.0.0.0/24")}, False),
        ({"permitted": [x509.DNSName("other.example")]}, False),
    ],
)
def test_name_constraints_of_an_authority_are_kept(pki: Pki, names: dict[str, Any], wrong: bool) -> None:
    constrained(pki, **names)
    found = {(each.rule, each.host, each.value) for each in refused(pki)}
    assert (("certificate_chain", "k1", str(pki.directory / K1)) in found) is wrong


@pytest.mark.parametrize(
    ("subtree", "name", "wrong"),
    [
        ("other.example", "k1.example.org", True),
        ("example.org", "k1.example.org", False),
        (".example.org", "k1.example.org", False),
        ("example.org", "k1.badexample.org", True),
        ("example.org", "EXAMPLE.org", False),
    ],
)
def test_a_domain_covers_what_is_below_it(pki: Pki, subtree: str, name: str, wrong: bool) -> None:
    constraints = x509.NameConstraints([x509.DNSName(subtree)], None)
    below = make("CN=Below", pki.issuing, ca=True, constraints=constraints)
    own = make("CN=k1", below, names=[name])
    assert bool(list(given_constraints.broken(own.certificate, [below.certificate]))) is wrong


@pytest.mark.parametrize("file", ["nodes.pem", "clients.pem"])
def test_a_key_in_a_file_that_everyone_gets_is_refused(pki: Pki, file: str) -> None:
    root = make("CN=People,O=Other", ca=True) if file == CLIENTS else pki.root
    key = root.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    pki.write(file, root.pem + key)
    assert ("certificate_key", str(pki.directory / file)) in {(each.rule, each.value) for each in refused(pki)}


@pytest.mark.parametrize(
    ("mode", "key_first", "wrong"),
    [(0o644, True, True), (0o644, False, True), (0o640, True, True), (0o600, True, False)],
)
def test_a_key_among_a_nodes_certificates_that_others_can_read_is_refused(
    pki: Pki, mode: int, key_first: bool, wrong: bool
) -> None:
    key_among_certificates(pki, mode, key_first)
    own = pki.directory / K1
    found = [(each.rule, each.host, each.value) for each in refused(pki)]
    assert found == ([("certificate_key", "k1", str(own))] if wrong else [])


@pytest.mark.parametrize(("begin", "first"), [(-9, False), (-9, True), (-900, False)])
def test_an_old_root_beside_a_good_one_is_to_be_removed(pki: Pki, begin: int, first: bool) -> None:
    roots = [pki.root.pem, make("CN=Old", ca=True, begin=begin, days=-1).pem]
    pki.write(ROOTS, "".join(reversed(roots) if first else roots))
    (old,) = (each for each in refused(pki) if each.rule == "certificate_dates")
    assert (old.value, "remove it" in old.remedy) == (str(pki.directory / ROOTS), True)


def test_certificates_of_an_authority_below_the_root_are_taken(pki: Pki) -> None:
    assert [str(each) for each in refused(pki)] == []


@pytest.mark.parametrize(
    ("bend", "rule", "host", "file"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_nodes_or_clients_would_refuse_is_refused_first(
    pki: Pki, bend: Bend, rule: str, host: str, file: str
) -> None:
    bend(pki)
    found = {(each.rule, each.host, each.variable, each.value) for each in refused(pki)}
    assert (rule, host, DIRECTORY, str(pki.directory / file)) in found


def test_an_advertised_name_that_the_certificate_lacks_is_refused(pki: Pki) -> None:
    k1(pki, names=["10.0.0.9", "*.example.org"])
    names = {"CLIENT": ["k1.example.org"]}
    made = [(each.rule, each.host, each.value) for each in refused(pki, tls={"names": names}) if each.host == "k1"]
    assert made == [("certificate_names", "k1", "*.example.org, 10.0.0.9")]
    k1(pki, names=[*NAMES["k1"], "*.example.org"])
    assert [each for each in refused(pki, tls={"names": names}) if each.host == "k1"] == []
    assert [each.host for each in refused(pki, tls={"names": {"CLIENT": ["a.k1.example.org"]}})] == ["k1", "k2", "k3"]


def test_what_ends_within_a_week_can_be_accepted(pki: Pki) -> None:
    k1(pki, days=6.9)
    for accepted, severity in (([], "error"), (["certificate_ends"], "warning")):
        made = refused(pki, kafka_profile="production", kafka_accepted_risks=accepted)
        assert [(each.rule, each.severity) for each in made] == [("certificate_ends", severity)]


@pytest.mark.parametrize("passphrase", ["", "opens-it-surely"])
def test_a_key_of_any_form_becomes_pkcs8(pki: Pki, passphrase: str) -> None:
    for key in (rsa_key(), None):
        made = pki.node("k1", NAMES["k1"], key=key)
        pki.write(KEY, made.key_pem(passphrase=passphrase))
        assert [str(each) for each in refused(pki, tls={"passphrase": passphrase or None})] == []
        brought = given_certificates.material(Source(pki.directory, "k1", passphrase, DataLoader()))
        assert brought["key"] == made.key_pem(PKCS8)
        assert brought["certificate"] == made.pem + pki.issuing.pem


def test_a_key_in_ansible_vault_may_be_read_by_others(pki: Pki) -> None:
    secrets = [("default", VaultSecret(b"only-for-this-test"))]
    loader = DataLoader()
    loader.set_vault_secrets(secrets)
    path = pki.directory / KEY
    path.write_bytes(VaultLib(secrets).encrypt(path.read_text(), secrets[0][1]))
    path.chmod(0o644)
    assert [str(each) for each in problems_of(given(pki, loader)) if each.rule.startswith("certificate")] == []
    assert [(each.rule, each.host) for each in refused(pki)] == [("certificate_key", "k1")]


def test_a_key_that_lies_on_the_host_is_not_looked_for_here(pki: Pki) -> None:
    (pki.directory / KEY).unlink()
    assert [str(each) for each in refused(pki, tls={"key_on_host": "/etc/pki/node.key"})] == []


def test_nodes_are_super_users_by_the_names_in_their_certificates(pki: Pki) -> None:
    k1(pki, subject="CN=broker-1,OU=Platform,DC=example,DC=org,C=DE")
    made, _ = read(given(pki, kafka_security="mtls"), SPECS)
    settings = server_settings(made, made.nodes[0])
    others = [f"User:CN=k{at},OU=kafka,O=Example" for at in (2, 3)]
    assert settings["super.users"].split(";") == ["User:CN=broker-1,OU=Platform,DC=example,DC=org,C=DE", *others]
    assert settings["listener.name.client.ssl.principal.mapping.rules"] == GIVEN_RULE
    assert settings["ssl.keystore.location"] == "/opt/kafka/tls/node.pem"


def test_our_own_client_needs_a_certificate_and_listeners_the_roots_of_clients(pki: Pki) -> None:
    users = {"kafka_users": [{"name": "smoke", "authentication": "tls"}], "kafka_client_user": "smoke"}
    (pki.directory / CLIENTS).unlink()
    made = [(each.rule, each.variable, each.value) for each in refused(pki, kafka_security="mtls", **users)]
    directory = pki.directory
    assert made == [
        ("certificate_file", DIRECTORY, f"{directory}/clients.pem"),
        ("certificate_file", "kafka_client_user", f"{directory}/users/smoke.pem"),
    ]
    pki.write(CLIENTS, pki.people.pem)
    pki.user("smoke")
    assert refused(pki, kafka_security="mtls", **users) == []


def two_pairs(pki: Pki) -> str:
    return pki.user("smoke").key_pem(PKCS8) + pki.user("smoke").pem


@pytest.mark.parametrize(
    ("bend", "said"),
    [
        (lambda _: "nothing", "no certificate"),
        (lambda pki: pki.user("smoke").pem, "no private key"),
        (lambda pki: (made := pki.user("smoke")).key_pem() + made.pem, "PKCS#8"),
        (lambda pki: (made := pki.user("smoke")).key_pem(PKCS8, "a-passphrase") + made.pem, "encrypted"),
        (two_pairs, "belong"),
        (lambda pki: (made := pki.user("other")).key_pem(PKCS8) + made.pem, "CN=other"),
        (lambda pki: (made := make("CN=smoke", pki.people, days=-0.5)).key_pem(PKCS8) + made.pem, "valid from"),
        (lambda pki: (made := make("CN=smoke", pki.issuing)).key_pem(PKCS8) + made.pem, "CN=smoke"),
    ],
)
def test_a_certificate_by_which_our_own_client_could_not_connect_is_refused(
    pki: Pki, bend: Callable[[Pki], str], said: str
) -> None:
    users = {"kafka_users": [{"name": "smoke", "authentication": "tls"}], "kafka_client_user": "smoke"}
    path = pki.write("users/smoke.pem", bend(pki))
    (made,) = refused(pki, kafka_security="mtls", **users)
    assert (made.rule, made.variable, made.value) == ("certificate_file", "kafka_client_user", str(path))
    assert said in made.message


def with_a_name_beyond_ascii(pki: Pki) -> None:
    """Encode ``DNS:kä`` in Latin-1, like openssl: the library for certificates makes none."""
    signed = pki.issuing
    built = x509.CertificateBuilder().subject_name(x509.Name.from_rfc4514_string("CN=k1"))
    built = built.issuer_name(signed.certificate.subject).serial_number(7).public_key(signed.key.public_key())
    built = built.not_valid_before(signed.certificate.not_valid_before_utc)
    built = built.not_valid_after(signed.certificate.not_valid_after_utc)
    names = x509.UnrecognizedExtension(ExtensionOID.SUBJECT_ALTERNATIVE_NAME, b"\x30\x04\x82\x02k\xe4")
    made = built.add_extension(names, critical=False).sign(signed.key, hashes.SHA256())
    pki.place("k1", Pair(made, signed.key))


def test_a_certificate_whose_names_cannot_be_read_is_refused(pki: Pki) -> None:
    with_a_name_beyond_ascii(pki)
    found = [(each.rule, each.host, each.value) for each in refused(pki)]
    assert found == [("certificate_file", "k1", str(pki.directory / K1))]


def test_the_files_are_read_from_the_inventory(tmp_path: Path, pki: Pki) -> None:
    tls = {"authority": "given", "directory": str(pki.directory)}
    hostvars = host_variables(example(tmp_path / "in", kafka_security="tls", kafka_tls=tls))
    _, problems = kafka_desired.read_inventory(hostvars, hostvars._loader, ["node1", "node2", "node3"])
    files = {(each.host, each.value) for each in problems if each.rule == "certificate_file"}
    assert files == {(f"node{at}", f"{pki.directory}/nodes/node{at}.pem") for at in (1, 2, 3)}
    assert [each.rule for each in problems if each.rule.startswith("tls")] == []


def test_wording(pki: Pki, wording: Wording) -> None:
    said: list[str] = []
    for _, bend, rule, _, _ in CASES:
        before = {path: (path.read_text(), path.stat().st_mode) for path in pki.directory.rglob("*.*")}
        bend(pki)
        said += [clean(pki, each) for each in worded(refused(pki)) if each.startswith(rule)][:1]
        for path, (text, mode) in before.items():
            path.write_text(text)
            path.chmod(mode)
    wording(said)


def clean(pki: Pki, text: str) -> str:
    """Remove the parts that differ in each run."""
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "MOMENT", text.replace(str(pki.directory), "PKI"))
    return re.sub(r"serial [0-9a-f]+", "serial N", text)
