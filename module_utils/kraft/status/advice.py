"""Next steps for each cause: commands as they are typed. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.status.obstacles import LOOK, Obstacle


@dataclasses.dataclass(frozen=True)
class Step:
    """A command and what it is for."""

    command: str
    purpose: str


LOG = "journalctl --unit kafka --lines 50 --no-pager"
STATUS = ("playbook", "playbooks/cluster_status.yml")
DEPLOY = ("playbook", "playbooks/deploy_cluster.yml")
#: Rule -> (kind, text, purpose). ``on``: a command on the hosts; ``module``: a module on them; ``playbook``: one for
#: the whole cluster; ``named``: one with a variable that takes the first host's name; ``names``: all of their names
#: with commas; ``list``: the same as a list.
STEPS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "foreign_host": ((*STATUS, "look again, after you took it out of the group or corrected its ansible_host"),),
    "no_host": (
        (*STATUS, "look again, with the right inventory"),
        ("module", "ansible.builtin.ping", "see why no host answers"),
    ),
    "host_down": (
        ("module", "ansible.builtin.ping", "see whether it answers again; start the machine if not"),
        ("named", "playbooks/replace_node.yml kafka_replace_node", "only if machine or disk is lost"),
    ),
    "leaving": (("names", "playbooks/remove_nodes.yml kafka_remove_nodes", "finish the removal"),),
    "joining": (("names", "playbooks/add_nodes.yml kafka_add_nodes", "make it a member"),),
    "taken_out": (
        (*STATUS, "look again, after you removed it from the inventory"),
        ("names", "playbooks/add_nodes.yml kafka_add_nodes", "only if it is to be a member again"),
    ),
    "migrating": (("playbook", "playbooks/migrate_security.yml", "go on with the migration"),),
    "migrating_quorum": (
        (
            "playbook",
            """playbooks/migrate_quorum.yml -e '{"kafka_accepted_risks": ["quorum_form"]}'""",
            "finish the migration of the quorum",
        ),
    ),
    "throttle_left": (("playbook", "playbooks/rebalance.yml", "finish the moves, and remove the limit"),),
    "disk_throttle_left": (
        (
            "playbook",
            "playbooks/balance_disks.yml",
            "with the variables of the killed run: finish the moves, and remove the limit",
        ),
    ),
    "emptied": (
        ("on", "findmnt --df", "see whether its data disks are mounted; if not, mount them"),
        ("named", "playbooks/replace_node.yml kafka_replace_node", "if they are empty, build the node again"),
    ),
    "not_deployed": (("playbook", "site.yml", "deploy it"),),
    "not_running": (
        ("on", LOG, "see why it does not run"),
        (*DEPLOY, "start it"),
    ),
    "process_stopped": (("on", "systemctl kill --signal=CONT kafka", "let the process run on"),),
    "not_answering": (
        ("on", LOG, "see what it does"),
        ("list", "playbooks/restart_cluster.yml kafka_restart_nodes", "restart it through the shutdown check"),
    ),
    "cut_off": (
        ("on", "nft list ruleset", "look for a filter that drops Kafka's ports; on EC2: playbooks/audit_exposure.yml"),
        (*STATUS, "look again"),
    ),
    "log_dir_offline": (
        ("on", "dmesg --level=err,warn", "see what the kernel says of the disk"),
        ("named", "playbooks/replace_node.yml kafka_replace_node", "once it has a new, empty disk"),
    ),
    "no_leader": (
        (*STATUS, "look again: an election ends within seconds"),
        ("on", LOG, "see what the controllers say"),
    ),
    "out_of_date": (("on", LOG, "see why it does not follow"), (*STATUS, "look again")),
    "not_registered": (("on", LOG, "see why it does not join"), (*STATUS, "look again")),
    "fenced": (("on", LOG, "see whether it still starts, or why it is not let in"), (*STATUS, "look again")),
    "not_voter": (("on", LOG, "see what it says"), (*DEPLOY, "make it a voter")),
    "behind": (("on", LOG, "see why it does not keep up"), (*STATUS, "look again")),
    "replica_behind": (("on", LOG, "see why it does not keep up"), (*STATUS, "look again: replicas may be filling")),
    "moving": ((*STATUS, "look again"), ("playbook", "playbooks/rebalance.yml --check", "see what is left to move")),
    "host_unreachable": (("module", "ansible.builtin.ping", "see why ssh is refused"),),
    "other": ((*STATUS, "look again"),),
}


def steps(rule: str, hosts: Sequence[str], inventory: str = "") -> tuple[Step, ...]:
    """Return the commands, first things first. `inventory`: the options that name it (``-i inventories/mine``)."""
    return tuple(
        Step(_command(kind, text, hosts, inventory), purpose)
        for kind, text, purpose in STEPS[rule]
        if hosts or kind == "playbook"
    )


def correct(nodes: bool, live: bool, inventory: str = "") -> tuple[Step, ...]:
    """Return the command that shows what corrects the drift of `nodes`, and that of settings that were set `live`."""
    if not nodes and not live:
        return ()
    option = " -e kafka_correct_drift=true" if live else ""
    words = ("ansible-playbook", inventory, f"site.yml --check --diff{option}")
    return (Step(" ".join(filter(None, words)), "see what a deployment corrects; without --check it does"),)


def remove_obstacles(found: Sequence[Obstacle], hosts: Sequence[str], inventory: str = "") -> tuple[Step, ...]:
    """Return the steps before a node can start: inspect the obstacle, and apply preflight's remedy."""
    return tuple(Step(_command("on", LOOK[one.rule].format(one.path), hosts, inventory), one.remedy) for one in found)


def _command(kind: str, text: str, hosts: Sequence[str], inventory: str) -> str:
    if kind in ("on", "module"):
        words = ["ansible", inventory, ",".join(hosts), f"-b -a '{text}'" if kind == "on" else f"-m {text}"]
    else:
        playbook, _, variable = text.partition(" kafka_")
        words = ["ansible-playbook", inventory, playbook]
        if kind == "named":
            words.append(f"-e kafka_{variable}={hosts[0]}")
        elif kind == "names":
            words.append(f"-e kafka_{variable}={','.join(hosts)}")
        elif kind == "list":
            words.append(f"-e '{json.dumps({f'kafka_{variable}': list(hosts)})}'")
    return " ".join(word for word in words if word)
