"""The end of a deployment: compare the inputs of the running process with the deployed ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.difference import Difference
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.service.apply import observe_node
from ansible.module_utils.kraft.node.service.difference_text import sentences
from ansible.module_utils.kraft.node.service.staging import NEXT, Place, listed
from ansible.module_utils.kraft.node.service.unit_state import Run
from ansible.module_utils.kraft.problem import Problem

RULE = "older_configuration"
REMEDY = "run playbooks/deploy_cluster.yml, which restarts the node"
#: The ``deployed`` parameter of a module.
DEPLOYED_SPEC: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "install_dir": {"type": "path", "required": True},
    "release": {"type": "str", "required": True},
    "settled": {"type": "list", "elements": "str", "default": []},
}


class OlderConfigurationError(KraftError):
    """A process was started with other inputs than the deployed ones; without `differences`, it is gone."""

    def __init__(self, host: str, differences: Sequence[Difference]) -> None:
        self.differences = tuple(differences)
        runs = f"Kafka runs with an older configuration ({'; '.join(sentences(differences))})"
        super().__init__(str(Problem(RULE, runs if differences else "Kafka stopped again", REMEDY, host=host)))


def require_deployed(run: Run, unit: str, deployed: Mapping[str, Any]) -> None:
    """Compare the running process with the files of the next start. `deployed`: as of DEPLOYED_SPEC.

    A `settled` setting was changed live, so the process may have started with another value. Raises
    OlderConfigurationError.
    """
    install_dir = deployed["install_dir"]
    place = Place(unit, install_dir, deployed["release"], NEXT, listed(f"{install_dir}/{NEXT}"))
    found = observe_node(run, place, {})
    older = [one for one in found.differences if one.setting not in deployed["settled"]]
    if older or not found.service.pid:
        raise OlderConfigurationError(deployed["host"], older)
