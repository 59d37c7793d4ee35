"""Reads the inventory's whole desired state, refuses it with every mistake at once, or gives it as facts."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import ansible.module_utils
import yaml
from ansible import context
from ansible.errors import AnsibleAction, AnsibleError
from ansible.parsing.vault import EncryptedString
from ansible.plugins.action import ActionBase
from ansible.template import Templar
from ansible.utils.display import Display

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))

from ansible.module_utils.kraft.control import given_certificates, key_sets, maintenance, own_authority, reports
from ansible.module_utils.kraft.control.files import key_faults, spark_lacks
from ansible.module_utils.kraft.control.home import home, with_places
from ansible.module_utils.kraft.control.log_authority import faults as log_authority_faults
from ansible.module_utils.kraft.control.readable import is_readable
from ansible.module_utils.kraft.operations.deployment import document
from ansible.module_utils.kraft.operations.resources import passwords
from ansible.module_utils.kraft.problem import WARNING, Problem, errors
from ansible.module_utils.kraft.secret_values import is_secret
from ansible.module_utils.kraft.spec.desired import describe as desired
from ansible.module_utils.kraft.spec.desired import migration, own_clients
from ansible.module_utils.kraft.spec.desired.contributions import PREFIX as CONTRIBUTION
from ansible.module_utils.kraft.spec.desired.contributions import files_of
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory import reading, report, validation
from ansible.module_utils.kraft.spec.inventory.archive_file import digest, local_path
from ansible.module_utils.kraft.spec.inventory.role_variables import role_variables
from ansible.module_utils.kraft.spec.rules.archive import AWAITED
from ansible.module_utils.kraft.spec.rules.subject import Surroundings

PREFIX = "kafka_"
#: Roles whose variables make up the desired state; those of all other roles are checked where somebody sets them.
CORE = ("kafka", "kafka_host")
CONNECTION = (
    *("ansible_host", "ansible_port", "ansible_connection", "ansible_ssh_private_key_file"),
    *("ansible_user", "ansible_ssh_user"),
)
ARGUMENT_SPEC = {
    "hosts": {"type": "list", "elements": "str", "required": True},
    "refuse": {"type": "bool", "default": True},
    "needs": {"type": "list", "elements": "str", "choices": ["client", "spark", "maintenance"], "default": []},
    "plans": {"type": "bool", "default": True},
    "phase": {"type": "str", "choices": ["", *migration.PHASES], "default": ""},
    "report": {"type": "str", "choices": ["warnings", "table", "json"], "default": "warnings"},
}
NO_FACTS = " (facts of the hosts are not gathered: give the value itself)"
DISPLAY = Display()


def plain(value: Any) -> Any:
    """A value without Ansible's own types: what it says, and nothing of where it came from."""
    if isinstance(value, Mapping):
        return {str.__str__(str(key)): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(each) for each in value]
    if value is None or isinstance(value, bool):
        return value
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    return str.__str__(value if isinstance(value, str) else str(value))


def load_specs() -> dict[str, dict[str, Any]]:
    """Every public variable of every role with its option; only those of the core are required here."""
    specs: dict[str, dict[str, Any]] = {}
    for path in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        entries = yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["argument_specs"]  # noqa: S506
        core = path.parents[1].name in CORE
        for entry in entries.values():
            for name, option in (entry.get("options") or {}).items():
                specs.setdefault(name, {**option, "core": core, "required": core and option.get("required", False)})
    return specs


class Inventory:
    """Hosts' variables, resolved each in its own host's context, whether or not a role is in scope."""

    def __init__(self, hostvars: Any, loader: Any, specs: Mapping[str, Mapping[str, Any]]) -> None:
        self._hostvars, self._loader, self._specs = hostvars, loader, specs
        self._defaults = role_variables(loader)

    def read(self, host: str, hosts: list[str]) -> reading.HostVariables:
        """Every variable of the core, and those of other roles that somebody set."""
        given = self._hostvars.raw_get(host)
        merged = {**self._defaults, "kafka_hosts": hosts, "hostvars": self._hostvars, **given}
        templar = Templar(loader=self._loader, variables=merged)
        values: dict[str, Any] = {}
        unresolved: dict[str, str] = {}
        for name in self._specs:
            if name in given or (name in merged and self._specs[name].get("core")):
                try:
                    values[name] = plain(templar.template(merged[name]))
                except AnsibleError as error:
                    unresolved[name] = reason(error, merged[name])
        contributions: dict[str, Any] = {}
        for name in (each for each in merged if each.startswith(CONTRIBUTION)):
            try:
                contributions[name] = plain(templar.template(merged[name]))
            except AnsibleError as error:
                unresolved[name] = reason(error, merged[name])
        return reading.HostVariables(
            host=host,
            values=values,
            unresolved=unresolved,
            contributions=contributions,
            facts=plain((given.get("ansible_facts") or {}).get("kafka_host") or {}),
            connection=self._connection(templar, given),
        )

    def used(self, host: str) -> frozenset[str]:
        """Names that the inventory or the command line sets; what tasks registered is none of ours."""
        registered = getattr(self._hostvars, "_variable_manager", None)
        passing = getattr(registered, "_nonpersistent_fact_cache", {}).get(host, {})
        return frozenset(
            name for name in self._hostvars.raw_get(host) if name.startswith(PREFIX) and name not in passing
        )

    def readable(self, host: str) -> frozenset[str]:
        """Settings whose secret everybody can read who can read the inventory."""
        given = self._hostvars.raw_get(host)
        layers = ((name, given.get(name)) for name in (*reading.LAYERS, "kafka_tls"))
        users = given.get("kafka_users")
        people = frozenset(
            f"kafka_users[{plain(user.get('name'))}].password"
            for user in (users if isinstance(users, list) else ())
            if isinstance(user, Mapping) and is_readable(user.get("password"))
        )
        return people | frozenset(
            f"{name}[{plain(key)}]"
            for name, layer in layers
            for key, value in (layer.items() if isinstance(layer, Mapping) else ())
            if is_readable(value) and "certificate" not in str(key) and is_secret(str(key), value)
        )

    def _connection(self, templar: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            found = {name: plain(templar.template(given[name])) for name in CONNECTION if name in given}
        except AnsibleError:
            found = {}
        return {"remote_user": context.CLIARGS.get("remote_user"), **found}  # --user, or else of ansible.cfg


def reason(error: AnsibleError, value: Any) -> str:
    """An error's own words with those of its causes, without the advice that Ansible adds for itself."""
    said = " ".join(str(error).replace("Use -vvvvv to see paths searched.", "").split()).rstrip(".")
    return said + (NO_FACTS if not isinstance(value, EncryptedString) and "ansible_" in str(value) else "")


class ActionModule(ActionBase):
    """Opens no connection: everything is known on the control machine."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, arguments = self.validate_argument_spec(argument_spec=ARGUMENT_SPEC)
        hosts, hostvars = arguments["hosts"], (task_vars or {})["hostvars"]
        if nowhere := validation.nowhere(hosts, hostvars):
            raise refusal(nowhere, len(hosts), arguments["report"])
        given = of_play(self._task, hostvars._variable_manager.extra_vars)
        cluster, problems = look(hostvars, self._loader, hosts, Run(arguments["needs"], arguments["plans"], given))
        if arguments["phase"] and not errors(problems):
            facts = {host: (hostvars.raw_get(host).get("ansible_facts") or {}).get("kafka_host") for host in hosts}
            cluster, found = migration.applied(cluster, arguments["phase"], facts)
            problems += found
        if errors(problems) and arguments["refuse"]:
            raise refusal(problems, len(hosts), arguments["report"])
        show(problems, len(hosts), arguments["report"], already_said(hostvars, hosts))
        return answer(cluster, problems, len(hosts))


def of_play(task: Any, extra: Collection[str]) -> frozenset[str]:
    """Names of ``kafka_*`` variables that a task's play sets; those of the command line (`extra`) win."""
    return frozenset(name for name in task.get_play().get_vars() if name.startswith(PREFIX) and name not in extra)


class Run(NamedTuple):
    """What a run brings to the inventory.

    ``needs``: what it wants of this machine. ``plans``: whether it can write its plan to a file, and apply an approved
    one. ``of_play``: names of variables that its play sets.
    """

    needs: Collection[str] = ()
    plans: bool = True
    of_play: frozenset[str] = frozenset()


NOTHING_MORE = Run()


def read_all(inventory: Inventory, hosts: list[str], loader: Any) -> list[reading.HostVariables]:
    """The variables of each host, with places of files below this directory, and the certificates that lie there."""
    top, found = home(ROOT, Path.cwd()) / ".kraftwright", []
    for host in hosts:
        each = inventory.read(host, hosts)
        values = with_places(each.values, top, loader)
        found.append(dataclasses.replace(each, values=values, given=given_certificates.of(host, values, loader)))
    return found


def look(hostvars: Any, loader: Any, hosts: list[str], run: Run = NOTHING_MORE) -> tuple[Cluster, list[Problem]]:
    """What the inventory asks for and what is wrong with it."""
    specs, hosts = load_specs(), plain(hosts)
    inventory = Inventory(hostvars, loader, specs)
    variables = read_all(inventory, hosts, loader)
    archive = local_path(variables[0].values.get("kafka_archive"), loader.path_dwim)
    client = local_path(variables[0].values.get("kafka_client_archive"), loader.path_dwim)
    agents = {each: local_path(each, loader.path_dwim) for one in variables for each in files_of(one.contributions)}
    surroundings = Surroundings(
        names=frozenset(specs),
        used={host: inventory.used(host) for host in hosts},
        of_play=run.of_play,
        readable={host: inventory.readable(host) for host in hosts},
        archive_exists=archive.is_file() if archive else None,
        archive_digest=digest(archive, variables[0].values.get("kafka_archive_checksum")) if archive else "",
        client_exists=client.is_file() if client and "client" in run.needs else None,
        spark_lacks=spark_lacks(ROOT, os.environ) if "spark" in run.needs else "",
        foreign_reports=reports.foreign(variables[0].values, home(ROOT, Path.cwd()) / ".kraftwright"),
        key_faults=key_faults({each.host: each.connection for each in variables}),
        plan_faults=document.faults(variables[0].values, run.plans),
        maintenance_faults=maintenance.faults(variables[0].values, loader, hostvars._variable_manager)
        if "maintenance" in run.needs
        else {},
        tls_fault=own_authority.fault(variables[0].values),
        key_set_faults=key_sets.faults(each.values.get("kafka_listeners") for each in variables),
        log_authority_faults=log_authority_faults(each.contributions for each in variables),
        password_fault=passwords.fault(variables[0].values, loader._vault),
        tls_days_left=own_authority.days_left(variables[0].values),
        agent_digests={path: digest(file, "sha256:") if file else "" for path, file in agents.items()},
        smoke=own_clients.smoke(hostvars, loader, specs),
        client_options=own_clients.client_options(hostvars, loader, hosts[0], smoke="spark" in run.needs),
    )
    return validation.validate(variables, specs, surroundings)


def already_said(hostvars: Any, hosts: list[str]) -> frozenset[str]:
    """The warnings of a play of this run that validated first."""
    found: set[str] = set()
    for host in ("localhost", *hosts[:1]):
        facts = hostvars.raw_get(host).get("ansible_facts") or {}
        found.update(map(str, (facts.get("kafka_desired") or {}).get("warnings", ())))
    return frozenset(found)


def answer(cluster: Cluster, problems: list[Problem], hosts: int) -> dict[str, Any]:
    """What was found and, unless that makes no sense, what every node should be."""
    found = {
        "changed": False,
        "_ansible_verbose_override": True,
        "problems": [problem.as_dict() for problem in problems],
    }
    if any(problem.rule not in AWAITED for problem in errors(problems)):
        return found
    described = {**desired.describe(cluster), "warnings": report.sentences(problems, hosts)}
    return {**found, "ansible_facts": {"kafka_desired": described}}


def refusal(problems: list[Problem], hosts: int, form: str) -> AnsibleAction:
    """The failure with all problems in it. Ansible prints an error's message, then its result: the table is in one."""
    heading = f"Inventory validation failed: {report.summary(problems)}. No host was changed."
    if form == "json":
        DISPLAY.display(report.as_json(problems))
        return AnsibleAction(heading, result={"failed": True, "msg": heading})
    return AnsibleAction(
        heading, result={"failed": True, "msg": f"{heading}\n\n{report.table(problems, hosts, width())}"}
    )


def show(problems: list[Problem], hosts: int, form: str, shown: frozenset[str]) -> None:
    """What does not stop the run; what an earlier look of this run has `shown` is not said again."""
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


def width() -> int:
    """Columns for a table, with room for the indentation that a callback adds."""
    return shutil.get_terminal_size((120, 40)).columns - 8
