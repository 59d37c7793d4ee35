#!/usr/bin/python
"""The services of a host that publish metrics: they run with the desired settings, or are removed."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_metrics_service
short_description: Runs the collector, or TLS proxies in front of exporters, as services of a host (internal)
description:
  - Without settings it stops the services and removes what it wrote. It refuses a unit that this module did not write.
options:
  name:
    description:
      - V(collector) is the collector and node_exporter. Writes the collector's program, settings and unit, and the unit
        of node_exporter, and restarts those that differ. The program is this module's own code and queries Kafka
        through the same client. The log shipper of earlier versions (C(kafka-logs), C(kafka-logs-proxy)) is stopped and
        removed.
      - V(proxy) is a TLS proxy for each exporter. Writes its configuration and unit, of stunnel, and starts it. It
        shows the node's certificate, and lets in only the named user with a certificate of the authority for clients.
        It starts with its exporter, and only while that listens on loopback.
    type: str
    choices: [collector, proxy]
    required: true
  settings:
    description: C(collector) or C(metrics_proxy) of the node in the fact C(kafka_desired); empty if it has none.
    type: dict
    default: {}
  state:
    description: >-
      V(present) brings files and services to the desired state. For proxies only, V(reloaded) restarts those that run
      and show another certificate, and V(answering) changes nothing, and waits until each proxy answers that is set up
      and whose exporter has made room.
    type: str
    choices: [present, reloaded, answering]
    default: present
  install_dir:
    description: Kafka's installation directory.
    type: path
    default: /opt/kafka
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Run the collector of the groups' lag
  kafka_metrics_service:
    name: collector
    settings: "{{ collector_settings }}"

- name: Reload the certificate of the TLS proxies
  kafka_metrics_service:
    name: proxy
    settings: "{{ proxy_settings }}"
    state: reloaded
"""

RETURN = r"""
changed:
  description: True if anything differed.
  returned: success
  type: bool
"""

from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.monitoring import collector as _  # noqa: F401 - is a part of the program
from ansible.module_utils.kraft.node.other_services import collector_service, metrics_proxy

ARGUMENT_SPEC: dict[str, Any] = {
    "name": {"type": "str", "choices": ["collector", "proxy"], "required": True},
    "settings": {"type": "dict", "default": {}},
    "state": {"type": "str", "choices": ["present", "reloaded", "answering"], "default": "present"},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
}


def ensure(module: KraftModule) -> bool:
    run, given, check_mode = module.run_command, module.params, module.check_mode
    settings, install_dir = given["settings"], given["install_dir"]
    if given["name"] == "collector":
        return collector_service.ensure(run, settings, install_dir, check_mode=check_mode)
    if given["state"] == "present":
        return metrics_proxy.ensure(run, settings, install_dir, check_mode=check_mode)
    if given["state"] == "reloaded":
        return metrics_proxy.reload(run, settings, check_mode=check_mode)
    if not check_mode:
        metrics_proxy.await_answers(run, settings)
    return False


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        changed = ensure(module)
    except (KraftError, OSError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=changed)


if __name__ == "__main__":
    main()
