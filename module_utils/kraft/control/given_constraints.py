"""Name constraints of authorities (RFC 5280, 4.2.1.10): for which names a chain is good. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cryptography import x509


def broken(own: x509.Certificate, authorities: Iterable[x509.Certificate]) -> Iterator[tuple[x509.Certificate, str]]:
    """(authority, name of `own`) for each name that one of them does not permit."""
    names = _names(own)
    for authority in authorities:
        try:
            found = authority.extensions.get_extension_for_class(x509.NameConstraints).value
        except x509.ExtensionNotFound:
            continue
        for name in names:
            permitted = [each for each in found.permitted_subtrees or () if isinstance(each, type(name))]
            excluded = [each for each in found.excluded_subtrees or () if isinstance(each, type(name))]
            if (permitted and not any(_covers(each, name) for each in permitted)) or any(
                _covers(each, name) for each in excluded
            ):
                yield authority, str(name.value)


def _names(own: x509.Certificate) -> list[x509.GeneralName]:
    try:
        found = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [name for name in found if isinstance(name, (x509.DNSName, x509.IPAddress))]


def _covers(subtree: x509.GeneralName, name: x509.GeneralName) -> bool:
    """A domain covers itself and what is below it; a network its addresses."""
    if isinstance(subtree, x509.IPAddress) and isinstance(name, x509.IPAddress):
        return name.value in subtree.value  # type: ignore[operator]  # a subtree's value is a network
    domain, host = str(subtree.value).lower().lstrip("."), str(name.value).lower()
    return not domain or host == domain or host.endswith(f".{domain}")
