"""What the modules of all kinds of resources do: connect, run, and say how it went."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.operations.resources.plan import Prune
from ansible.module_utils.kraft.operations.resources.run import Key, KindRun, Made, apply

#: Parameters that all of them have beside their own.
RUN_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "prune": {"type": "bool", "default": False},
    "prune_most": {"type": "int"},
    "timeout": {"type": "int", "default": 30},
}


def carry_out(module: AnsibleModule, made: Made[Key]) -> None:
    """Ends the module, with what was done or with why nothing was."""
    params = module.params
    try:
        with Client(params["client"]) as client:
            prune = Prune(params["prune"], params["prune_most"])
            kind = KindRun(client, made, {**params, "check_mode": module.check_mode}, prune)
            until_answered(lambda: attempt(kind, module.check_mode), params["timeout"])
    except RefusedError as error:
        module.fail_json(msg=str(error), problems=[str(problem) for problem in error.problems])
    except KraftError as error:
        module.fail_json(msg=str(error))
    module.exit_json(**kind.result())


def attempt(kind: KindRun[Any], check_mode: bool) -> None:
    kind.plan()
    if not check_mode:
        apply([kind])
