"""The closing summary of a good run, of a failed one, and with parts missing; its output by a playbook."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control.summary import WIDTH, Run, summary_lines

from plugins.action.kafka_report import of_limits
from tests.unit.page.reports import EXAMPLES, example
from tests.unit.problems import named
from tests.wording_files import Wording

ROOT = Path(__file__).resolve().parents[3]
PAGE = "/srv/kraftwright/.kraftwright/blue/page.html"
DESIRED: dict[str, Any] = {
    "cluster": {
        "name": "blue",
        "bootstrap_servers": "10.83.0.11:9092,10.83.0.12:9092,10.83.0.13:9092",
        "broker_ids": [1, 2, 3],
    },
    "nodes": {f"kraft{n}": {"node_id": n} for n in (1, 2, 3)},
}
DOWN = {"command": "make demo-down", "purpose": "remove the hosts again"}

DEMO = Run(page=PAGE, steps=(DOWN,))


def said(name: str, run: Run = DEMO, **changed: Any) -> str:
    report = example(name)
    return "\n".join(summary_lines(DESIRED, changed.get("snapshot", report["cluster"]), report, run))


def row(text: str, label: str) -> list[str]:
    """The values on the line with this label."""
    (line,) = (one for one in text.splitlines() if one.startswith(f"  {label} "))
    return named([line.partition(label)[2]])[0]


def test_what_hosts_do_not_grant_is_one_line_where_all_is_proven_and_named_where_not() -> None:
    unmet = [{"name": name, "wanted": "1", "value": "60", "reason": "read-only"} for name in ("vm.a", "vm.b")]
    run = Run(looked={f"kraft{n}": {"kernel": {"unmet": unmet}} for n in (1, 2, 3)}, inventory="-i inventories/mine")
    report = example("report")
    (line,) = (one for one in summary_lines(DESIRED, None, report, run) if "Not granted" in one)
    assert line.split("; ")[0].split()[2:] == ["2", "settings", "on", "all", "hosts"]
    assert "-i inventories/mine playbooks/cluster_status.yml" in "\n".join(summary_lines(DESIRED, None, report, run))
    for other in (None, {**report, "verdict": {**report["verdict"], "outcome": "unreachable"}}):
        text = "\n".join(summary_lines(DESIRED, None, other, run))
        assert "vm.a is 60, not 1, vm.b is 60, not 1: read-only" in text


def test_proven_run_in_full(wording: Wording) -> None:
    text = said("report")
    assert text.startswith("Cluster blue: proven.")
    assert row(text, "Leader") == ["kraft2", "2", "3"]
    assert row(text, "Voters") == ["kraft1", "1", "0", "kraft2", "2", "kraft3", "3", "1"]
    assert row(text, "Brokers") == ["3", "3"]
    assert f"Bootstrap    {DESIRED['cluster']['bootstrap_servers']}\n" in text
    assert row(text, "Verdict") == ["200,000", "6"]
    assert row(text, "Records") == ["200,000", "200,000"]
    assert row(text, "Faults") == ["0"] * 5
    assert row(text, "Latency") == ["p50", "3.2", "p99", "9.4", "p50", "31", "p99", "262"]
    assert row(text, "Throughput") == ["28,986", "records/s", "3.45", "MB/s", "38,462", "records/s", "4.58", "MB/s"]
    assert row(text, "Not checked") == ["4"]
    assert row(text, "Page") == [PAGE]
    commands = [line.partition("#")[0].split() for line in text.partition("Next\n")[2].splitlines()]
    verify = ["ansible-playbook", "playbooks/verify_cluster.yml"]
    assert commands == [["xdg-open", PAGE], verify, ["make", "demo-down"]]
    wording([text])


def test_each_of_several_client_listeners_comes_with_what_its_clients_need() -> None:
    inside = {"bootstrap.servers": "10.0.0.1:9092", "security.protocol": "PLAINTEXT"}
    outside = {"bootstrap.servers": "kafka.example.com:9094", "security.protocol": "SASL_SSL"}
    cluster = {**DESIRED["cluster"], "clients": {"CLIENT": inside, "PUBLIC": outside}}
    text = "\n".join(summary_lines({**DESIRED, "cluster": cluster}, None, None, DEMO))
    settings = {
        name: dict(one.split("=") for one in line)
        for label, name in (("  Clients      ", "CLIENT"), ("               ", "PUBLIC"))
        for line in [next(one for one in text.splitlines() if one.startswith(f"{label}{name}: ")).split()[-2:]]
    }
    assert settings == {"CLIENT": inside, "PUBLIC": outside}


def test_failed_run_says_so_first_and_where_to_look(wording: Wording) -> None:
    text = said("failed", Run(inventory="-i inventories/mine"))
    assert text.startswith("Cluster blue: NOT PROVEN.")
    assert row(text, "Verdict")[:2] == ["23", "200,000"]
    assert row(text, "Faults") == ["23", "2", "3", "1", "41"]
    assert "ansible -i inventories/mine kraft3 -b -a 'journalctl" in text
    assert "kraft1 -b" not in text
    assert "ansible-playbook -i inventories/mine playbooks/" in text
    wording([text])


def test_unreachable_cluster_claims_nothing(wording: Wording) -> None:
    text = said("unreachable")
    assert text.startswith("Cluster blue: NOT REACHED.")
    assert "Quorum       not known" in text
    assert "Records      not counted" in text
    wording([text])
    assert "Latency" not in text
    assert "ansible kraft1 -b" in text


SILENT = "The run could not be finished: no answer from 10.89.1.211:9092 within 2.0 s (Broker transport failure)"


def unreachable(sentence: str, brokers: list[dict[str, Any]]) -> str:
    report = {**example("unreachable"), "cluster": {**example("report")["cluster"], "brokers": brokers}}
    report["verdict"] = {"outcome": "unreachable", "sentences": [sentence]}
    desired = {**DESIRED, "cluster": {**DESIRED["cluster"], "clients": {"PUBLIC": {"security.protocol": "SSL"}}}}
    return "\n".join(summary_lines(desired, None, report, DEMO))


def test_an_advertised_address_that_this_machine_does_not_reach_is_the_cause(wording: Wording) -> None:
    text = unreachable(SILENT, example("report")["cluster"]["brokers"])
    cause = " ".join(text.partition("  Cause ")[2].partition("  Verdict ")[0].split())
    assert "PUBLIC" in cause
    assert DESIRED["cluster"]["bootstrap_servers"] in cause
    assert "kafka_listeners" in cause
    assert "journalctl" not in text
    wording([cause])


@pytest.mark.parametrize(
    "sentence",
    [
        "The run could not be finished: no answer from k1.example.org:9094,k2.example.org:9094 within 9.0 s; silence",
        "The run could not be finished: no answer from [2001:db8::1]:9092 within 2.0 s (SSL handshake timed out)",
    ],
)
def test_names_and_other_addresses_that_do_not_answer_have_the_same_cause(sentence: str) -> None:
    text = unreachable(sentence, [{"node_id": one, "fenced": one == 3} for one in (1, 2, 3)])
    assert "  Cause " in text
    assert "journalctl" not in text


@pytest.mark.parametrize(
    ("sentence", "fenced"),
    [
        pytest.param(SILENT, True, id="no broker serves"),
        pytest.param(f"{SILENT}; k1:9092: we do not trust its certificate: x", False, id="a broker answered"),
        pytest.param(f"{SILENT}; k1:9092: refuses us: x", False, id="a broker refuses this user"),
        pytest.param("The run could not be finished: writing to t: timed out", False, id="it answered at first"),
    ],
)
def test_another_cause_is_not_taken_for_the_address(sentence: str, fenced: bool) -> None:
    text = unreachable(sentence, [{"node_id": one, "fenced": fenced} for one in (1, 2, 3)])
    assert "  Cause " not in text
    assert "journalctl" in text


def test_broker_that_is_missing_or_fenced_is_named(wording: Wording) -> None:
    snapshot = copy.deepcopy(example("report")["cluster"])
    del snapshot["brokers"][2]
    snapshot["brokers"][0]["fenced"] = True
    text = said("report", snapshot=snapshot)
    assert row(text, "Brokers") == ["2", "3", "kraft3", "3", "kraft1", "1"]
    assert "missing: kraft3" in text
    assert "fenced: kraft1" in text
    wording([text])


def test_quorum_without_leader_and_silent_voter_are_said() -> None:
    snapshot = copy.deepcopy(example("report")["cluster"])
    snapshot["quorum"]["leader_id"] = -1
    snapshot["quorum"]["voters"][0]["lag"] = None
    text = said("report", snapshot=snapshot)
    assert "Leader       none" in text
    assert "kraft1 (node 1) not heard from" in text


def test_deployment_without_proof_says_that_nothing_is_proven(wording: Wording) -> None:
    lines = summary_lines(DESIRED, example("report")["cluster"], None)
    assert lines[0] == "Cluster blue: not verified in this run."
    assert "  Records      none" in "\n".join(lines)
    assert row("\n".join(lines), "Leader") == ["kraft2", "2", "3"]
    wording(lines)


def test_nothing_known_is_still_a_summary() -> None:
    assert summary_lines(None, None, None)[0] == "The cluster: not verified in this run."


def test_every_section_of_the_report_may_be_missing() -> None:
    for name in example("failed"):
        report = example("failed")
        report[name] = None
        assert summary_lines(DESIRED, None, report)


def test_check_mode_says_what_it_does_not_check(wording: Wording) -> None:
    text = "\n".join(summary_lines(DESIRED, None, example("report"), Run(check=True)))
    assert text.startswith("Cluster blue: check mode,")
    wording([text])
    assert "no record was written" in text
    assert "200,000" not in text
    assert "ansible-playbook site.yml  # deploy" in text


def test_sentences_are_wrapped_and_addresses_are_not() -> None:
    for line in said("failed").splitlines():
        assert len(line) <= WIDTH or "Bootstrap" in line or "#" in line


def play(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A playbook that ends with the summary of the example report."""
    (tmp_path / "page.html").touch()
    (tmp_path / "desired.json").write_text(json.dumps({"shown": DESIRED}))
    (tmp_path / "inventory").write_text("localhost ansible_connection=local\n")
    (tmp_path / "play.yml").write_text(f"""
- hosts: localhost
  gather_facts: false
  vars_files: [desired.json]
  tasks:
    - name: Print the result of the run
      kafka_report:
        kind: run
        desired: "{{{{ shown }}}}"
        report: {EXAMPLES}/example_report.json
        page: {tmp_path}/page.html
        steps: [{{command: make demo-down, purpose: remove the hosts again}}]
""")
    return subprocess.run(
        [ROOT / ".venv/bin/ansible-playbook", "-i", "inventory", "play.yml", *arguments],
        cwd=tmp_path,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("unmet", "printed"), [([], False), ([{"name": "vm.swappiness", "wanted": "1"}], True)])
def test_limits_are_reported_only_if_a_host_grants_less(unmet: list[dict[str, Any]], printed: bool) -> None:
    looked = {"kraft1": {"kernel": {"unmet": [{"value": "60", "reason": "read-only", **each} for each in unmet]}}}
    found = of_limits({"desired": DESIRED, "looked": looked}, False)
    assert bool(found.get("skipped")) is not printed
    assert ("vm.swappiness is 60, not 1" in "".join(found.get("msg", ()))) is printed


def test_playbook_prints_plain_lines(tmp_path: Path) -> None:
    done = play(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "Cluster blue: proven." in lines
    assert row(done.stdout, "Records") == ["200,000", "200,000"]
    assert f"  Page         {tmp_path}/page.html" in lines
    assert "    ansible-playbook -i inventory playbooks/verify_cluster.yml" in done.stdout
    assert "changed=0" in done.stdout


def test_playbook_in_check_mode_says_what_is_not_checked(tmp_path: Path) -> None:
    done = play(tmp_path, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Cluster blue: check mode," in done.stdout
