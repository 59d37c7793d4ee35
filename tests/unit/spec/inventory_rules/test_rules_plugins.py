"""Refusals of plugins, and of classes that neither they nor Kafka have."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.describe import describe_node
from ansible.module_utils.kraft.spec.desired.plugins import PluginFile
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables, read

from tests.unit.problems import worded
from tests.unit.spec.inventory import SPECS, finding, hosts, problems_of
from tests.wording_files import Wording

SHA = "a" * 64
STORAGE = "io.aiven.kafka.tieredstorage.RemoteStorageManager"
REPORTER = "com.linkedin.kafka.cruisecontrol.metricsreporter.CruiseControlMetricsReporter"
PLUGIN = {"name": "tiered", "source": "/srv/tiered.tgz", "sha256": SHA}
FILE = PluginFile(SHA, frozenset({STORAGE, "org.example.Auth", "org.example.Auth$Inner"}))
KAFKA = frozenset({"org.apache.kafka.metadata.authorizer.AclMutator", "org.baked.in.Policy"})
Found = tuple[str, str, str, str, Any]


def plugged(file: PluginFile = FILE, plugins: Any = (PLUGIN,), **more: Any) -> list[HostVariables]:
    made = hosts(1, kafka_plugins=list(plugins) if isinstance(plugins, tuple) else plugins, **more)
    return [dataclasses.replace(host, plugin_files={"/srv/tiered.tgz": file}) for host in made]


def refused(made: list[HostVariables], kafka: frozenset[str] | None = KAFKA, installs: bool = True) -> list[Problem]:
    found = problems_of(made, archive_classes=lambda: kafka, installs=installs)
    return [each for each in found if each.rule.startswith("plugin")]


def findings(made: list[HostVariables], kafka: frozenset[str] | None = KAFKA, installs: bool = True) -> list[Found]:
    return [(each.rule, *finding(each)) for each in refused(made, kafka, installs)]


def of_class(key: str, value: Any, kafka: frozenset[str] | None = KAFKA) -> list[tuple[str, Any]]:
    found = findings(plugged(kafka_config={key: value}), kafka)
    assert {(rule, severity) for rule, severity, *_ in found} <= {("plugin_class", "error")}
    return [(variable, value) for *_, variable, value in found]


def test_a_plugin_is_described_with_its_directory_and_its_part_of_the_class_path() -> None:
    cluster, problems = read(plugged(kafka_install_dir="/srv/kafka"), SPECS)
    assert problems == []
    node = describe_node(cluster, cluster.nodes[0])
    directory = f"/srv/kafka/plugins/tiered-{'a' * 12}"
    assert node["plugins"] == [{**PLUGIN, "directory": directory}]
    assert node["class_path"] == [f"{directory}/*"]
    assert findings(plugged()) == []


GONE = PluginFile(fault="The file cannot be read on this machine: no such file or directory")
FILES: list[tuple[PluginFile, dict[str, str], Found]] = [
    (FILE, {"name": "../x"}, ("plugin_name", "error", "k1", "kafka_plugins", "../x")),
    (FILE, {"name": "Tiered Storage"}, ("plugin_name", "error", "k1", "kafka_plugins", "Tiered Storage")),
    (FILE, {"sha256": "b" * 63}, ("plugin_checksum", "error", "k1", "kafka_plugins[tiered].sha256", "b" * 63)),
    (
        FILE,
        {"sha256": f"sha256:{SHA}"},
        ("plugin_checksum", "error", "k1", "kafka_plugins[tiered].sha256", f"sha256:{SHA}"),
    ),
    (FILE, {"sha256": "b" * 64}, ("plugin_checksum", "error", "k1", "kafka_plugins[tiered]", "/srv/tiered.tgz")),
    (GONE, {}, ("plugin_file", "error", "k1", "kafka_plugins[tiered]", "/srv/tiered.tgz")),
    (
        PluginFile(SHA, fault="The file holds no jar"),
        {},
        ("plugin_file", "error", "k1", "kafka_plugins[tiered]", "/srv/tiered.tgz"),
    ),
]
#: Setting and value; the last class of the value is nowhere.
MISSING = [
    ("metric.reporters", REPORTER),
    ("metric.reporters", f"org.apache.kafka.common.metrics.JmxReporter,{REPORTER}"),
    ("authorizer.class.name", "org.example.Auht"),
    ("principal.builder.class", "org.apache.kafka.common.NoSuchBuilder"),
    ("listener.name.client.principal.builder.class", "org.other.Auth"),
    ("create.topic.policy.class.name", "Policy"),
    ("remote.log.storage.manager.class.name", "io.aiven.kafka.tieredstorage.RemoteStorage"),
    ("replica.selector.class", "org.example.Near"),
]


def test_wording(wording: Wording) -> None:
    files = [plugged(file, ({**PLUGIN, **changed},)) for file, changed, _ in FILES]
    named = [plugged(kafka_config={key: value}) for key, value in MISSING]
    wording([line for made in (*files, *named) for line in worded(refused(made))])


@pytest.mark.parametrize(("file", "changed", "problem"), FILES)
def test_a_file_that_is_not_the_wanted_one_is_refused(
    file: PluginFile, changed: dict[str, str], problem: Found
) -> None:
    assert findings(plugged(file, ({**PLUGIN, **changed},))) == [problem]


def test_two_plugins_of_one_name_are_refused() -> None:
    twice = (PLUGIN, {**PLUGIN, "sha256": SHA.upper()})
    assert [one[0] for one in findings(plugged(plugins=twice))] == ["plugin_name"]


def test_a_digest_in_capitals_is_the_same() -> None:
    assert findings(plugged(plugins=({**PLUGIN, "sha256": f" {SHA.upper()}"},))) == []


@pytest.mark.parametrize("plugins", ["tiered.jar", [{"name": "tiered"}], [{**PLUGIN, "sha512": "x"}]])
def test_another_form_is_refused_by_its_type_alone(plugins: Any) -> None:
    made = plugged(plugins=plugins, kafka_config={"metric.reporters": REPORTER})
    found = problems_of(made, archive_classes=lambda: KAFKA, installs=True)
    assert {each.rule for each in found if "plugin" in f"{each.rule}{each.variable}"} == {"type"}


@pytest.mark.parametrize(("key", "value"), MISSING)
def test_a_class_that_is_nowhere_is_refused_with_its_name(key: str, value: str) -> None:
    assert of_class(key, value) == [(f"kafka_config[{key}]", value.rpartition(",")[2])]


def test_the_class_of_a_provider_of_values_is_asked_for_too() -> None:
    given = {"config.providers": "vault", "config.providers.vault.class": "org.example.Vault"}
    assert [one[3:] for one in findings(plugged(kafka_config=given))] == [
        ("kafka_config[config.providers.vault.class]", "org.example.Vault")
    ]


JAAS = "listener.name.client.plain.sasl.jaas.config"


@pytest.mark.parametrize("flag", ["required", "Required", "sufficient\n "])
def test_a_login_module_that_is_nowhere_is_refused_without_its_options(flag: str, wording: Wording) -> None:
    made = plugged(kafka_config={JAAS: f' org.example.Login {flag} password="geheim-1";'})
    [problem] = refused(made)
    assert (problem.rule, problem.variable) == ("plugin_class", f"kafka_config[{JAAS}]")
    assert "org.example.Login" in problem.message
    assert "geheim" not in str(problem)
    wording(worded([problem]))


@pytest.mark.parametrize(
    "value",
    [
        'org.example.Auth required user="a.b required";',
        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
        "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true;",
        "${file:/etc/kafka/login:module} required;",
        "not a login module",
    ],
)
def test_a_login_module_of_kafka_of_java_or_of_a_plugin_is_taken(value: str) -> None:
    assert of_class(JAAS, value) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("remote.log.storage.manager.class.name", STORAGE),
        ("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
        ("authorizer.class.name", "org.example.Auth"),
        ("principal.builder.class", "org.example.Auth$Inner"),
        ("alter.config.policy.class.name", "org.baked.in.Policy"),
        ("security.providers", "com.sun.security.sasl.Provider"),
        ("group.consumer.assignors", "uniform,range"),
        ("group.consumer.assignors", "uniform,org.example.Auth"),
        ("metric.reporters", ""),
        ("ssl.provider", "SunJSSE"),
    ],
)
def test_a_class_of_kafka_of_java_or_of_a_plugin_is_taken(key: str, value: str) -> None:
    assert of_class(key, value) == []


def test_a_class_with_its_own_class_path_is_the_operators() -> None:
    manager = "remote.log.storage.manager.class"
    settings = {f"{manager}.name": "org.other.Manager", f"{manager}.path": "/srv/other/*"}
    assert findings(plugged(kafka_config=settings)) == []


def test_without_the_archive_kafkas_own_packages_are_taken_and_the_risk_can_be_accepted() -> None:
    key, kafka = "metric.reporters", "org.apache.kafka.common.metrics.Other"
    assert of_class(key, kafka, kafka=None) == []
    assert of_class(key, REPORTER, kafka=None) == [(f"kafka_config[{key}]", REPORTER)]
    made = plugged(kafka_config={key: REPORTER}, kafka_accepted_risks=["plugin_class"])
    assert [one[:2] for one in findings(made, None)] == [("plugin_class", "warning")]


def test_a_run_that_installs_nothing_asks_for_no_file_and_no_class() -> None:
    given = plugged(kafka_config={"metric.reporters": REPORTER})
    made = [dataclasses.replace(each, plugin_files={}) for each in given]
    assert findings(made, installs=False) == []
