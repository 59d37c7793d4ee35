"""Values that a node looks up (``${provider:path:key}``): the provider must be there, or Kafka takes the text as it is.

Source: org.apache.kafka.common.config.AbstractConfig.resolveConfigVariables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject
from ansible.module_utils.kraft.wording import named

PROVIDERS = "config.providers"
ASKED = re.compile(r"\$\{([^}:]*):[^}]*\}")
FILES = "org.apache.kafka.common.config.provider.FileConfigProvider"


def providers(subject: Subject) -> Iterator[Problem]:
    """Require a name for every used provider, and a class for every named one."""
    for node in subject.cluster.nodes:
        given = {str(key): (layer.variable, value) for layer in node.layers for key, value in layer.settings.items()}
        variable, listed = given.get(PROVIDERS, ("kafka_config", ""))
        known = [name.strip() for name in value_text(listed).split(",") if name.strip()]
        without = [name for name in known if f"{PROVIDERS}.{name}.class" not in given]
        if without:
            remedy = f"set {PROVIDERS}.{without[0]}.class, such as {FILES}"
            message, where = f"The list names {named(without)}, which has no class", f"{variable}[{PROVIDERS}]"
            yield Problem("provider_class", message, remedy, where, node.host, named(without))
        yield from _asked(node, known)


def _asked(node: Node, known: list[str]) -> Iterator[Problem]:
    for layer in node.layers:
        for key, value in layer.settings.items():
            asked = [] if isinstance(value, dict) else ASKED.findall(value_text(value))
            strange = sorted(set(asked) - set(known))
            if strange:
                message = (
                    f"The value uses {named(strange)}, which is not in {PROVIDERS}: Kafka would use the text literally"
                )
                remedy = f"set {PROVIDERS}: {strange[0]} and {PROVIDERS}.{strange[0]}.class, such as {FILES}"
                yield Problem("provider_unknown", message, remedy, f"{layer.variable}[{key}]", node.host)


RULES = (providers,)
