"""Logins by tokens: a listener's ``oauth``, as settings, as an option of the JVM, and as a file of the node. Pure.

Source: OAuthBearerValidatorCallbackHandler, VerificationKeyResolverFactory and ConfigurationUtils of Kafka 4.3.1.
A node fetches only addresses that this option of the JVM allows. A file of keys is read again when it changes.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.kafka_terms import CLIENT, OAUTHBEARER
from ansible.module_utils.kraft.spec.desired.model import Listener, Node

PACKAGE = "org.apache.kafka.common.security.oauthbearer"
PROXY = "-Dhttps.proxyHost="  #: with this option Java sends requests with https for any address to another host
HTTPS_PORT = 443
ALLOWED = "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls"


def with_tokens(node: Node) -> list[Listener]:
    """Return the listeners of a broker that take tokens."""
    return [each for each in node.listeners_for(CLIENT) if each.oauth and OAUTHBEARER in each.mechanisms]


def token_settings(node: Node, listener: Listener) -> dict[str, str]:
    """Return the settings for validation of tokens; none for a listener without."""
    if not listener.oauth or OAUTHBEARER not in listener.mechanisms:
        return {}
    prefix = f"listener.name.{listener.name.lower()}.{OAUTHBEARER.lower()}.sasl"
    return {
        f"{prefix}.jaas.config": f"{PACKAGE}.OAuthBearerLoginModule required;",
        f"{prefix}.server.callback.handler.class": f"{PACKAGE}.OAuthBearerValidatorCallbackHandler",
        f"{prefix}.oauthbearer.jwks.endpoint.url": key_set_url(node, listener),
        f"{prefix}.oauthbearer.expected.issuer": listener.oauth.issuer,
        f"{prefix}.oauthbearer.expected.audience": listener.oauth.audience,
    }


def token_options(node: Node) -> list[str]:
    """Return the option by which the JVM may fetch keys."""
    urls = sorted({key_set_url(node, each) for each in with_tokens(node)})
    return [f"{ALLOWED}={','.join(urls)}"] if urls else []


def key_set_url(node: Node, listener: Listener) -> str:
    """Return the URL of the keys: the issuer's address, or the node's own file."""
    if not listener.oauth or not listener.oauth.is_file:
        return listener.oauth.jwks if listener.oauth else ""
    return f"file://{node.install_dir}/config/{key_set_name(listener)}"


def key_set_name(listener: Listener) -> str:
    """Return the node's file of a listener's keys."""
    return f"jwks-{listener.name.lower()}.json"


def key_sets(node: Node) -> list[dict[str, str]]:
    """Return the files of keys that the node gets: their names there, and where they are on the control machine."""
    return [
        {"name": key_set_name(each), "source": each.oauth.jwks}
        for each in with_tokens(node)
        if each.oauth and each.oauth.is_file
    ]


def server_of(url: str) -> str:
    """Return the server of an address with https, as ``host:port``; empty if it has no host or an impossible port."""
    try:
        parts = urlsplit(url)
        return host_port(parts.hostname, HTTPS_PORT if parts.port is None else parts.port) if parts.hostname else ""
    except ValueError:
        return ""


def key_servers(node: Node) -> list[dict[str, str]]:
    """Return the servers from which the node fetches keys at start: ``listener`` and ``server`` (``host:port``)."""
    if any(option.startswith(PROXY) for option in node.jvm_options):
        return []
    return [
        {"listener": each.name, "server": server_of(each.oauth.jwks)}
        for each in with_tokens(node)
        if each.oauth and not each.oauth.is_file
    ]
