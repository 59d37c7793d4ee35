"""Makes what a plan for EC2 lacks: under the lock, step by step, with a look after each step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from ansible.module_utils.kraft.problem import errors
from ansible.module_utils.kraft.providers.ec2 import checks, key_lock, machines, network
from ansible.module_utils.kraft.providers.ec2.account import AccountError, explained
from ansible.module_utils.kraft.providers.ec2.answers import Question
from ansible.module_utils.kraft.providers.ec2.describe import plan_lines
from ansible.module_utils.kraft.providers.ec2.model import Current, Desired
from ansible.module_utils.kraft.providers.ec2.network import as_tags
from ansible.module_utils.kraft.providers.ec2.observe import observe
from ansible.module_utils.kraft.providers.ec2.plan import NodePlan, Plan, plan
from ansible.module_utils.kraft.providers.ec2.waiting import Aws, NotShownError

AT_ONCE = 8  # hosts that are worked on side by side


@contextmanager
def locked(aws: Aws, wanted: Desired, ours: key_lock.Record, break_run: str) -> Iterator[key_lock.Record | None]:
    """Hold the cluster's lock in AWS; yield the holder if that is another run."""
    key_id = key_lock.acquire(aws, wanted.cluster, wanted.own_tags, ours, break_run)
    if not isinstance(key_id, str):
        yield key_id
        return
    try:
        yield None
    except Exception:
        with suppress(Exception):  # what went wrong before is what must be said
            key_lock.release(aws, key_id)
        raise
    key_lock.release(aws, key_id)


def apply(aws: Aws, wanted: Desired, question: Question) -> Current:
    """Return the state after everything is made; raises AccountError with the problems. The lock is held."""
    found = _sound(wanted, observe(aws.client, aws.ssm, question))
    made = plan(wanted, found)
    if made.network:
        network.build(aws, wanted, found, made)
        found = _settled(aws, wanted, question, lambda each: not each.network)
        made = plan(wanted, _sound(wanted, found))
    if not made.work:
        return found
    _nodes(aws, wanted, found, made)
    for resource, tags in made.tags.items():
        aws.call("create_tags", resource, Resources=[resource], Tags=as_tags(tags))
    return _settled(aws, wanted, question, lambda each: not (each.network or each.work))


def _sound(wanted: Desired, found: Current) -> Current:
    """Return the state if it is sound: another run may have changed it since the plan was shown."""
    if wrong := errors(checks.against(wanted, found)):
        raise AccountError("; ".join(map(str, wrong)))
    return found


def _settled(aws: Aws, wanted: Desired, question: Question, done: Callable[[Plan], bool]) -> Current:
    """Return the state once AWS shows that nothing is missing; raises NotShownError with the missing things."""
    left: list[str] = []

    def read_current() -> Current | None:
        found = observe(aws.client, aws.ssm, question)
        made = plan(wanted, found)
        left[:] = plan_lines(wanted, found, made)
        return found if done(dataclasses.replace(made, reword=())) else None  # descriptions hold up nothing

    try:
        return aws.shown("", read_current)
    except NotShownError:
        raise NotShownError("; ".join(left)) from None


def _nodes(aws: Aws, wanted: Desired, found: Current, made: Plan) -> None:
    """Work on all hosts side by side. A failed one lets the others finish their steps."""
    busy = [each for each in made.nodes.values() if each.work]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(_node, aws, wanted, found, each, made.group_id) for each in busy]
        wrong = list(dict.fromkeys(filter(None, (each.result() for each in running))))
    if wrong:
        raise AccountError("\n".join(wrong))


def _node(aws: Aws, wanted: Desired, found: Current, node: NodePlan, group_id: str) -> str:
    """Work on one host; return why it is incomplete; empty if it is not."""
    try:
        machines.build(aws, wanted, found, node, group_id)
    except Exception as error:
        host, said = node.wanted.host, str(explained(error, aws.region))
        return said if host in said else f"{host}: {said}"
    return ""
