"""Java's complaint about its options is an error of the host."""

from __future__ import annotations

from ansible.module_utils.kraft.spec import host_rules

from tests.unit.spec.host_rules.scene import Scene


def test_options_that_java_refuses_are_named_with_its_words() -> None:
    scene = Scene()
    scene.facts_of("k2")["steps"] = {"jvm": {"changed": False, "refused": "Unrecognized VM option 'PermSize=64m'"}}
    scene.facts_of("k3")["steps"] = {"jvm": {"changed": False, "refused": ""}}
    found = [one for one in host_rules.check(scene.subject()) if one.rule == "jvm_option_refused"]
    assert [(one.severity, one.host, one.variable) for one in found] == [("error", "k2", "kafka_jvm_options")]
    assert "PermSize=64m" in found[0].message
