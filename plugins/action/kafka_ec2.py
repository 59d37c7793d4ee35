"""Plans a cluster's resources on EC2, and has the module create them under the name of this run."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import run_owner
from ansible.module_utils.kraft.node.run_lock import lock
from ansible.module_utils.kraft.problem import Problem, errors
from ansible.module_utils.kraft.providers.ec2 import (
    asked,
    checks,
    describe,
    exposure,
    observe,
    plan,
    reading,
    removal,
    requests,
    rules,
    unasked,
    values,
)
from ansible.module_utils.kraft.providers.ec2.model import DISK, Current, Desired
from ansible.module_utils.kraft.spec.inventory import report

DISPLAY = Display()
Data = Mapping[str, Any]
#: Settings that a host may override: setting -> variable.
OF_A_HOST = {
    "zone": "kafka_ec2_zone",
    "private_ip": "kafka_ec2_private_ip",
    "instance_type": "kafka_ec2_instance_type",
    "volumes": "kafka_ec2_volumes",
    "ssh_port": "ansible_port",
    "partition": "kafka_ec2_partition",
}
ARGUMENT_SPEC: dict[str, Any] = {
    "operation": {"type": "str", "choices": ["plan", "apply", "audit"], "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "hosts": {"type": "list", "elements": "str"},
    "settings": {"type": "dict"},
    "found": {"type": "dict", "default": {}},
    "exposure": {"type": "bool", "default": False},
    "wanted": {"type": "dict"},
    "seen": {"type": "dict"},
    "delete_data": {"type": "bool", "default": False},
    "terminate": {"type": "list", "elements": "str", "default": []},
    "patience": {"type": "float", "default": 120},
    "boot": {"type": "float", "default": 600},
    "pause": {"type": "float", "default": 2},
    "young": {"type": "float", "default": 20},
    "break_run": {"type": "str", "default": ""},
}
NEEDS = [
    ("operation", "plan", ["hosts", "settings"]),
    ("operation", "apply", ["wanted"]),
    ("operation", "audit", ["seen"]),
]
OF_APPLY = ("operation", "state", "wanted", "delete_data", "terminate", "patience", "boot", "pause", "young")


def of_hosts(hosts: list[str], hostvars: Data) -> dict[str, Data]:
    """Return the settings that each host sets itself."""
    return {
        host: {name: hostvars[host][variable] for name, variable in OF_A_HOST.items() if variable in hostvars[host]}
        for host in hosts
    }


def named(settings: Data) -> dict[str, Any]:
    """Return the required data of a cluster that is to go; its inventory need not be sound."""
    return {"cluster": {"name": settings["cluster_name"], "cluster_id": settings["cluster_id"]}, "nodes": {}}


def unknown(found: Current, hostvars: Data) -> list[str]:
    """Return instances that differ from the inventory: it was read before they were made, or started again."""

    def known(host: str) -> tuple[str, str, dict[str, str]]:
        seen = hostvars.get(host, {})
        id_, address = str(seen.get("ec2_instance_id") or ""), str(seen.get("ec2_public_ip_address") or "")
        return id_, address, disks(seen.get("ec2_tags") or {})

    return [
        each.id
        for each in found.instances
        if known(each.host) != (each.id, each.public_ip, disks(found.tags.get(each.id, {})))
    ]


def disks(tags: Data) -> dict[str, str]:
    """Return the tags of a machine that name its disks."""
    return {key: str(value) for key, value in tags.items() if key.startswith(DISK)}


def audited(seen: Mapping[str, Data], plan: Data) -> dict[str, Any]:
    """Fail with every port that is open without need, and every answer that differs from the security groups."""
    lines = exposure.verdict(list(seen), seen, plan)
    if lines:
        return {"failed": True, "msg": "\n".join(lines)}
    return {"changed": False, "msg": "Only what the listeners need is open, and the nodes see it so."}


class ActionModule(ActionBase):
    """The module of the same name calls AWS; the rest is worked out here."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, arguments = self.validate_argument_spec(ARGUMENT_SPEC, required_if=NEEDS)
        variables = task_vars or {}
        if arguments["operation"] == "plan":
            return self._planned(arguments, variables)
        if arguments["operation"] == "audit":
            return audited(arguments["seen"], variables["ansible_facts"]["kafka_ec2"])
        return {"skipped": True} if self._task.check_mode else self._applied(arguments, variables)

    def _planned(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """Return the plan, or the refusal with every problem."""
        settings, gone = arguments["settings"], arguments["state"] == "absent"
        desired = named(settings) if gone else variables["ansible_facts"]["kafka_desired"]
        hosts = {} if gone else of_hosts(arguments["hosts"], variables["hostvars"])
        wanted = reading.wanted(settings, desired, hosts)
        if gone:  # the cluster's own VPC and every group with its tag go, whatever VPC is given
            wanted = dataclasses.replace(wanted, vpc_id="", subnet_ids=())
        given = arguments["found"]
        if wrong := self._refusal(asked.asked(wanted, gone), len(hosts), bool(given)):
            return wrong
        looked = {"found": given} if given else self._look(wanted, variables)
        if looked.get("failed"):
            return looked
        found = values.current(looked["found"])
        if gone:
            return self._removal(wanted, found, settings)
        inside = found.vpc.cidrs if found.vpc else [wanted.vpc_cidr]
        nodes = list(desired["nodes"].values())
        problems = [
            *rules.security_group_refusals(nodes, reading.sources(settings, inside)),
            *checks.against(wanted, found),
        ]
        if wrong := self._refusal(problems, len(hosts), bool(given)):
            return wrong
        for sentence in report.sentences(problems, len(hosts)):
            DISPLAY.warning(sentence)
        answer = self._answer(reading.wanted(settings, desired, hosts, inside), found)
        facts = answer["ansible_facts"]["kafka_ec2"]
        facts.update(requests.of_audit(reading.wanted(settings, desired, hosts, inside), found, desired["nodes"]))
        facts["outdated"] = bool(unknown(found, variables["hostvars"]))
        exposed = self._exposure(wanted, facts, variables) if arguments["exposure"] else {}
        facts["exposure"] = {name: exposed.get(name, []) for name in ("reachable", "unjustified")}
        return {**exposed, **answer}

    def _exposure(self, wanted: Desired, facts: Data, variables: dict[str, Any]) -> dict[str, Any]:
        """Return the ports that the security groups open, or why they cannot be seen."""
        arguments = {"operation": "plan", "region": wanted.region, "cluster": wanted.cluster}
        arguments |= {name: facts[name] for name in ("allowed", "listeners")}
        exposed: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=variables)
        return exposed

    def _removal(self, wanted: Desired, found: Current, settings: Data) -> dict[str, Any]:
        """Return the planned removal, or the reason against it."""
        protected, delete_data = bool(settings["termination_protection"]), str(settings["delete_data"])
        if hosts := list(settings["terminate"]):
            problems = removal.host_removal_refusals(wanted, found, hosts)
        else:
            problems = removal.removal_refusals(wanted, found, protected, str(settings["destroy"]), delete_data)
        if wrong := self._refusal(problems, len(wanted.nodes), False):
            return wrong
        for sentence in report.sentences(problems, len(wanted.nodes)):
            DISPLAY.warning(sentence)
        gone = removal.removal(found, bool(delete_data), hosts)
        lines = removal.removal_lines(found, gone)
        facts = {
            "any": bool(lines),
            "wanted": dataclasses.asdict(wanted),
            "delete_data": bool(delete_data),
            "hosts": hosts,
        }
        return self._result(lines, {"kafka_ec2_gone": facts})

    def _result(self, lines: list[str], facts: dict[str, Any]) -> dict[str, Any]:
        """Return a change only in check mode: otherwise the tasks that follow make it."""
        return {
            "changed": bool(lines) and bool(self._task.check_mode),
            "lines": lines,
            "diff": {"before": "", "after": "".join(f"{line}\n" for line in lines)},
            "ansible_facts": facts,
        }

    def _look(self, wanted: Desired, variables: dict[str, Any]) -> dict[str, Any]:
        """Return the current state, or why it cannot be seen."""
        question = dataclasses.replace(observe.question_for(wanted), protection=True)
        arguments = {"operation": "plan", "region": wanted.region, **dataclasses.asdict(question)}
        with unasked.announced(DISPLAY.display, unasked.SILENT):
            looked: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=variables)
        return looked

    def _refusal(self, found: list[Problem], hosts: int, applied: bool) -> dict[str, Any]:
        if not errors(found):
            return {}
        width = min(shutil.get_terminal_size((120, 40)).columns, 160) - 4
        done = "This run has changed AWS before it found this." if applied else "Nothing was changed in AWS."
        heading = f"EC2 validation failed: {report.summary(found)}. {done}"
        return {"failed": True, "msg": f"{heading}\n\n{report.table(found, hosts, width)}"}

    def _answer(self, wanted: Desired, found: Current) -> dict[str, Any]:
        made = plan.plan(wanted, found)
        lines = describe.plan_lines(wanted, found, made)
        request = requests.of_plan(wanted, found, made)
        if request["awaited"] and self._task.check_mode:
            hosts = ", ".join(request["awaited"])
            DISPLAY.display(
                f"No running machine yet: {hosts}. Check mode shows changes on a machine only once it runs."
            )
        return self._result(lines, {"kafka_ec2": request})

    def _applied(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """Name the run that makes things, and take over the lock of a run of this machine that is dead."""
        ours = run_owner.asking(run_owner.main_process())
        if arguments["state"] == "present":
            DISPLAY.display("Waiting for AWS: a new machine takes about a minute until it runs.")

        def execute(more: dict[str, str]) -> dict[str, Any]:
            given = {name: arguments[name] for name in OF_APPLY}
            given |= {"record": ours.as_dict(), "break_run": arguments["break_run"], **more}
            answer: dict[str, Any] = self._execute_module(module_args=given, task_vars=variables)
            return answer

        result, holder = run_owner.asked_as(ours, False, execute)
        if holder and not result.get("granted"):
            return {
                **result,
                "failed": True,
                "msg": f"Nothing was changed in AWS. {lock.refusal('The cluster', holder)}",
            }
        return result
