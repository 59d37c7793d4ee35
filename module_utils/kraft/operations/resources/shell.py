"""Shared parts of the modules of resources: connect, run, and report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.resources.plan import Prune
from ansible.module_utils.kraft.operations.resources.run import Key, KindRun, Made, Resources

#: Parameters of a module of one kind beside its own.
RUN_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "prune": {"type": "bool", "default": False},
    "prune_most": {"type": "int"},
    "timeout": {"type": "int", "default": 30},
}


def carry_out(
    module: KraftModule, made: Callable[[Client], Resources], result: Callable[[Resources], dict[str, Any]]
) -> None:
    """End the module, with the changes or with the reason for none.

    The arguments are not returned: Ansible would search each value of them for the password of each user.
    """
    try:
        with Client(module.params["client"], warn=module.warn) as client:
            resources = made(client)
            until_answered(lambda: resources.attempt(module.check_mode), module.params["timeout"])
    except RefusedError as error:
        module.fail_json(msg=str(error), problems=[str(problem) for problem in error.problems], invocation={})
    except KraftError as error:
        module.fail_json(msg=str(error), invocation={})
    module.exit_json(**result(resources), invocation={})


def carry_out_kind(module: KraftModule, made: Made[Key]) -> None:
    """Do the same for a module of one kind."""
    params = {**module.params, "check_mode": module.check_mode}
    prune = Prune(params["prune"], params["prune_most"])
    carry_out(
        module,
        lambda client: Resources(kinds=[KindRun(client, made, params, prune)]),
        lambda resources: resources.kinds[0].result(),
    )
