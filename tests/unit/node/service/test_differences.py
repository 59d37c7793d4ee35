"""Why a node must be restarted: every difference, no secret among them."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.difference import Difference
from ansible.module_utils.kraft.node.release.manifest import FileRecord, Manifest
from ansible.module_utils.kraft.node.service.difference_text import NO_RECORD, sentences
from ansible.module_utils.kraft.node.service.differences import Inputs, config_differences, differences
from ansible.module_utils.kraft.node.service.unit_fingerprint import fingerprint, fingerprinted

UNIT = fingerprinted("[Unit]\nDescription=x\n[Service]\nLimitNOFILE=20000\nUser=kafka\n")
TEXTS = {
    "server.properties": "# comment\nnode.id=1\nnum.io.threads=8\nssl.keystore.password=geheim\n",
    "jvm.options": "-Xmx1g\n-XX:+UseG1GC\n-XX:MaxGCPauseMillis=20\n-Dkafka.logs.dir=/var/log/kafka\n-server\n",
    "log4j2.yaml": "Configuration:\n  monitorInterval: 10\n",
}
MANIFEST = Manifest("4.3.1", {"sha256": "a"}, {"libs/a.jar": FileRecord(1, "b")})
SAME = Inputs(TEXTS, MANIFEST, UNIT)


def changed(**texts: str) -> Inputs:
    """SAME with lines of a file replaced; `name='old -> new'`, the file found by what it holds."""
    out = dict(TEXTS)
    for change in texts.values():
        old, _, new = change.partition(" -> ")
        out = {name: text.replace(old, new) for name, text in out.items()}
    return Inputs(out, MANIFEST, UNIT)


def reasons(running: Inputs, desired: Inputs, environment_unit: str, release: str) -> list[str]:
    """As a person reads them."""
    return sentences(differences(running, desired, environment_unit, release))


def test_a_setting_is_a_value_with_file_key_old_and_new() -> None:
    found = differences(SAME, changed(it="num.io.threads=8 -> num.io.threads=16"), fingerprint(UNIT), "4.3.1")
    assert found == [Difference("server.properties", "num.io.threads", "8", "16")]
    assert [one.setting for one in found] == ["num.io.threads"]


@pytest.mark.parametrize(
    "change", ["geheim -> geheimer", "-server -> -server\n-Djavax.net.ssl.keyStorePassword=geheimer"]
)
def test_no_value_of_a_secret_leaves_the_host(change: str) -> None:
    found = differences(SAME, changed(it=change), fingerprint(UNIT), "4.3.1")
    assert [one.secret for one in found] == [True]
    assert "geheim" not in str(found)


def test_a_line_of_a_unit_with_a_secret_is_hidden() -> None:
    added = fingerprinted(UNIT.replace("User=kafka", "User=kafka\nEnvironment=KAFKA_PASSWORD=geheim"))
    found = differences(SAME, Inputs(TEXTS, MANIFEST, added), fingerprint(UNIT), "4.3.1")
    assert [one.secret for one in found] == [True]
    assert "geheim" not in str(found)


def test_the_same_inputs_are_no_reason() -> None:
    assert reasons(SAME, SAME, fingerprint(UNIT), "4.3.1") == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("num.io.threads=8 -> num.io.threads=16", "server.properties: num.io.threads 8 -> 16"),
        ("num.io.threads=8\n -> ", "server.properties: num.io.threads 8 -> (unset)"),
        ("node.id=1 -> node.id=1\nbroker.rack=a", "server.properties: broker.rack (unset) -> a"),
        ("geheim -> geheimer", "server.properties: ssl.keystore.password (hidden) -> (hidden)"),
        ("-Xmx1g -> -Xmx2g", "jvm.options: -Xmx 1g -> 2g"),
        ("-XX:+UseG1GC -> -XX:+UseZGC", "jvm.options: -XX:UseG1GC + -> (unset)"),
        ("MaxGCPauseMillis=20 -> MaxGCPauseMillis=50", "jvm.options: -XX:MaxGCPauseMillis 20 -> 50"),
        ("/var/log/kafka -> /logs", "jvm.options: -Dkafka.logs.dir /var/log/kafka -> /logs"),
        ("-server\n -> ", "jvm.options: -server set -> (unset)"),
    ],
)
def test_each_difference_is_named(change: str, reason: str) -> None:
    assert reason in reasons(SAME, changed(it=change), fingerprint(UNIT), "4.3.1")


@pytest.mark.parametrize("change", ["# comment -> # another", "-server\n -> -server\n# comment\n"])
def test_comments_are_no_reason(change: str) -> None:
    assert reasons(SAME, changed(it=change), fingerprint(UNIT), "4.3.1") == []


def test_logging_that_is_reread_is_no_reason() -> None:
    assert reasons(SAME, changed(it="monitorInterval: 10 -> monitorInterval: 0"), fingerprint(UNIT), "4.3.1") == []


def test_logging_that_is_not_reread_is_one() -> None:
    running = changed(it="monitorInterval: 10 -> monitorInterval: 0")
    assert reasons(running, SAME, fingerprint(UNIT), "4.3.1") == ["log4j2.yaml"]


def test_another_release_is_named_with_both() -> None:
    older = Inputs(TEXTS, Manifest("4.2.1", {}, {}), UNIT)
    assert reasons(older, SAME, fingerprint(UNIT), "4.3.1") == ["release 4.2.1 -> 4.3.1"]


def test_another_release_that_is_not_installed_yet_is_named() -> None:
    planned = Inputs(TEXTS, None, UNIT)
    assert reasons(SAME, planned, fingerprint(UNIT), "4.4.0") == ["release 4.3.1 -> 4.4.0"]


def test_other_files_of_the_same_release_are_a_reason() -> None:
    other = Inputs(TEXTS, Manifest("4.3.1", {"sha256": "c"}, {}), UNIT)
    assert "other files" in reasons(other, SAME, fingerprint(UNIT), "4.3.1")[0]


def test_a_changed_unit_says_which_lines() -> None:
    desired = Inputs(TEXTS, MANIFEST, fingerprinted(UNIT.replace("20000", "100000")))
    found = reasons(SAME, desired, fingerprint(UNIT), "4.3.1")
    assert found == ["unit: - LimitNOFILE=20000; + LimitNOFILE=100000"]


def test_a_unit_that_systemd_has_not_reloaded_is_found_by_the_environment_not_by_its_copy() -> None:
    assert reasons(SAME, SAME, "fingerprint of an older unit", "4.3.1") == ["unit"]


def test_a_process_without_a_record_must_be_restarted() -> None:
    assert reasons(Inputs({}, None, ""), SAME, "", "4.3.1") == [NO_RECORD]


def test_a_fingerprint_does_not_change_what_it_is_the_fingerprint_of() -> None:
    assert fingerprinted(UNIT) == UNIT
    assert fingerprint(UNIT) in UNIT
    assert UNIT.index("KRAFTWRIGHT_UNIT") < UNIT.index("LimitNOFILE")


def test_a_unit_without_a_service_section_cannot_carry_one() -> None:
    with pytest.raises(ValueError, match="without a \\[Service\\] section"):
        fingerprinted("[Unit]\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [("x=a\\nb", "x=anb"), ("x=a,\\\nb", "x=a,\\\nc"), ("x=a\\\\b", "x=a\\b")],
    ids=["an escape", "a continued line", "a backslash"],
)
def test_texts_that_java_reads_as_other_values_are_different(before: str, after: str) -> None:
    running, desired = (Inputs({"server.properties": text}, None, "") for text in (before, after))
    assert config_differences(running, desired)
    assert not config_differences(running, running)
