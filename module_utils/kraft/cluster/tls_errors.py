"""Causes of failed TLS connections: kafka-python reports each of them as a lost connection."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

from ansible.module_utils.kraft.errors import AccessError, KraftError, TrustError, UnansweredError

#: Source of each side's certificate: the parameter, or the configuration of the node as which a module acts.
CA = "client.ca_file, or ssl.truststore.location of the node"
KEYSTORE = "client.keystore_file, or ssl.keystore.location of the node"
#: OpenSSL's reasons, of alerts that the other side sends if it refuses our certificate or misses it.
OF_OUR_CERTIFICATE = ("CERTIFICATE", "UNKNOWN_CA")


def tls_error(error: BaseException) -> ssl.SSLError | None:
    """Return the TLS error that `error` was made from; None if the connection failed otherwise."""
    return next((one for one in _origins(error) if isinstance(one, ssl.SSLError)), None)


def _origins(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        yield from (one for one in error.args if isinstance(one, BaseException))
        error = error.__cause__ or error.__context__


def of_tls(address: str, error: ssl.SSLError) -> KraftError:
    """Return which side refuses the other; if neither does, the broker may be going down, or have no TLS."""
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message or str(error)
        return TrustError(f"{address}: we do not trust its certificate: {reason}. Check {CA}.")
    reason = error.reason or str(error)
    if any(word in reason for word in OF_OUR_CERTIFICATE):
        return AccessError(f"{address} refuses us: {reason}. Check {KEYSTORE}.")
    return UnansweredError(f"{address}: TLS failed: {reason}. Check client.security_protocol.")
