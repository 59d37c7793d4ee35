"""Doors into the JVM: what opens one for other machines is refused in production, what does not raises no alarm."""

from __future__ import annotations

import pytest

from tests.unit.spec.inventory import hosts, problems_of

JMX = "-Dcom.sun.management.jmxremote"
RMI = "-Djava.rmi.server.hostname"
OPEN = [f"{JMX}.port=9999", f"{JMX}.authenticate=false", f"{JMX}.ssl=false"]


def said(options: list[str], profile: str = "production") -> list[tuple[str, str, str]]:
    made = problems_of(hosts(1, kafka_profile=profile, kafka_jvm_options=options))
    found = [each for each in made if each.rule in {"jmx_open", "jmx_unreadable", "debugger_open"}]
    assert all((each.host, each.variable) == ("k1", "kafka_jvm_options") for each in found)
    return [(each.severity, each.rule, str(each.value)) for each in found]


@pytest.mark.parametrize(
    "options",
    [
        OPEN,
        [*OPEN, f"{JMX}.host=0.0.0.0"],
        [*OPEN, f"{JMX}.host=10.0.0.1"],
        [f"{JMX}.authenticate=true", *OPEN],
        [OPEN[0], OPEN[1]],
        [*OPEN, f"{JMX}.ssl.need.client.auth=true"],
    ],
)
def test_jmx_without_a_login_is_refused(options: list[str]) -> None:
    assert said(options) == [("error", "jmx_open", "9999")]
    assert said(options, "test") == [("warning", "jmx_open", "9999")]


@pytest.mark.parametrize(
    "options",
    [
        [],
        [JMX],
        OPEN[1:],
        [*OPEN, f"{JMX}.host=127.0.0.1", f"{RMI}=127.0.0.1"],
        [*OPEN, f"{JMX}.authenticate=true"],
        OPEN[:1],
        [OPEN[0], OPEN[1], f"{JMX}.ssl.need.client.auth=true"],
    ],
)
def test_jmx_with_a_login_or_for_this_machine_alone_is_taken(options: list[str]) -> None:
    assert said(options) == []


@pytest.mark.parametrize(
    ("host", "name"), [("127.0.0.1", ""), ("127.0.0.1", "kafka1.example.com"), ("localhost", "10.0.0.1")]
)
def test_jmx_that_sends_its_clients_to_another_address_is_a_warning(host: str, name: str) -> None:
    options = [*OPEN, f"{JMX}.host={host}", *([f"{RMI}={name}"] if name else [])]
    assert said(options) == [("warning", "jmx_unreadable", "9999")]


@pytest.mark.parametrize(
    ("address", "open_"),
    [("*:5005", True), ("0.0.0.0:5005", True), ("10.0.0.1:5005", True), ("5005", False), ("127.0.0.1:5005", False)],
)
@pytest.mark.parametrize(
    "form", ["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address={}", "-Xrunjdwp:address={}"]
)
def test_a_debugger_for_other_machines_is_refused(form: str, address: str, open_: bool) -> None:
    option = form.format(address)
    assert said([option]) == ([("error", "debugger_open", option)] if open_ else [])
