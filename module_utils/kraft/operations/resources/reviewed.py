"""Topics, users, ACLs, quotas and users' certificates as a part of a plan that is reviewed. Pure.

The value is JSON, without a secret. It has the values and topic ids that the steps replace: if others change these, it
is another plan. A password is there as a salted digest: another one is another plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.node.files.secret_digest import secret_digest
from ansible.module_utils.kraft.operations.resources import predicted
from ansible.module_utils.kraft.operations.resources.user_admin import Credential
from ansible.module_utils.kraft.operations.topics import report as topic_report
from ansible.module_utils.kraft.problem import Problem

#: The cluster answered; it is not deployed yet. Else no node runs, so nothing was compared.
RUNNING, NEW = "running", "new"
#: Kinds of work in a plan, beside the digests of passwords.
WORK = ("topics", "access", "generated_passwords", "certificates")
DECLARED = ("topics", "users", "acls", "quotas")
Json = dict[str, Any]


def resources_plan(given: Mapping[str, Any], salt: str) -> Json:
    """`given`: ``found``, ``result`` of ``kafka_resources`` in check mode, ``generated`` and ``certificates`` (steps of

    ``kafka_credentials``), and the entries that are declared. `salt`: cluster id.
    """
    entries = {kind: given.get(kind) or [] for kind in DECLARED}
    result, found = given.get("result") or {}, given["found"]
    changed = [each for each in result.get("topics") or () if each["steps"]]
    topics = {each["name"]: list(each["steps"]) for each in changed}
    ids = {each["name"]: each["topic_id"] for each in changed if each["topic_id"]}
    access = list(result.get("steps") or ())
    if found == NEW:
        ids = {}
        topics = {each["name"]: _declared(each) for each in entries["topics"] if each.get("state") != predicted.ABSENT}
        access = predicted.steps([], entries["users"], entries["acls"], entries["quotas"])
    return {
        "found": found,
        "topics": dict(sorted(topics.items())),
        "topic_ids": dict(sorted(ids.items())),
        "access": sorted(access),
        "passwords": dict(sorted(_digests(entries["users"], access, salt))),
        "generated_passwords": sorted(given.get("generated") or ()),
        "certificates": sorted(given.get("certificates") or ()),
    }


def _declared(topic: Mapping[str, Any]) -> list[str]:
    """Describe a topic of a cluster that is still to be deployed."""
    parts = {key: topic[key] for key in ("partitions", "replication_factor") if topic.get(key) is not None}
    settings = dict(sorted((topic.get("config") or {}).items()))
    return [
        topic_report.CREATE,
        *(f"{key} {value}" for key, value in parts.items()),
        *(f"set {k} = {v}" for k, v in settings.items()),
    ]


def _digests(users: list[Mapping[str, Any]], access: list[str], salt: str) -> Iterator[tuple[str, str]]:
    """Yield name and digest of each password that is set."""
    for user in users:
        name = str(Credential(user["name"], user["mechanism"]))
        if user.get("password") and {f"add {name}", f"set {name}"} & set(access):
            yield name, secret_digest(user["password"], salt, whole=True)


def is_new(steps: Sequence[str]) -> bool:
    """Check whether the steps of a topic create it."""
    return steps[0].startswith(topic_report.CREATE)


def works(plan: Mapping[str, Any]) -> bool:
    """Check whether the plan changes resources."""
    return any(plan.get(kind) for kind in WORK)


def beyond(approved: Mapping[str, Any], fresh: Mapping[str, Any]) -> list[Problem]:
    """Return steps of `fresh` beside the additions that were approved before there was a cluster.

    A topic that exists by now, and differs, was not reviewed. Neither was a quota with another value.
    """
    known = {*approved["access"], *(each.replace("add ", "set ", 1) for each in approved["access"])}
    topics = {
        name: steps for name, steps in fresh["topics"].items() if name not in approved["topics"] or not is_new(steps)
    }
    more = [*(f"topic {name}: {step}" for name, steps in topics.items() for step in steps)]
    more += [each for each in fresh["access"] if each not in known]
    return [Problem("plan_moved", f"approved: nothing; now: {each}", "", "resources") for each in more]
