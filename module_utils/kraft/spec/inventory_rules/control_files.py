"""Files of the control machine that a run needs on its way: asked for before any host is touched."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory_rules.archive import HOW, checksum_problem
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject

CHECKSUM = "kafka_client_checksum"
MAKE = "run `make client`: it brings the modules' client and Spark's connector, whatever archive is used"
OTHER = f"run `make client`; for a client of your own give its {CHECKSUM}"
HERE = "control machine"


def client(subject: Subject) -> Iterator[Problem]:
    """Require the intended client archive: a deployment installs it on every host, where root runs it."""
    found, given = subject.surroundings.client_digest, subject.cluster.nodes[0].variables
    text, wanted = given.get("kafka_client_archive"), str(given.get(CHECKSUM) or "")
    if found is None or not wanted:  # an empty checksum is refused by its own rule
        return
    fault, digest = checksum_problem(wanted), wanted.strip().lower().partition(":")[2]
    if fault:
        yield Problem("client_checksum", fault, HOW, CHECKSUM, value=wanted)
    elif not found:
        yield Problem("client_missing", "The file does not exist", MAKE, "kafka_client_archive", value=text)
    elif found != digest:
        message = f"The digest is {found[:12]}..., but {CHECKSUM} says {digest[:12]}..."
        yield Problem("client_content", message, OTHER, "kafka_client_archive", value=text)


def spark(subject: Subject) -> Iterator[Problem]:
    """Require Spark before the changes, because the proof and the probe run after them."""
    if subject.surroundings.spark_lacks:
        remedy = MAKE if " lacks " in subject.surroundings.spark_lacks else "install Java 17 or newer, or set JAVA_HOME"
        message = f"Spark cannot be started here: {subject.surroundings.spark_lacks}"
        yield Problem("spark_missing", message, remedy, host=HERE)


def private_keys(subject: Subject) -> Iterator[Problem]:
    """Require private keys that ssh finds and accepts."""
    for host, fault in subject.surroundings.key_faults.items():
        remedy = "give the path of your key, or remove the line: ssh then takes its default keys and its agent's"
        remedy = "chmod 600 it" if "ssh ignores it" in fault else remedy
        value = subject.node(host).connection.get("ansible_ssh_private_key_file")
        yield Problem("private_key", fault, remedy, "ansible_ssh_private_key_file", host, value)


def plans(subject: Subject) -> Iterator[Problem]:
    """Refuse a plan that cannot be read, or that is another cluster's."""
    remedy = "site.yml and the playbooks deploy_cluster, upgrade_cluster and apply_resources write and apply plans"
    for variable, fault in subject.surroundings.plan_faults.items():
        yield Problem("plan_file", fault, remedy, variable, value=subject.cluster.nodes[0].variables.get(variable))


def maintenance(subject: Subject) -> Iterator[Problem]:
    """Require maintenance tasks that can run: a fault would show only when their node is down."""
    remedy = "give a file of tasks (-e kafka_maintenance_tasks=patch.yml), or -e kafka_reboot=true, or both"
    for variable, fault in subject.surroundings.maintenance_faults.items():
        yield Problem("maintenance", fault, remedy, variable, value=subject.cluster.nodes[0].variables.get(variable))


RULES = (client, spark, private_keys, plans, maintenance)
