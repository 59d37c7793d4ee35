#!/usr/bin/python
"""The TLS proxies in front of a host's exporters: they run with what is wanted, or are gone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_metrics_proxy
short_description: Runs TLS proxies in front of a node's exporters (internal)
description:
  - Writes configuration and unit of stunnel for each exporter, and starts them. They show the node's certificate,
    and let in only who shows one of the authority for clients and is the named user.
  - A proxy starts with its exporter, and only while that listens on loopback.
  - Without proxies it stops them and removes what it wrote. It refuses a unit that this module did not write.
options:
  settings:
    description: C(metrics_proxy) of the node in the fact C(kafka_desired); empty if the node is to have none.
    type: dict
    default: {}
  state:
    description: >-
      V(present) brings files and services to what is wanted. V(reloaded) restarts those that run and show another
      certificate. V(answering) changes nothing, and waits until each proxy answers that is set up and whose
      exporter has made room.
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
- name: Reload the certificate of the TLS proxies
  kafka_metrics_proxy:
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
from ansible.module_utils.kraft.node import metrics_proxy

ARGUMENT_SPEC: dict[str, Any] = {
    "settings": {"type": "dict", "default": {}},
    "state": {"type": "str", "choices": ["present", "reloaded", "answering"], "default": "present"},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
}


def ensure(module: KraftModule) -> bool:
    run, given = module.run_command, module.params
    if given["state"] == "present":
        return metrics_proxy.ensure(run, given["settings"], given["install_dir"], check_mode=module.check_mode)
    if given["state"] == "reloaded":
        return metrics_proxy.reload(run, given["settings"], check_mode=module.check_mode)
    if not module.check_mode:
        metrics_proxy.await_answers(run, given["settings"])
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
