"""Holds what was found on every host against what is wanted, and refuses with every problem at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.cluster.snapshot import Snapshot, from_dict
from ansible.module_utils.kraft.control.connection import error_text, target
from ansible.module_utils.kraft.control.reaching import reached
from ansible.module_utils.kraft.node.run_lock.lock import Record, record
from ansible.module_utils.kraft.problem import Problem, errors
from ansible.module_utils.kraft.spec import host_rules, steps
from ansible.module_utils.kraft.spec.host_rules.cross_host import awaits_disk, peers_for_storage
from ansible.module_utils.kraft.spec.host_rules.current import current
from ansible.module_utils.kraft.spec.host_rules.disk import returning_uid
from ansible.module_utils.kraft.spec.host_rules.members import directory_ids
from ansible.module_utils.kraft.spec.host_rules.subject import Desired, Host, Subject
from ansible.module_utils.kraft.spec.inventory import report
from ansible.module_utils.kraft.spec.inventory.refusal import refusal

DISPLAY = Display()
#: Registers of the steps before this one, in their order.
STEPS = ("__kafka_locked", "__kafka_looked")
#: O(scope) of an operation that needs no more than the right hosts.
IDENTITY = "identity"
#: Argument of the task -> variable that a host may set otherwise.
SETTINGS = {
    "user": "kafka_user",
    "java_home": "kafka_java_home",
    "nofile_limit": "kafka_nofile_limit",
    "partition_budget": "kafka_host_partition_budget",
    "disks": "kafka_host_data_disks",
}


def wanted(arguments: Mapping[str, Any], hostvars: Mapping[str, Any]) -> Desired:
    """Return the desired state of a host: its own variables over the role's, which are the task's arguments."""
    found = {name: hostvars.get(variable, arguments.get(name)) for name, variable in SETTINGS.items()}
    given = {name: value for name, value in found.items() if value not in (None, "")}
    default = Desired()
    return Desired(
        user=str(given.get("user", default.user)),
        java_home=str(given.get("java_home", default.java_home)),
        nofile_limit=int(given.get("nofile_limit", default.nofile_limit)),
        partition_budget=int(given.get("partition_budget", default.partition_budget)),
        disks=tuple(given.get("disks", default.disks)),
    )


def silence(variables: Mapping[str, Any]) -> str:
    """Return the error of a host that could not be locked or inspected; empty if it could."""
    results = [variables.get(name) or {} for name in STEPS]
    return next((error_text(each) for each in results if each.get("unreachable") or each.get("failed")), "")


def other_run(variables: Mapping[str, Any]) -> Record | None:
    """Return the run that keeps this one from the host."""
    locked = variables.get(STEPS[0]) or {}
    return record(locked.get("holder")) if locked.get("failed") else None


def read(
    arguments: Mapping[str, Any], task_vars: Mapping[str, Any], answer: Mapping[str, Any] | None = None
) -> Subject:
    """Return all hosts, desired and found. `answer`: the running cluster's; None if none runs."""
    desired, hostvars = task_vars["ansible_facts"]["kafka_desired"], task_vars["hostvars"]
    hosts = []
    restarted = arguments.get("restart") or ()
    if len(restarted) == len(arguments["hosts"]):  # the default
        restarted = ()
    for name in map(str, arguments["hosts"]):
        why = silence(hostvars[name])
        facts = None if why else (hostvars[name].get("ansible_facts") or {}).get("kafka_host")
        in_run = name in task_vars["ansible_play_hosts_all"]
        asked = wanted(arguments, hostvars[name])
        asked = dataclasses.replace(
            asked,
            replaced=name == arguments.get("replace"),
            added=name in (arguments.get("add") or ()),
            restarted=name in restarted,
        )
        address, holder = target(hostvars[name], name), other_run(hostvars[name])
        hosts.append(Host(name, desired["nodes"][name], facts, asked, in_run, why, address, holder))
    snapshot, why = members(answer, desired["cluster"]["cluster_id"])
    installs = "release" in (arguments.get("needs") or ("release",))
    return Subject(tuple(hosts), desired["cluster"], snapshot, why, installs)


def members(answer: Mapping[str, Any] | None, cluster_id: str) -> tuple[Snapshot | None, str]:
    """Return the snapshot of `kafka_cluster_info`, and the reason why there is none, or less than requested.

    A cluster of another id has other members; disks that belong to it are refused by their own rule.
    """
    if answer is None:
        return None, ""
    if not answer.get("snapshot"):
        return None, str(answer.get("msg") or "no answer")
    snapshot = from_dict(answer["snapshot"])
    if snapshot.cluster_id != cluster_id:
        return None, ""
    return snapshot, "; ".join(snapshot.unknown)


def seen(hosts: Iterable[str], hostvars: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the health of the cluster by the first node that answered fully; None if none did."""
    facts = ((hostvars[name].get("ansible_facts") or {}).get("kafka_host") or {} for name in map(str, hosts))
    looks = ((each.get("health") or {}) for each in facts)
    return next((each for each in looks if each.get("snapshot") and not each["snapshot"]["unanswered"]), None)


def given(answer: Mapping[str, Any]) -> list[Problem]:
    """Return the inventory's errors, shown together with those of the hosts. Its warnings were shown before."""
    return errors(Problem(**each) for each in answer.get("problems") or ())


def checked(subject: Subject, arguments: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of the hosts; for an operation that changes no files, only their identity is checked."""
    if arguments.get("scope") == IDENTITY:
        leaving = [str(name) for name in arguments.get("remove") or ()]
        silence, ending = bool(arguments.get("silence", True)), bool(arguments.get("ending"))
        return host_rules.identified(subject, leaving, silence, ending)
    return host_rules.check(subject, tuple(arguments.get("accepted_risks") or ()))


class ActionModule(ActionBase):
    """Opens no connection but to query a running cluster: `kafka_host_info` has gathered the hosts' facts."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        arguments = self._task.args
        if "kafka_desired" not in (task_vars or {}).get("ansible_facts", {}):
            return {"failed": True, "msg": "The desired state of the hosts is unknown: run kafka_desired first."}
        derived = self._derived(task_vars or {}) if arguments.get("derive") else {}
        desired = derived.get("ansible_facts") or {}
        play = {**(task_vars or {}), "ansible_facts": {**(task_vars or {})["ansible_facts"], **desired}}
        answer = seen(arguments["hosts"], play["hostvars"])
        if answer is None and arguments.get("running"):
            answer = self._members(arguments["ask"], task_vars or {})
        subject = read(arguments, play, answer)
        found = [*given(derived), *checked(subject, arguments)]
        if errors(found) and arguments.get("refuse", True):
            paste = directory_ids(subject, found)
            raise refusal("Host check failed", found, len(subject.hosts), paste)
        for sentence in report.sentences(found, len(subject.hosts)):
            DISPLAY.warning(sentence)
        facts = {
            **desired,
            "kafka_plan": {host.name: steps.due(host.facts) for host in subject.hosts},
            "kafka_healthy": all(
                host.facts and (host.facts.get("health") or {}).get("all_healthy") for host in subject.hosts
            ),
            "kafka_answers": subject.snapshot is not None,
            "kafka_uids": {host.name: returning_uid(host) for host, _ in subject.seen},
            "kafka_peers": peers_for_storage(subject, predict=bool(self._task.check_mode)),
            "kafka_disks_pending": any(map(awaits_disk, subject.hosts)),
            "kafka_migration_passed": (desired.get("kafka_desired") or {})
            .get("cluster", {})
            .get("migration_passed", []),
            "kafka_now": current(
                {host.name: each for host, each in subject.seen}, play["ansible_facts"]["kafka_desired"]
            ),
        }
        return {"changed": False, "problems": [each.as_dict() for each in found], "ansible_facts": facts}

    def _members(self, question: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the running cluster's answer, or the error message."""
        try:
            return reached(
                lambda: self._execute_module("kafka_cluster_info", module_args=question, task_vars=task_vars)
            )
        except AnsibleError as error:
            return {"msg": str(error)}

    def _derived(self, task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the settings that `kafka_desired` derives from cores and memory, now that the hosts were inspected."""
        task = self._task.copy()
        task.args = {
            "hosts": self._task.args["hosts"],
            "refuse": False,
            "phase": self._task.args.get("phase") or "keep",
            "needs": self._task.args.get("needs") or [],
        }
        surroundings = {
            "connection": self._connection,
            "play_context": self._play_context,
            "loader": self._loader,
            "templar": self._templar,
            "shared_loader_obj": self._shared_loader_obj,
        }
        action = self._shared_loader_obj.action_loader.get("kafka_desired", task=task, **surroundings)
        answer: dict[str, Any] = action.run(task_vars=task_vars)
        return answer
