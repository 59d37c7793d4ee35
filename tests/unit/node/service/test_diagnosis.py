from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.service.diagnosis import Diagnosis, diagnose, last_errors, last_start
from ansible.module_utils.kraft.node.service.diagnosis_rules import RULES

from tests.unit.problems import named
from tests.wording_files import Wording

FAILURES = Path(__file__).parent / "failures"
RULE = {
    "bad_address": "address_not_local",
    "bad_advertised": "bad_settings",
    "bad_class": "class_missing",
    "bad_listener": "bad_settings",
    "bad_type": "bad_property",
    "bad_value": "bad_property",
    "certificate_expired": "certificate_expired",
    "cluster_id_other": "foreign_cluster",
    "cluster_id_two_dirs": "cluster_id",
    "disk_full": "disk_full",
    "empty_meta": "half_formatted",
    "files": "too_many_files",
    "heap_bad": "jvm_option",
    "heap_small": "heap_too_small",
    "heap_too_big": "heap_too_big",
    "lock": "directory_locked",
    "no_config": "file_missing",
    "no_leader": "voters_unreachable",
    "no_main": "release_incomplete",
    "node_id": "node_id",
    "permission_config": "permission",
    "permission_dir": "permission",
    "permission_owner": "permission",
    "plugin_older": "release_incomplete",
    "port_client": "port_in_use",
    "port_controller": "port_in_use",
    "unformatted": "not_formatted",
    "unit_heap": "jvm_option",
    "unit_java_missing": "java_missing",
    "unit_pre_fails": "file_missing",
    "unit_pre_missing": "executable_missing",
    "unit_sandbox": "sandbox",
    "unit_user": "user_missing",
    "unit_workdir": "directory_missing",
    "vm_option": "jvm_option",
}


def lines(name: str) -> list[str]:
    return (FAILURES / f"{name}.log").read_text().splitlines()


def diagnosed(name: str) -> Diagnosis:
    return diagnose(last_start(lines(name)))


def test_every_recorded_failure_is_tested() -> None:
    assert {path.stem for path in FAILURES.glob("*.log")} == set(RULE)


@pytest.mark.parametrize("name", sorted(RULE))
def test_a_real_failure_is_recognised(name: str) -> None:
    found = diagnosed(name)
    assert found.rule == RULE[name]
    assert found.errors or name == "no_leader"
    assert "{" not in found.cause + found.remedy


def test_the_values_of_the_failure_stand_in_the_cause(wording: Wording) -> None:
    assert named([diagnosed("port_client").cause]) == [["127.0.0.1:45251"]]
    assert named([diagnosed("bad_value").cause]) == [["num.io.threads", "=", "0", "1"]]
    assert named([diagnosed("node_id").cause])[0][-2:] == ["1", "7"]
    assert "7FBxtqCcQJq4fdnBnfscXg" in diagnosed("cluster_id_two_dirs").cause
    wording(f"{name}: {diagnosed(name).cause} -> {diagnosed(name).remedy}" for name in sorted(RULE))


def test_a_node_without_known_failure_has_no_cause() -> None:
    assert diagnose(["[2026-11-21 02:43:51,144] INFO all is well (kafka.Kafka$)"]) == Diagnosis()


def test_lines_without_time_stamps_as_in_the_journal_are_understood() -> None:
    said = ["ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)", "java.io.IOException: No space left on device"]
    found = diagnose(said)
    assert found.rule == "disk_full"
    assert found.errors == ("ERROR Exiting Kafka due to fatal exception: java.io.IOException: No space left on device",)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("kafka.service: Main process exited, code=exited, status=205/LIMITS", "limits"),
        ("kafka.service: A process of this unit has been killed by the OOM killer.", "oom_killed"),
        (
            "java.lang.UnsupportedClassVersionError: kafka/Kafka has been compiled by a more recent version",
            "java_too_old",
        ),
        ("java.lang.OutOfMemoryError: Map failed", "too_many_maps"),
        ("kafka.service: Main process exited, code=killed, status=9/KILL", "killed"),
        ("ERROR Unable to register broker 2 because of error DUPLICATE_BROKER_REGISTRATION", "still_registered"),
        ("Caused by: java.net.UnknownHostException: kafka7: Name or service not known", "name_unknown"),
    ],
)
def test_failures_that_could_not_be_provoked_here_are_known_by_their_words(line: str, rule: str) -> None:
    assert diagnose([line]).rule == rule


def test_the_cause_stands_before_its_consequence() -> None:
    found = diagnosed("permission_dir")
    assert any("No readable meta.properties" in error for error in found.errors)
    assert found.rule == "permission"


def test_repeated_errors_that_differ_in_numbers_are_shown_once() -> None:
    repeated = [f"ERROR Unexpected error in response {n} from node {n % 3}" for n in range(500)]
    assert last_errors(repeated) == ("ERROR Unexpected error in response 499 from node 1",)


def test_errors_are_at_most_six_and_short() -> None:
    many = [f"ERROR {chr(97 + n) * 1000}" for n in range(20)]
    found = last_errors(many)
    assert len(found) == 6
    assert max(map(len, found)) <= 300


def test_errors_of_an_earlier_start_are_not_shown() -> None:
    start = "[2026-11-21 02:43:50,000] INFO Registered `kafka:type=kafka.Log4jController` MBean (x.Y)"
    said = [start, "[2026-11-21 02:43:51,000] ERROR old (x.Y)", start, "[2026-11-21 02:44:51,000] ERROR new (x.Y)"]
    assert diagnose(last_start(said)).errors == ("ERROR new",)


def test_a_start_that_systemd_repeats_is_told_by_the_one_before() -> None:
    assert diagnosed("unit_user").errors[0] == "kafka.service: Main process exited, code=exited, status=217/USER"


def test_a_start_by_hand_forgets_the_failures_before_it() -> None:
    assert diagnose(last_start([*lines("unit_user"), "Stopped kafka.service.", "Starting kafka.service..."])).rule == ""


def test_rules_have_names_of_their_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_nothing_in_a_log_steers_the_terminal() -> None:
    """Kafka's log contains client ids."""
    said = Diagnosis(("ERROR client \x1b[2J\x07 \tat here",)).sentences()
    assert [line.isprintable() for line in said] == [True] * len(said)
    assert said[-1] == "  ERROR client ?[2J?  at here"


def test_a_diagnosis_reads_as_cause_remedy_and_errors(wording: Wording) -> None:
    found = diagnosed("bad_value")
    cause, remedy, heading, *errors = found.sentences()
    assert (found.cause in cause, found.remedy in remedy) == (True, True)
    assert [one.strip() for one in errors] == list(found.errors)
    wording([cause, remedy, heading])
