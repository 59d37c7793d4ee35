"""The next step of a migration to secured listeners, with its command. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ansible.module_utils.kraft.spec.desired.model import CLOSE

PLAYBOOK = "playbooks/migrate_security.yml"


def next_step(
    passed: Collection[str], cluster: Mapping[str, object], options: str, way: Mapping[str, bool], check: bool
) -> list[str]:
    """Return lines for the end of a run.

    `passed`: phases that were behind every node when the last step of the run began. `options`: those that name the
    inventory. `way`: ``close`` and ``back``, as the run was asked.
    """

    def command(*words: str) -> str:
        return " ".join(filter(None, ("ansible-playbook", options, *words)))

    if CLOSE in passed or (way["close"] and not way["back"] and not check):
        return ["The migration is over: the old listeners are closed.", f"Prove it: {command('site.yml')}"]
    if check:
        asked = [f"-e kafka_migration_{name}=true" for name, given in way.items() if given]
        return [f"Take the step that was shown: {command(PLAYBOOK, *asked)}"]
    if way["back"]:
        return ["Nodes use the old listeners again.", f"To begin again: {command(PLAYBOOK)}"]
    files = f".kraftwright/{cluster['name']}/clients"
    return [
        f"Move the clients now, one after the other. The files of each user are in {files}.",
        f"Then close the old listeners: {command(PLAYBOOK, '-e kafka_migration_close=true')}",
        f"To go back instead: {command(PLAYBOOK, '-e kafka_migration_back=true')}",
    ]
