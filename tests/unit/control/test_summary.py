"""What the closing summary says when all is well, when it is not, and with parts missing; how a playbook prints it."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control.summary import WIDTH, Run, summary_lines

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "tests/unit/spark"
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


def example(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((EXAMPLES / f"example_{name}.json").read_text())
    return loaded


def said(name: str, run: Run = DEMO, **changed: Any) -> str:
    report = example(name)
    return "\n".join(summary_lines(DESIRED, changed.get("snapshot", report["cluster"]), report, run))


def test_proven_run_in_full() -> None:
    assert said("report") == (
        """Cluster blue: proven.

  Leader       kraft2 (node 2), epoch 3
  Voters       kraft1 (node 1) lag 0, kraft2 (node 2) leads, kraft3 (node 3) lag 1
  Brokers      3 of 3 registered
  Bootstrap    10.83.0.11:9092,10.83.0.12:9092,10.83.0.13:9092
  Verdict      All 200,000 records written to 6 partitions were read back exactly once, whole and in
               order.
               Both readings, batch and streaming, saw the same records.
               All 3 brokers lead partitions that took part.
  Records      200,000 written, 200,000 read back
  Faults       0 lost, 0 corrupt, 0 out of order, 0 misplaced, 0 duplicated
  Latency      p50 31 ms, p99 262 ms
  Throughput   written 28,986 records/s (3.45 MB/s, cold); read 38,462 records/s (4.58 MB/s, cold)
  Not checked  4 things; see the end of the page
  Page         /srv/kraftwright/.kraftwright/blue/page.html

  Next
    xdg-open /srv/kraftwright/.kraftwright/blue/page.html  # see the page; any browser opens it, offline too
    ansible-playbook playbooks/verify_cluster.yml          # prove it again, at any time
    make demo-down                                         # remove the hosts again"""
    )


def test_each_of_several_client_listeners_comes_with_what_its_clients_need() -> None:
    inside = {"bootstrap.servers": "10.0.0.1:9092", "security.protocol": "PLAINTEXT"}
    outside = {"bootstrap.servers": "kafka.example.com:9094", "security.protocol": "SASL_SSL"}
    cluster = {**DESIRED["cluster"], "clients": {"CLIENT": inside, "PUBLIC": outside}}
    text = "\n".join(summary_lines({**DESIRED, "cluster": cluster}, None, None, DEMO))
    assert "Clients      CLIENT: bootstrap.servers=10.0.0.1:9092 security.protocol=PLAINTEXT" in text
    assert "             PUBLIC: bootstrap.servers=kafka.example.com:9094 security.protocol=SASL_SSL" in text


def test_failed_run_says_so_first_and_where_to_look() -> None:
    text = said("failed", Run(inventory="-i inventories/mine"))
    assert text.startswith("Cluster blue: NOT PROVEN.")
    assert "23 of 200,000 acknowledged records are lost" in text
    assert "Faults       23 lost, 2 corrupt, 3 out of order, 1 misplaced, 41 duplicated" in text
    assert "ansible -i inventories/mine kraft3 -b -a 'journalctl -u kafka -n 200 --no-pager'" in text
    assert "kraft1 -b" not in text
    assert "ansible-playbook -i inventories/mine playbooks/verify_cluster.yml" in text


def test_unreachable_cluster_claims_nothing() -> None:
    text = said("unreachable")
    assert text.startswith("Cluster blue: NOT REACHED.")
    assert "Quorum       not known: the cluster did not answer, or was not asked" in text
    assert "Records      not counted" in text
    assert "Latency" not in text
    assert "ansible kraft1 -b" in text


def test_broker_that_is_missing_or_fenced_is_named() -> None:
    snapshot = copy.deepcopy(example("report")["cluster"])
    del snapshot["brokers"][2]
    snapshot["brokers"][0]["fenced"] = True
    assert "2 of 3 registered; missing: kraft3 (node 3); fenced: kraft1 (node 1)" in said("report", snapshot=snapshot)


def test_quorum_without_leader_and_silent_voter_are_said() -> None:
    snapshot = copy.deepcopy(example("report")["cluster"])
    snapshot["quorum"]["leader_id"] = -1
    snapshot["quorum"]["voters"][0]["lag"] = None
    text = said("report", snapshot=snapshot)
    assert "Leader       none" in text
    assert "kraft1 (node 1) not heard from" in text


def test_deployment_without_proof_says_that_nothing_is_proven() -> None:
    lines = summary_lines(DESIRED, example("report")["cluster"], None)
    assert lines[0] == "Cluster blue: not verified in this run."
    assert "  Records      none was written, so nothing is proven" in lines
    assert "  Leader       kraft2 (node 2), epoch 3" in lines


def test_nothing_known_is_still_a_summary() -> None:
    assert summary_lines(None, None, None)[0] == "The cluster: not verified in this run."


def test_every_section_of_the_report_may_be_missing() -> None:
    for name in example("failed"):
        report = example("failed")
        report[name] = None
        assert summary_lines(DESIRED, None, report)


def test_check_mode_says_what_it_does_not_check() -> None:
    text = "\n".join(summary_lines(DESIRED, None, example("report"), Run(check=True)))
    assert text.startswith("Cluster blue: check mode, nothing was changed and nothing was verified.")
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
      kraft_summary:
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


def test_playbook_prints_plain_lines(tmp_path: Path) -> None:
    done = play(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "Cluster blue: proven." in lines
    assert "  Records      200,000 written, 200,000 read back" in lines
    assert f"  Page         {tmp_path}/page.html" in lines
    assert "    ansible-playbook -i inventory playbooks/verify_cluster.yml" in done.stdout
    assert "changed=0" in done.stdout


def test_playbook_in_check_mode_says_what_is_not_checked(tmp_path: Path) -> None:
    done = play(tmp_path, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Cluster blue: check mode, nothing was changed and nothing was verified." in done.stdout
