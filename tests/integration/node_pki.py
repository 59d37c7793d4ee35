"""An authority for a test, with the files of a node and of users."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.kraft.control import authority

from tests.commands import run

ADDRESS = "127.0.0.2"  #: of the node, beside loopback's usual one
CLUSTER = "proxied"


class Pki:
    """An authority, a node's files below ``tls``, and users' files."""

    def __init__(self, home: Path, address: str = ADDRESS) -> None:
        self.home, self.tls, self.address = home, home / "tls", address
        self.tls.mkdir(parents=True)
        self.place = authority.Place(home / "authority", "a long passphrase")
        authority.ensure(self.place, CLUSTER)
        for root, text in authority.certificates(self.place.directory).items():
            (self.tls / f"{root}.pem").write_text(text)
        self.renew()

    def renew(self) -> None:
        key = self.home / "node.key"
        run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(key)])
        asked = run(["openssl", "req", "-new", "-key", str(key), "-subj", "/CN=node"])[1]
        issued = authority.issue(self.place, asked, authority.Node("k1", CLUSTER, (self.address,)), 5)
        (self.tls / "node.pem").write_text(key.read_text() + issued)

    def user(self, name: str) -> Path:
        path = self.home / f"{name}.pem"
        path.write_text(authority.issue_to_user(self.place, authority.User(name, CLUSTER), 5))
        return path
