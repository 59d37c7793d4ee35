"""A certificate that the operator provides, compared with the one on its host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import authority, given_certificates
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.operations.certificates import given
from ansible.module_utils.kraft.operations.certificates.renewal import TRUST, UNLOADED, Verdict
from ansible.module_utils.kraft.operations.certificates.requirements import is_foreign, issued_to, judge
from ansible.parsing.dataloader import DataLoader

from tests.commands import run
from tests.given_pki import PKCS8, Pki, make, rsa_key

NAMES = ["kafka1", "10.0.0.1"]


class Site:
    def __init__(self, directory: Path) -> None:
        self.pki, self.host = Pki(directory / "pki"), directory / "host"
        self.pki.node("kafka1", NAMES)
        self.asked = {"node": {"host": "kafka1"}, "authority": str(self.pki.directory), "given": True}

    def deploy(self) -> None:
        place, pki = given_certificates.Source(self.pki.directory, "kafka1", "", DataLoader()), self.pki.directory
        pair = given_certificates.material(place)
        certificate.install(str(self.host), "root", pair["key"] + pair["certificate"], given_certificates.trust(pki))

    def found(self, **more: Any) -> dict[str, Any]:
        return {**certificate.observe(run, str(self.host)), **more}

    def judge(self, **more: Any) -> Verdict:
        return judge(self.asked, self.found(**more))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    made.deploy()
    return made


def test_a_second_run_finds_nothing_to_do(site: Site) -> None:
    assert site.judge() == Verdict([])
    assert issued_to(site.asked, site.found()) == ""
    text = (site.host / "node.pem").read_text()
    assert "BEGIN PRIVATE KEY" in text
    assert text.count("BEGIN CERTIFICATE") == 2
    assert (site.host / "node.pem").stat().st_mode & 0o777 == 0o640
    assert "PRIVATE" not in str(site.found())


def test_a_host_without_a_certificate_gets_it(tmp_path: Path) -> None:
    assert len(Site(tmp_path).judge().reasons) == 1


@pytest.mark.parametrize(
    ("before", "after", "live"),
    [
        ({}, {}, True),
        ({}, {"names": [*NAMES, "kafka.example.org"]}, True),
        ({}, {"names": NAMES[:1]}, False),
        ({}, {"subject": "CN=other"}, False),
        ({"days": 13}, {}, False),
    ],
)
def test_a_replaced_file_is_a_difference_and_loaded_where_kafka_takes_it(
    site: Site, before: dict[str, Any], after: dict[str, Any], live: bool
) -> None:
    site.pki.node("kafka1", **{"names": NAMES, **before})
    site.deploy()
    site.pki.node("kafka1", **{"names": NAMES, **after})
    assert (len(site.judge().reasons), site.judge().live) == (1, live)
    assert not site.judge(key_fits=False).live


def test_another_chain_to_the_same_root_is_a_difference(site: Site) -> None:
    path = site.pki.directory / "nodes/kafka1.pem"
    path.write_text(path.read_text() + site.pki.root.pem)
    assert (len(site.judge().reasons), site.judge().live) == (1, True)


def test_roots_of_clients_are_loaded_and_those_of_nodes_take_a_restart(site: Site) -> None:
    other = make("CN=Other", ca=True).pem
    site.pki.write("clients.pem", site.pki.people.pem + other)
    assert site.judge() == Verdict([TRUST], live=True)
    site.pki.write("nodes.pem", site.pki.root.pem + other)
    assert site.judge() == Verdict([TRUST], live=False)
    site.deploy()
    assert site.judge(unloaded=True) == Verdict([UNLOADED], live=True)


def test_roots_of_clients_that_no_one_brings_any_more_are_no_difference(site: Site) -> None:
    (site.pki.directory / "clients.pem").unlink()
    for _ in range(2):
        assert site.judge() == Verdict([])
        site.deploy()


def test_a_form_of_pem_that_others_write_is_no_difference(site: Site) -> None:
    for path in site.pki.directory.rglob("*.pem"):
        path.write_text("Bag Attributes: none\r\n" + path.read_text().replace("\n", "\r\n"))
    assert site.judge() == Verdict([])


def test_another_root_comes_in_three_steps_and_no_other_way(site: Site) -> None:
    old, new = site.pki.root.pem, make("CN=New,O=Example", ca=True)
    renewed = make("CN=kafka1,OU=kafka,O=Example", new, names=NAMES)
    path = site.pki.directory / "nodes/kafka1.pem"
    before = path.read_text()

    def step(roots: str, own: str) -> bool:
        site.pki.write("nodes.pem", roots)
        path.write_text(own)
        return not is_foreign(site.asked, site.found(process={}))

    assert not step(new.pem, renewed.pem)
    assert not step(old + new.pem, renewed.pem)
    assert not step(new.pem, before)
    assert step(old + new.pem, before)
    site.deploy()
    assert step(old + new.pem, renewed.pem)
    unread = {"process": {"trust": [], "certificate": ""}}
    assert is_foreign(site.asked, site.found(**unread))
    assert not step(new.pem, renewed.pem)
    site.pki.write("nodes/kafka1.key", renewed.key_pem())
    step(old + new.pem, renewed.pem)
    site.deploy()
    assert step(new.pem, renewed.pem)


def test_a_host_with_a_certificate_of_the_clusters_own_authority_is_held_back(site: Site, tmp_path: Path) -> None:
    place = authority.Place(tmp_path / "own", "only-for-this-test")
    authority.ensure(place, "orders")
    issued = authority.issue(
        place, certificate.request(run, str(site.host), "root"), authority.Node("kafka1", "orders", ("kafka1",)), 90
    )
    certificate.install(str(site.host), "root", issued, authority.certificates(place.directory))
    assert is_foreign(site.asked, site.found())
    assert given.owners(site.asked, site.found()) == ["CN=kafka1,OU=nodes,O=orders", "CN=kafka1,OU=kafka,O=Example"]


def test_a_key_that_lies_on_the_host_is_judged_and_taken_there(site: Site, tmp_path: Path) -> None:
    path, made = tmp_path / "own.key", site.pki.node("kafka1", NAMES, key=rsa_key())
    bad = {
        "is no key": ("nothing", 0o600),
        "is encrypted": (made.key_pem(PKCS8, "unknown-here"), 0o600),
        "is of another": (site.pki.root.key_pem(), 0o600),
        "is open to all": (made.key_pem(), 0o604),
    }
    assert given.key_fault(site.asked, {"host_key": certificate.host_key(run, str(path))})
    for what, (text, mode) in bad.items():
        path.write_text(text)
        path.chmod(mode)
        assert given.key_fault(site.asked, {"host_key": certificate.host_key(run, str(path))}), what
    path.chmod(0o640)
    path.write_text(made.key_pem())
    assert "RSA PRIVATE" in path.read_text()
    assert given.key_fault(site.asked, {"host_key": certificate.host_key(run, str(path))}) == ""
    assert given.key_fault(site.asked, {}) == ""
    pki = site.pki.directory
    brought = given_certificates.material(given_certificates.Source(pki, "kafka1", host_key=str(path)))
    assert brought == {"certificate": made.pem + site.pki.issuing.pem, "key_file": str(path)}
    own = certificate.read_host_key(run, str(path))
    assert own == made.key_pem(PKCS8)
    certificate.install(str(site.host), "root", own + brought["certificate"], given_certificates.trust(pki))
    assert site.judge() == Verdict([])
