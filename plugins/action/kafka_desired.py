"""Reads the inventory's whole desired state, refuses it with every mistake at once, or gives it as facts."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import ansible.module_utils
import yaml
from ansible import constants
from ansible.errors import AnsibleAction
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))

from ansible.module_utils.kraft.control import (
    given_certificates,
    key_sets,
    maintenance,
    module_results,
    own_authority,
    reports,
)
from ansible.module_utils.kraft.control.files import key_faults, spark_lacks
from ansible.module_utils.kraft.control.home import home, with_places
from ansible.module_utils.kraft.control.inventory_options import inventory_options
from ansible.module_utils.kraft.control.preloaded import load_filters
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.deployment import document
from ansible.module_utils.kraft.operations.resources import generated_passwords
from ansible.module_utils.kraft.problem import WARNING, Problem, errors
from ansible.module_utils.kraft.providers.ec2 import unasked
from ansible.module_utils.kraft.spec.desired import describe as desired
from ansible.module_utils.kraft.spec.desired import membership, migration, own_clients
from ansible.module_utils.kraft.spec.desired.contributions import files_of
from ansible.module_utils.kraft.spec.desired.migration_step import next_step
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory import advisories, files, plugin_files, reading, report, validation
from ansible.module_utils.kraft.spec.inventory.archive_file import digest, local_path
from ansible.module_utils.kraft.spec.inventory.hostvars import PREFIX, Inventory, plain
from ansible.module_utils.kraft.spec.inventory.origins import located
from ansible.module_utils.kraft.spec.inventory.refusal import refusal, width
from ansible.module_utils.kraft.spec.inventory.releases import release_features
from ansible.module_utils.kraft.spec.inventory_rules.archive import AWAITED
from ansible.module_utils.kraft.spec.inventory_rules.subject import Surroundings

# Ansible's main process imports this file before it starts a worker for its task, nearly always the first of a run.
load_filters(__name__)
module_results.install()

#: Roles whose variables make up the desired state; those of all other roles are checked where they are set.
CORE = ("kafka", "kafka_host")
NEEDS = ["release", "client", "spark", "maintenance"]
ARGUMENT_SPEC = {
    "hosts": {"type": "list", "elements": "str", "required": True},
    "refuse": {"type": "bool", "default": True},
    "needs": {"type": "list", "elements": "str", "choices": NEEDS, "default": []},
    "plans": {"type": "bool", "default": True},
    "phase": {"type": "str", "choices": ["", *migration.PHASES], "default": ""},
    "report": {"type": "str", "choices": ["warnings", "table", "json"], "default": "warnings"},
}
#: Variable of plays that work on nodes; plays that only read the inventory, or make machines, do not set it.
NODES = "kafka_hosts"
DISPLAY = Display()


def load_specs() -> dict[str, dict[str, Any]]:
    """Return every public variable of every role with its option; only those of the core are required here."""
    specs: dict[str, dict[str, Any]] = {}
    for path in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        entries = yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["argument_specs"]  # noqa: S506
        core = path.parents[1].name in CORE
        for entry in entries.values():
            for name, option in (entry.get("options") or {}).items():
                specs.setdefault(name, {**option, "core": core, "required": core and option.get("required", False)})
    return specs


class ActionModule(ActionBase):
    """Opens no connection: everything is known on the control machine."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        module_results.require()
        _, arguments = self.validate_argument_spec(argument_spec=ARGUMENT_SPEC)
        hosts, hostvars = arguments["hosts"], (task_vars or {})["hostvars"]
        if refused := validation.nowhere(hosts, hostvars) or validation.kept_facts(constants.CACHE_PLUGIN):
            raise invalid(refused, len(hosts), arguments["report"])
        given = of_play(self._task, hostvars._variable_manager.extra_vars)
        unknown = unknown_machines(hosts, hostvars) if NODES in given else []
        if errors(unknown):
            raise invalid(unknown, len(hosts), arguments["report"])
        cluster, problems = read_inventory(
            hostvars, self._loader, hosts, Run(arguments["needs"], arguments["plans"], given)
        )
        problems += unknown
        if arguments["phase"] and not errors(problems):
            facts = {host: (hostvars.raw_get(host).get("ansible_facts") or {}).get("kafka_host") for host in hosts}
            cluster, found = migration.applied(cluster, arguments["phase"], facts)
            problems += found
        if errors(problems) and arguments["refuse"]:
            raise invalid(problems, len(hosts), arguments["report"])
        show(problems, len(hosts), arguments["report"], already_said(hostvars, hosts))
        try:
            return answer(cluster, problems, hosts, self._operation(hosts, task_vars or {}))
        except RefusedError as error:
            raise AnsibleAction(str(error)) from error

    def _operation(self, hosts: list[str], task_vars: dict[str, Any]) -> Operation:
        """Return what the run was given by name: hosts of the inventory outside of `hosts` are left out."""
        given = {name: self._templar.template(task_vars[name]) for name in OPERATION if name in task_vars}
        names = {variable: membership.split(given.get(variable, "")) for variable in OPERATION[:2]}
        added, removed = (
            membership.named(
                [one for one in found if one in hosts or one not in task_vars["hostvars"]], hosts, variable
            )
            for variable, found in names.items()
        )
        way = {name: boolean(given.get(f"kafka_migration_{name}", False), strict=False) for name in ("close", "back")}
        levels = release_features(str(given[OPERATION[2]])) if given.get(OPERATION[2]) else {}
        mirror = list(task_vars["groups"].get("mirror", ()))
        return Operation(added, removed, levels, mirror, way, check=bool(self._task.check_mode))


def unknown_machines(hosts: Collection[str], hostvars: Any) -> list[Problem]:
    """Report hosts of EC2 whose machines the inventory lacks; a play that works on nodes needs their addresses."""
    on_ec2 = [host for host in hosts if "ec2" in hostvars[host]["group_names"]]
    known = [host for host in on_ec2 if "ec2_instance_id" in hostvars[host]]
    return unasked.missing_instances(on_ec2, known, hostvars[on_ec2[0]] if on_ec2 and not known else {})


def of_play(task: Any, extra: Collection[str]) -> frozenset[str]:
    """Return names of ``kafka_*`` variables that a task's play sets; the command line (`extra`) wins."""
    return frozenset(name for name in task.get_play().get_vars() if name.startswith(PREFIX) and name not in extra)


class Run(NamedTuple):
    """Properties of a run that matter for the inventory.

    ``needs``: its requirements of this machine. ``plans``: it can write its plan to a file, and apply an approved
    one. ``of_play``: names of variables that its play sets.
    """

    needs: Collection[str] = ()
    plans: bool = True
    of_play: frozenset[str] = frozenset()


NOTHING_MORE = Run()
#: Variables of a run that name hosts and a release.
OPERATION = (membership.ADDED, membership.REMOVED, "kafka_finalize", "kafka_migration_close", "kafka_migration_back")


class Operation(NamedTuple):
    """Hosts that a run adds and removes, levels of the features that it finalises, hosts for the mirror alone.

    ``migration``: the requested ``close`` and ``back``. ``check``: the run is in check mode.
    """

    added: list[str]
    removed: list[str]
    features: dict[str, int]
    mirror_hosts: list[str]
    migration: dict[str, bool]
    check: bool


def read_all(inventory: Inventory, hosts: list[str], loader: Any, installs: bool) -> list[reading.HostVariables]:
    """Return the variables of each host, with places of files below this directory, and the certificates in them.

    `installs`: whether the run installs plugins, and so reads their files.
    """
    top, found = home(ROOT, Path.cwd()) / ".kraftwright", []
    for host in hosts:
        each = inventory.read(host, hosts)
        values = with_places(each.values, top, loader)
        jars = plugin_files.find(values, loader) if installs else {}
        given = given_certificates.read(host, values, loader)
        found.append(dataclasses.replace(each, values=values, given=given, plugin_files=jars))
    return found


def read_inventory(
    hostvars: Any, loader: Any, hosts: list[str], run: Run = NOTHING_MORE
) -> tuple[Cluster, list[Problem]]:
    """Return the desired state of the inventory, and its problems."""
    specs, hosts = load_specs(), plain(hosts)
    inventory = Inventory(hostvars, loader, specs)
    installs = "release" in run.needs
    unread = frozenset() if installs else reading.ARCHIVE_VARIABLES
    variables = [reading.without(each, unread) for each in read_all(inventory, hosts, loader, installs)]
    cluster, problems = validation.validate(
        variables,
        {name: specs[name] for name in specs if name not in unread},
        surroundings(inventory, hosts, variables, run),
    )
    return cluster, located(problems, {host: hostvars.raw_get(host) for host in hosts})


def surroundings(
    inventory: Inventory, hosts: list[str], variables: list[reading.HostVariables], run: Run
) -> Surroundings:
    """Return what a run needs of this machine: files, archives, keys and passwords."""
    hostvars, loader, specs, first = inventory.hostvars, inventory.loader, inventory.specs, variables[0].values
    archive = local_path(first.get("kafka_archive"), loader.path_dwim)
    client = local_path(first.get("kafka_client_archive"), loader.path_dwim) if "client" in run.needs else None
    agents = {each: local_path(each, loader.path_dwim) for one in variables for each in files_of(one.contributions)}
    tasks = (first, loader, hostvars._variable_manager)
    return Surroundings(
        names=frozenset(specs),
        files=files.inspect(hostvars, loader, hosts),
        used={host: inventory.used(host) for host in hosts},
        of_play=run.of_play,
        readable={host: inventory.readable(host) for host in hosts},
        archive_exists=archive.is_file() if archive else None,
        archive_digest=digest(archive, first.get("kafka_archive_checksum")) if archive else "",
        client_digest=digest(client, first.get("kafka_client_checksum")) if client else None,
        spark_lacks=spark_lacks(ROOT, os.environ) if "spark" in run.needs else "",
        foreign_reports=reports.foreign(first, home(ROOT, Path.cwd()) / ".kraftwright"),
        key_faults=key_faults({each.host: each.connection for each in variables}),
        plan_faults=document.faults(first, run.plans),
        maintenance_faults=maintenance.faults(*tasks) if "maintenance" in run.needs else {},
        tls_fault=own_authority.fault(first),
        key_set_faults=key_sets.faults(each.values.get("kafka_listeners") for each in variables),
        password_fault=generated_passwords.fault(first, loader._vault),
        tls_days_left=own_authority.days_left(first),
        advisories_age=advisories.age(datetime.datetime.now(datetime.timezone.utc).date()),
        installs="release" in run.needs,
        archive_classes=lambda: plugin_files.archive_classes(archive),
        agent_digests={path: digest(file, "sha256:") if file else "" for path, file in agents.items()},
        smoke=own_clients.smoke(hostvars, loader, specs),
        client_options=own_clients.client_options(hostvars, loader, hosts[0], smoke="spark" in run.needs),
    )


def already_said(hostvars: Any, hosts: list[str]) -> frozenset[str]:
    """Return the warnings of a play of this run that validated first."""
    found: set[str] = set()
    for host in ("localhost", *hosts[:1]):
        facts = hostvars.raw_get(host).get("ansible_facts") or {}
        found.update(map(str, (facts.get("kafka_desired") or {}).get("warnings", ())))
    return frozenset(found)


def answer(cluster: Cluster, problems: list[Problem], hosts: list[str], operation: Operation) -> dict[str, Any]:
    """Return the problems and, unless that is impossible, the desired state of every node."""
    found = {
        "changed": False,
        "_ansible_verbose_override": True,
        "problems": [problem.as_dict() for problem in problems],
    }
    if any(problem.rule not in AWAITED for problem in errors(problems)):
        return found
    state = desired.desired_state(cluster)
    reports_dir = str(home(ROOT, Path.cwd()) / ".kraftwright" / cluster.name)
    described = {
        "cluster": {
            **membership.with_members(state, operation.added, operation.removed),
            "features": operation.features,
            "migration_next": next_step(
                cluster.migration_passed, state["cluster"], inventory_options(), operation.migration, operation.check
            ),
            "mirror_hosts": operation.mirror_hosts or state["cluster"]["broker_hosts"],
            "reports": reports_dir,
        },
        "nodes": state["nodes"],
        "warnings": report.sentences(problems, len(hosts)),
    }
    return {**found, "ansible_facts": {"kafka_desired": described}}


def invalid(problems: list[Problem], hosts: int, form: str) -> AnsibleAction:
    """Return the failure with all problems: in a table or, for machines, as JSON beside it."""
    if form == "json":
        DISPLAY.display(report.as_json(problems))
    return refusal("Inventory validation failed", problems, hosts, table=form != "json")


def show(problems: list[Problem], hosts: int, form: str, shown: frozenset[str]) -> None:
    """Show the problems that do not stop the run; those that an earlier call has `shown` are not repeated."""
    if form == "json":
        DISPLAY.display(report.as_json(problems))
    elif form == "table":
        DISPLAY.display(f"{hosts} host{'s' if hosts > 1 else ''}: {report.summary(problems)}")
        if problems:
            DISPLAY.display(report.table(problems, hosts, width()))
    else:
        for sentence in report.sentences([each for each in problems if each.severity == WARNING], hosts):
            if sentence not in shown:
                DISPLAY.warning(sentence)
