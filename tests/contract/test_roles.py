"""A role's defaults, its argument specs and its README agree, key by key and value by value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.node.release import appcds_archive_io

from scripts import render_role_docs

ROOT = Path(__file__).resolve().parents[2]
ROLES = sorted(p.parent.parent for p in ROOT.glob("roles/*/meta/argument_specs.yml"))
FORBIDDEN_IN_TASKS = ("ignore_errors", "set_fact", "pause:", "ansible.builtin.shell", "ansible.builtin.raw")


#: Words for the effect of a lower or a higher number.
EFFECT = re.compile(
    r"\b(?:too (?:low|high|few|many|small|large|short|long)|lower|higher|as high|more|most|fewer|less|longer|shorter"
    r"|larger|smaller|below|above)\b",
    re.IGNORECASE,
)


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text()) if path.exists() else {}


def spec_options(role: Path) -> dict[str, dict[str, Any]]:
    specs = load(role / "meta/argument_specs.yml")["argument_specs"]
    return {name: option for spec in specs.values() for name, option in spec.get("options", {}).items()}


def numbers(options: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """Return name and description of each number, those inside of others, too."""
    found = []
    for name, option in options.items():
        if option.get("type") in ("int", "float"):
            text = option["description"]
            found.append((name, text if isinstance(text, str) else " ".join(text)))
        found += numbers(option.get("options", {}))
    return found


def readme_rows(role: Path) -> dict[str, str]:
    """Rows of the README's variable tables: name -> default as it is written there."""
    rows = re.findall(r"^\| `(kafka_\w+)` \| (.*?) \|", (role / "README.md").read_text(), re.MULTILINE)
    return {name: default.strip() for name, default in rows}


def defaults_of(role: Path) -> dict[str, Any]:
    """Defaults of a role; those of role kafka are two files."""
    return {name: value for path in role.glob("defaults/**/*.yml") for name, value in (load(path) or {}).items()}


@pytest.mark.parametrize("role", ROLES, ids=lambda r: r.name)
def test_defaults_are_those_of_the_spec(role: Path) -> None:
    defaults = defaults_of(role)
    specced = {name: option["default"] for name, option in spec_options(role).items() if "default" in option}
    assert specced == defaults


@pytest.mark.parametrize("role", ROLES, ids=lambda r: r.name)
def test_a_number_has_its_effect_if_it_is_lower_or_higher(role: Path) -> None:
    """Ports and ids have none."""
    silent = {
        name: text
        for name, text in numbers(spec_options(role))
        if not re.search(r"(^|_)(port|id|partition)$", name) and not EFFECT.search(text)
    }
    assert silent == {}


@pytest.mark.parametrize("role", ROLES, ids=lambda r: r.name)
def test_variables_without_default_stand_commented_out(role: Path) -> None:
    text = "".join(path.read_text() for path in role.glob("defaults/**/*.yml"))
    commented = set(re.findall(r"^# (kafka_\w+):", text, re.MULTILINE))
    assert commented == {name for name, option in spec_options(role).items() if "default" not in option}


@pytest.mark.parametrize("role", ROLES, ids=lambda r: r.name)
def test_readme_lists_every_variable_with_its_default(role: Path) -> None:
    def written(option: dict[str, Any]) -> str:
        if option.get("required"):
            return "required"
        if "default" not in option:
            return "unset"
        text = yaml.safe_dump(option["default"], default_flow_style=True, width=10_000).strip()
        return f"`{text.removesuffix('...').strip().replace('|', chr(92) + '|')}`"

    assert readme_rows(role) == {name: written(option) for name, option in spec_options(role).items()}


@pytest.mark.parametrize("role", ROLES, ids=lambda r: r.name)
def test_every_entry_point_that_others_use_is_specced(role: Path) -> None:
    used = set()
    for path in [
        *ROOT.glob("playbooks/**/*.yml"),
        *ROOT.glob("molecule/**/*.yml"),
        *ROOT.glob("roles/*/tasks/**/*.yml"),
    ]:
        text = path.read_text()
        pattern = rf"name: {role.name}\n(?:\s+tasks_from: (\S+))?"
        used |= {match or "main" for match in re.findall(pattern, text) if not match.startswith('"{{')}
        used |= set(re.findall(r"operation_checks: ([\w/]+)", text)) if role.name == "kafka" else set()
    assert not [u for u in used if u.endswith(".yml")], "tasks_from with .yml skips the argument spec"
    steps = {f"steps/{path.stem}" for path in role.glob("tasks/steps/*.yml")}  # parts of operations: no user calls them
    assert used <= set(load(role / "meta/argument_specs.yml")["argument_specs"]) | steps
    assert {path.stem for path in role.glob("tasks/*.yml")} >= used - steps


def test_roles_that_share_a_variable_give_it_the_same_default() -> None:
    seen: dict[str, tuple[str, Any]] = {}
    for role in ROLES:
        for name, value in defaults_of(role).items():
            other, known = seen.setdefault(name, (role.name, value))
            assert known == value, f"{name}: {other} says {known!r}, {role.name} says {value!r}"


@pytest.mark.parametrize("path", sorted(ROOT.glob("roles/*/tasks/**/*.yml")), ids=lambda p: str(p.relative_to(ROOT)))
def test_task_files_are_short_and_keep_the_house_rules(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 100
    assert not [word for word in FORBIDDEN_IN_TASKS if word in text]


@pytest.mark.parametrize("role", ROLES, ids=lambda r: r.name)
def test_roles_name_no_inventory_group(role: Path) -> None:
    for path in [*role.glob("tasks/**/*.yml"), *role.glob("vars/*.yml"), *role.glob("defaults/**/*.yml")]:
        assert "groups[" not in path.read_text(), f"{path}: hosts come in as parameters"


@pytest.mark.parametrize("role", ROLES, ids=lambda role: str(role.name))
def test_readme_lists_every_entry_point_and_variable(role: Path) -> None:
    specs = yaml.safe_load((role / "meta/argument_specs.yml").read_text())["argument_specs"]
    readme = (role / "README.md").read_text()
    assert readme == render_role_docs.rendered(readme, specs), "run scripts/render_role_docs.py"
    assert not re.search(r"\b(?:C|O|M|V|RV)\(", readme), "Markdown has no such marks, and hides <…> outside of code"


@pytest.mark.parametrize("role", ROLES, ids=lambda role: str(role.name))
def test_every_entry_point_has_its_tasks(role: Path) -> None:
    specs = yaml.safe_load((role / "meta/argument_specs.yml").read_text())["argument_specs"]
    assert [name for name in specs if not (role / f"tasks/{name}.yml").is_file()] == []


def test_a_renewal_gives_kafka_its_certificate_before_any_proxy_could_end_the_run() -> None:
    certificate = load(ROOT / "roles/kafka/tasks/steps/certificate.yml")
    assert certificate[-1]["ansible.builtin.import_tasks"] == "steps/certificate_load.yml"
    [task] = load(ROOT / "roles/kafka_metrics/tasks/steps/reload.yml")
    assert task["kafka_metrics_service"]["state"] == "reloaded"
    assert "'metrics_proxy'" in task["when"]  # what a killed run has left shows in the look alone
    play = load(ROOT / "playbooks/rotate_certificates.yml")[-1]
    [envelope] = [one for one in play["tasks"] if "block" in one]
    used = [role["tasks_from"] for one in envelope["block"] if (role := one.get("ansible.builtin.import_role"))]
    assert used == ["renew", "steps/reload"]


def test_a_certificate_that_waited_for_a_controller_is_loaded_and_not_issued_again() -> None:
    """With ``kafka_renew_all`` another one would be issued, after the TLS proxies have started with the first."""
    task = next(one for one in load(ROOT / "playbooks/tasks/node_after_start.yml") if "deferred" in str(one["when"]))
    step = task["ansible.builtin.include_role"]["tasks_from"]
    states = [one["kafka_certificate"].get("state") for one in load(ROOT / f"roles/kafka/tasks/{step}.yml")]
    assert states == ["loaded"]


@pytest.mark.parametrize("role", ROLES, ids=lambda role: str(role.name))
def test_switches_and_numbers_may_come_as_text_as_a_command_line_gives_them(role: Path) -> None:
    kinds = {name: option.get("type") for name, option in spec_options(role).items()}
    names = [name for name, kind in kinds.items() if kind in ("bool", "int", "float")]
    name = rf"\b(?:{'|'.join(names)})\b" if names else "(?!)"
    before, after = r"(?:\b(?:not|if|and|or)|[<>=*+/,])\s*", r"\s*(?:[<>*+/]|[=!]=|\b(?:or|and)\b)"
    bare = re.compile(rf"{before}{name}(?!\s*\|)|{name}{after}|when: {name}$")
    files = [*role.glob("tasks/**/*.yml"), *role.glob("vars/*.yml")]
    lines = [line.strip() for path in files for line in path.read_text().splitlines()]
    assert [line for line in lines if bare.search(line) and not line.startswith("#")] == []


def test_a_node_that_leaves_keeps_no_service_of_ours() -> None:
    play = next(each for each in load(ROOT / "playbooks/remove_nodes.yml") if each.get("name") == "Remove nodes")
    [envelope] = [one for one in play["tasks"] if "always" in one]
    [services] = [one["block"] for one in envelope["block"] if "block" in one]
    roles = [task["ansible.builtin.include_role"] for task in services]
    first = [load(ROOT / f"roles/{role['name']}/tasks/{role['tasks_from']}.yml")[0] for role in roles]
    removes = [task.get("kafka_metrics_service", task.get("kafka_mirror")) for task in first]
    assert removes[0]["state"] == "absent"
    assert [one["name"] for one in removes[1:]] == ["proxy", "collector"]  # without settings they remove what they find
    assert not any("settings" in one for one in removes)


def test_what_inspects_a_host_ends_by_itself() -> None:
    """A host that holds a module for ever must not hold the run; see ADR 72."""
    tasks = [task for path in ROOT.glob("roles/*/tasks/**/*.yml") for task in load(path) or ()]
    tried = [task["kafka_attempt"]["module"] if "kafka_attempt" in task else "" for task in tasks]
    long = {"kafka_host_info", "kafka_support_bundle"}
    inspecting = [task for task, each in zip(tasks, tried) if "kafka_host_info" in task or each in long]
    assert len(inspecting) > 3
    assert [task["name"] for task in inspecting if not task.get("timeout")] == []


def test_no_task_starts_java() -> None:
    """Java is started by units and modules alone, never as root; see ADR 17."""
    files = (*ROOT.glob("roles/*/tasks/**/*.yml"), *ROOT.glob("playbooks/**/*.yml"))
    text = "".join(path.read_text() for path in files)
    assert re.findall(r"^.*(?:bin/java\b|bin/kafka-|[\[ ]java,).*$", text, re.MULTILINE) == []


def test_java_of_a_host_is_never_started_as_root() -> None:
    """Each place in the code of modules that starts it, with the account. A new place needs a line here."""
    ways = (r"run\(\[.*real", r"\(.*params\[\"java\"\], \"-version", r"tool_command\(", "jcmd", "jstack")
    starts = re.compile(rf"^.*(?:{'|'.join(ways)}).*$", re.MULTILINE)
    found = {
        (path.name, line.strip())
        for path in (ROOT / "module_utils/kraft/node").rglob("*.py")
        for line in starts.findall(path.read_text())
        if not line.startswith("def ")
    }
    as_whom = {name: [user for user in ("AS_NOBODY", 'params["user"]') if user in line] for name, line in found}
    assert as_whom == {"java.py": ["AS_NOBODY"], "support.py": ["AS_NOBODY"], "apply.py": ['params["user"]']}
    assert "User=nobody" in appcds_archive_io.UNIT_PROPERTIES


def test_a_node_that_has_left_keeps_no_key_and_no_password() -> None:
    tasks = yaml.safe_load((ROOT / "roles/kafka/tasks/steps/remove.yml").read_text())
    names = [task["name"] for task in tasks]
    [deletes] = [task for task in tasks if task.get("kafka_node", {}).get("state") == "left"]
    assert names.index(deletes["name"]) > names.index("Unregister the removed nodes")
