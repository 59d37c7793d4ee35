"""Refusals of versions, archives, sizes, accounts and names of variables."""

from __future__ import annotations

import ast
import datetime
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.spec.inventory.advisories import Advisory, affecting, age, known, pattern
from ansible.module_utils.kraft.spec.inventory.archive_file import digest, local_path
from ansible.module_utils.kraft.spec.inventory_rules import risks
from ansible.module_utils.kraft.spec.inventory_rules.names import RENAMED
from ansible.module_utils.kraft.spec.inventory_rules.risks import RISKS

from tests.unit.problems import worded
from tests.unit.spec.inventory import ROOT, Finding, finding, found, hosts, problems_of, sentences
from tests.wording_files import Wording

CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "version",
        {"kafka_version": "4.3"},
        ("error", "", "kafka_version", "4.3"),
    ),
    (
        "version",
        {"kafka_version": "3.9.1"},
        ("error", "", "kafka_version", "3.9.1"),
    ),
    (
        "version_unknown",
        {"kafka_version": "4.9.0", "kafka_archive": "/cache/kafka.tgz"},
        ("warning", "", "kafka_version", "4.9.0"),
    ),
    (
        "CVE-2026-111115",
        {"kafka_version": "4.3.1", "kafka_archive": "/cache/kafka.tgz", "kafka_profile": "production"},
        ("error", "", "kafka_version", "4.3.1"),
    ),
    (
        "archive_version",
        {"kafka_version": "4.2.1"},
        ("error", "", "kafka_archive", "/cache/kafka_2.13-4.4.0.tgz"),
    ),
    (
        "archive",
        {"kafka_archive": "s3://bucket/kafka.tgz"},
        ("error", "", "kafka_archive", "s3://bucket/kafka.tgz"),
    ),
    (
        "archive",
        {"kafka_archive": "cache/kafka.tgz"},
        ("error", "", "kafka_archive", "cache/kafka.tgz"),
    ),
    (
        "archive",
        {"kafka_archive": "/cache/kafka.zip"},
        ("error", "", "kafka_archive", "/cache/kafka.zip"),
    ),
    (
        "archive",
        {"kafka_archive": "https://example.com/kafka-4.4.0-src.tgz"},
        ("error", "", "kafka_archive", "https://example.com/kafka-4.4.0-src.tgz"),
    ),
    ("missing", {"kafka_archive": ""}, ("error", "k1", "kafka_archive", "")),
    ("missing", {"kafka_archive_checksum": None}, ("error", "k1", "kafka_archive_checksum", None)),
    (
        "checksum",
        {"kafka_archive_checksum": "a" * 64},
        ("error", "", "kafka_archive_checksum", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ),
    (
        "checksum",
        {"kafka_archive_checksum": "md5:" + "a" * 32},
        ("error", "", "kafka_archive_checksum", "md5:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ),
    (
        "checksum",
        {"kafka_archive_checksum": "sha512:" + "a" * 64},
        (
            "error",
            "",
            "kafka_archive_checksum",
            "sha512:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ),
    ),
    (
        "checksum",
        {"kafka_archive_checksum": "sha256:" + "z" * 64},
        (
            "error",
            "",
            "kafka_archive_checksum",
            "sha256:zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
        ),
    ),
    (
        "heap_form",
        {"kafka_heap_size": "1 GB"},
        ("error", "k1", "kafka_heap_size", "1 GB"),
    ),
    (
        "heap_form",
        {"kafka_heap_size": "1024"},
        ("error", "k1", "kafka_heap_size", "1024"),
    ),
    (
        "heap_small",
        {"kafka_heap_size": "128m"},
        ("error", "k1", "kafka_heap_size", "128m"),
    ),
    (
        "heap_references",
        {"kafka_heap_size": "32g"},
        ("warning", "k1", "kafka_heap_size", "32g"),
    ),
    (
        "jvm_option_owned",
        {"kafka_jvm_options": ["-Xmx4g"]},
        ("error", "k1", "kafka_jvm_options", "-Xmx4g"),
    ),
    (
        "jvm_option",
        {"kafka_jvm_options": ["Dx=y"]},
        ("error", "k1", "kafka_jvm_options", "Dx=y"),
    ),
    (
        "jvm_collectors",
        {"kafka_jvm_options": ["-XX:+UseZGC", "-XX:+UseParallelGC"]},
        ("error", "k1", "kafka_jvm_options", None),
    ),
    (
        "limit",
        {"kafka_start_timeout": 0},
        ("error", "k1", "kafka_start_timeout", 0),
    ),
    ("limit", {"kafka_move_throttle": -1}, ("error", "k1", "kafka_move_throttle", -1)),
    ("limit", {"kafka_max_concurrent_moves": 0}, ("error", "k1", "kafka_max_concurrent_moves", 0)),
    ("limit", {"kafka_max_unavailable": 0}, ("error", "k1", "kafka_max_unavailable", 0)),
    ("limit", {"kafka_move_timeout": 0}, ("error", "k1", "kafka_move_timeout", 0)),
    ("limit", {"kafka_reboot_timeout": 0}, ("error", "k1", "kafka_reboot_timeout", 0)),
    ("limit", {"kafka_soak_seconds": -1}, ("error", "k1", "kafka_soak_seconds", -1)),
    (
        "nofile",
        {"kafka_nofile_limit": 10000, "kafka_host_partition_budget": 4000},
        ("warning", "k1", "kafka_nofile_limit", 10000),
    ),
    (
        "account",
        {"kafka_user": "root"},
        ("error", "k1", "kafka_user", "root"),
    ),
    (
        "account",
        {"kafka_group": "Kafka Group"},
        ("error", "k1", "kafka_group", "Kafka Group"),
    ),
    (
        "sysctl",
        {"kafka_host_sysctl": {"swappiness": 1}},
        ("error", "k1", "kafka_host_sysctl[swappiness]", 1),
    ),
    (
        "map_count",
        {"kafka_host_sysctl": {"vm.max_map_count": 65530}},
        ("warning", "k1", "kafka_host_sysctl[vm.max_map_count]", "65530"),
    ),
    (
        "unknown_variable",
        {"kafka_min_insync_replica": 2},
        ("error", "k1", "kafka_min_insync_replica", None),
    ),
    (
        "unknown_variable",
        {"kafka_zzz": 2},
        ("error", "k1", "kafka_zzz", None),
    ),
    (
        "renamed_variable",
        {"kafka_roll_together": 2},
        ("error", "k1", "kafka_roll_together", None),
    ),
    (
        "renamed_variable",
        {"kafka_class_data": False},
        ("error", "k1", "kafka_class_data", None),
    ),
    (
        "removed_variable",
        {"kafka_logs": False, "kafka_accepted_risks": ["unknown_variable"]},
        ("error", "k1", "kafka_logs", None),
    ),
    (
        "removed_variable",
        {"kafka_logs_receiver": "logs.example.com:20514"},
        ("error", "k1", "kafka_logs_receiver", None),
    ),
    (
        "unknown_risk",
        {"kafka_accepted_risks": ["even_controler"]},
        ("error", "", "kafka_accepted_risks", "even_controler"),
    ),
    (
        "type",
        {"kafka_profile": "productive"},
        ("error", "k1", "kafka_profile", "productive"),
    ),
    (
        "type",
        {"kafka_quorum": "zookeeper"},
        ("error", "k1", "kafka_quorum", "zookeeper"),
    ),
    (
        "java_home",
        {"kafka_java_home": "jdk-17"},
        ("error", "k1", "kafka_java_home", "jdk-17"),
    ),
    (
        "empty",
        {"kafka_install_dir": ""},
        ("error", "k1", "kafka_install_dir", ""),
    ),
    ("type", {"kafka_config": ["a"]}, ("error", "k1", "kafka_config", ["a"])),
    (
        "type",
        {"kafka_auto_create_topics": "perhaps"},
        ("error", "k1", "kafka_auto_create_topics", "perhaps"),
    ),
]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_release_and_sizes_are_refused_with_a_reason_and_a_remedy(
    rule: str, given: dict[str, Any], finding: Finding
) -> None:
    assert finding in found(rule, 1, **given)


def test_wording(wording: Wording) -> None:
    lines = [each for rule, given, _ in CASES for each in sentences(rule, 1, **given)]
    lines += worded(problems_of(hosts(), archive_exists=False))
    lines += worded(problems_of(hosts(), archive_digest="b" * 64))
    wording(lines)


@pytest.mark.parametrize(
    "given",
    [
        {"kafka_archive": "https://example.com/mirror/kafka_2.13-4.4.0.tgz?token=x"},
        {"kafka_archive_checksum": "sha512:" + "AB" * 64},
        {"kafka_heap_size": "1g", "facts": {"memory_mb": 24000}},
        {"kafka_jvm_options": ["-XX:+UseZGC", "-Djava.io.tmpdir=/var/log/kafka"]},
        {"kafka_host_sysctl": {"vm.dirty_ratio": 60, "net.ipv4.tcp_rmem": "4096 87380 6291456"}},
    ],
)
def test_sound_values_raise_no_alarm(given: dict[str, Any]) -> None:
    assert [str(problem) for problem in problems_of(hosts(3, **given))] == []


RELEASE = {"4.4.0": {"complete": True}}


@pytest.mark.parametrize(
    ("facts", "severity"),
    [({}, "warning"), ({"releases": {}}, "error"), ({"releases": {"4.4.0": {"complete": False}}}, "error")],
)
def test_a_missing_archive_is_an_error_once_a_host_needs_it(facts: dict[str, Any], severity: str) -> None:
    made = problems_of(hosts(facts=facts), archive_exists=False)
    assert [(each.rule, *finding(each)) for each in made] == [
        ("archive_missing", severity, "", "kafka_archive", "/cache/kafka_2.13-4.4.0.tgz")
    ]


def test_a_missing_archive_is_nothing_where_every_host_has_the_release() -> None:
    assert problems_of(hosts(facts={"releases": RELEASE}), archive_exists=False) == []


@pytest.mark.parametrize(
    ("facts", "rules"),
    [
        ({}, ["warning archive_content"]),
        ({"releases": {}}, ["error archive_content"]),
        ({"releases": RELEASE}, []),
    ],
)
def test_a_damaged_archive_is_refused_while_a_host_needs_it(facts: dict[str, Any], rules: list[str]) -> None:
    made = problems_of(hosts(facts=facts), archive_digest="b" * 64)
    assert [f"{problem.severity} {problem.rule}" for problem in made] == rules
    assert {each.variable for each in made} <= {"kafka_archive"}


def test_the_right_archive_is_known_by_its_digest(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(b"kafka")
    wanted = "sha256:" + hashlib.sha256(b"kafka").hexdigest()
    assert digest(tmp_path / "a.tgz", wanted.upper()) == wanted.partition(":")[2]
    assert problems_of(hosts(kafka_archive_checksum=wanted), archive_digest=digest(tmp_path / "a.tgz", wanted)) == []
    for nothing in (digest(tmp_path / "b.tgz", wanted), digest(tmp_path / "a.tgz", "md5:x"), digest(tmp_path, None)):
        assert nothing == ""


CLIENT: dict[str, Any] = {"kafka_client_archive": "/client.zip", "kafka_client_checksum": "sha256:" + "a" * 64}


@pytest.mark.parametrize(
    ("given", "digest", "found"),
    [
        ({}, "a" * 64, []),
        ({}, None, []),
        ({}, "b" * 64, [("client_content", "kafka_client_archive", "/client.zip")]),
        ({"kafka_client_checksum": ""}, "b" * 64, [("empty", "kafka_client_checksum", "")] * 3),
        ({"kafka_client_checksum": "md5:ab"}, "", [("client_checksum", "kafka_client_checksum", "md5:ab")]),
    ],
)
def test_the_client_that_root_runs_is_the_one_with_the_checksum(
    given: dict[str, Any], digest: str | None, found: list[tuple[str, str, str]]
) -> None:
    made = problems_of(hosts(**{**CLIENT, **given}), client_digest=digest)
    assert [(each.rule, each.variable, each.value) for each in made] == found
    assert {each.severity for each in made} <= {"error"}


@pytest.mark.parametrize("facts", [{}, {"releases": RELEASE}])
def test_what_a_run_needs_of_this_machine_is_told_before_any_host_was_looked_at(facts: dict[str, Any]) -> None:
    lacks = {
        "client_digest": "",
        "spark_lacks": "/java/jars lacks a.jar",
        "key_faults": {"k2": "The key cannot be read: no file"},
        "maintenance_faults": {"kafka_maintenance_tasks": "is no list of tasks"},
    }
    given = hosts(facts=facts, **CLIENT, kafka_maintenance_tasks="patch.yml")
    made = problems_of(given, **lacks)
    assert [(each.severity, each.rule, each.host, each.value) for each in made] == [
        ("error", "client_missing", "", "/client.zip"),
        ("error", "spark_missing", "control machine", None),
        ("error", "private_key", "k2", None),
        ("error", "maintenance", "", "patch.yml"),
    ]
    assert "make client" in made[0].remedy
    assert "make client" in made[1].remedy


@pytest.mark.parametrize(
    ("fault", "remedy"),
    [("Others can read the key, so ssh ignores it", "chmod 600"), ("The key is not a file", "give the path")],
)
def test_each_fault_of_a_private_key_has_its_remedy(fault: str, remedy: str) -> None:
    assert problems_of(hosts(), key_faults={"k1": fault})[0].remedy.startswith(remedy)


def test_java_that_is_missing_is_not_to_be_had_by_make_client() -> None:
    assert "Java 17" in problems_of(hosts(), spark_lacks="there is no java")[0].remedy


@pytest.mark.parametrize("archive", ["https://example.com/kafka.tgz", "", None, 7, "a\0b"])
def test_what_is_no_file_here_is_not_looked_at(archive: Any) -> None:
    assert local_path(archive, str) is None


def test_what_another_role_reads_can_be_accepted() -> None:
    given = {"kafka_exporter_port": 9308, "kafka_accepted_risks": ["unknown_variable"]}
    assert [severity for severity, *_ in found("unknown_variable", 1, **given)] == ["warning"]


def risks_in(path: Path) -> set[str]:
    """Names of the rules that a file gives as risks."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call) and node.args]
    return {
        str(node.args[0].value)
        for node in calls
        if isinstance(node.args[0], ast.Constant) and "RISK" in ast.unparse(node)
        if ast.unparse(node.func) == "Problem"
    }


def test_every_risk_of_the_code_has_its_name_in_the_list() -> None:
    code = Path(risks.__file__).parents[1]
    given = set().union(*(risks_in(path) for path in code.rglob("*.py")))
    assert len(given) > 8
    assert given <= RISKS


def test_every_risk_can_be_accepted_by_its_name() -> None:
    worst: dict[str, Any] = {
        "kafka_min_insync_replicas": 3,
        "kafka_config": {"unclean.leader.election.enable": True},
        "kafka_host_sysctl": {"vm.max_map_count": 1},
        "kafka_profile": "production",
    }
    refused = {problem.rule for problem in problems_of(hosts(4, **worst)) if problem.severity == "error"}
    assert refused == {"even_controllers", "min_isr_tight", "unclean_election", "map_count"}
    assert refused <= RISKS
    accepted = problems_of(hosts(4, **worst, kafka_accepted_risks=sorted(refused)))
    assert not [problem for problem in accepted if problem.severity == "error"]


def test_the_documentation_lists_every_risk() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/validation.md").read_text(), re.MULTILINE)
    assert rows == sorted(RISKS)


def test_an_old_name_leads_to_one_that_a_role_has() -> None:
    specs = ROOT.glob("roles/*/meta/argument_specs.yml")
    options = set().union(*(each["options"] for path in specs for each in entry_points(path)))
    assert not RENAMED.keys() & options
    assert set(RENAMED.values()) <= options


def entry_points(path: Path) -> Iterator[dict[str, Any]]:
    yield from (each for each in yaml.safe_load(path.read_text())["argument_specs"].values() if "options" in each)


AFFECTED = ("3.9.1", "4.1.2", "4.2.1", "4.3.1", "4.4.0-rc1")
REPAIRED = ("4.2.2", "4.3.2", "4.4.0", "4.4.1-rc1", "4.5.0-rc1", "4.5.0", "5.0.0", "x")


@pytest.mark.parametrize(("releases", "affected"), [(AFFECTED, True), (REPAIRED, False)])
def test_a_release_is_affected_until_its_line_is_repaired(releases: tuple[str, ...], affected: bool) -> None:
    (one,) = (each for each in known() if each.identifier == "CVE-2026-111115")
    assert {release: one.affects(release) for release in releases} == dict.fromkeys(releases, affected)


def test_the_pattern_of_affected_releases_is_what_the_advisories_say() -> None:
    older = Advisory("a", "", "", ((4, 1, 3), (4, 4, 0)))
    grid = [f"{major}.{minor}.{patch}" for major in range(6) for minor in range(12) for patch in range(5)]
    releases = [*AFFECTED, *REPAIRED, *grid, *(f"{one}-rc1" for one in grid)]
    for advisories in (known(), (older,), (older, *known())):
        wanted = {one for one in releases if any(each.affects(one) for each in advisories)}
        assert {one for one in releases if re.fullmatch(pattern(advisories), one)} == wanted


@pytest.mark.parametrize(("days", "findings"), [(0, []), (90, []), (91, [("warning", "", "kafka_version", None)])])
def test_a_list_of_advisories_that_no_one_checked_for_long_is_a_warning(
    days: int, findings: list[Finding], wording: Wording
) -> None:
    problems = [one for one in problems_of(hosts(1), advisories_age=days) if one.rule == "advisories_old"]
    assert [finding(one) for one in problems] == findings
    if problems:
        wording(worded(problems))


def test_the_age_of_the_list_is_counted_from_its_own_day() -> None:
    assert age(datetime.date(2200, 1, 1)) - age(datetime.date(2199, 12, 31)) == 1
    assert [len(affecting(release)) == len(known()) for release in ("4.3.1", "4.4.0")] == [True, False]


def test_each_advisory_affects_its_ranges_and_no_repaired_release_as_the_page_lists_them() -> None:
    rows = [line for line in (ROOT / "docs/kafka_releases.md").read_text().splitlines() if line.startswith("| CVE-")]
    data = yaml.safe_load((ROOT / "module_utils/kraft/spec/inventory/data/advisories.yml").read_text())["advisories"]
    listed = [(name, ", ".join(one["affected"]), ", ".join(one["fixed"])) for name, one in data.items()]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [(row[0], row[3], row[4]) for row in cells] == listed
    for one in known():
        entry = data[one.identifier]
        ends = [end for each in entry["affected"] for end in each.split(" to ")]
        assert {each for each in ends if not one.affects(each)} == set()
        assert {each for each in entry["fixed"] if one.affects(each)} == set()
        assert entry["mitigation"]


def test_an_advisory_is_a_warning_in_a_test_profile_and_where_it_is_accepted_by_its_id() -> None:
    given = {"kafka_version": "4.3.1", "kafka_archive": "/cache/kafka.tgz"}
    rule = "CVE-2026-111115"
    assert [one[0] for one in found(rule, 1, **given)] == ["warning"]
    accepted = {"kafka_profile": "production", "kafka_accepted_risks": [rule]}
    assert [one[0] for one in found(rule, 1, **given, **accepted)] == ["warning"]
