"""Machines on EC2 as amazon.aws finds them, after bounded waiting; or the reason why AWS was not asked."""

from __future__ import annotations

DOCUMENTATION = r"""
name: kraft_ec2
short_description: Machines of a cluster on EC2
description:
  - Finds machines as the inventory plugin C(amazon.aws.aws_ec2) does, with its options and its variables.
  - Waits for seconds, not for minutes, and reports it. If AWS does not answer or refuses, the run ends with the reason
    and the remedy; its hosts are unknown then, not lost.
extends_documentation_fragment:
  - inventory_cache
  - constructed
  - amazon.aws.boto3
  - amazon.aws.common.plugins
  - amazon.aws.region.plugins
  - amazon.aws.assume_role.plugins
options:
  plugin: {description: Name of this plugin., type: str, required: true}
  regions: {description: Regions of the machines., type: list, elements: str, default: []}
  hostnames: {description: 'Sources of a host''s name, the first one first.', type: list, elements: raw, default: []}
  filters: {description: Filters of EC2 that all machines match., type: dict, default: {}}
  include_filters: {description: Further filters., type: list, elements: dict, default: []}
  exclude_filters: {description: Filters of machines that are left out., type: list, elements: dict, default: []}
  hostvars_prefix: {description: Prefix of the variables from AWS., type: str}
  hostvars_suffix: {description: Suffix of the variables from AWS., type: str}
  strict_permissions: {description: End if AWS refuses., type: bool, default: true}
  allow_duplicated_hosts: {description: Use all names of a machine., type: bool, default: false}
  use_contrib_script_compatible_sanitization: {description: Old names of groups., type: bool, default: false}
  use_contrib_script_compatible_ec2_tag_keys: {description: Old variables of tags., type: bool, default: false}
  use_ssm_inventory: {description: 'Query SSM''s inventory, too.', type: bool, default: false}
  route53_enabled: {description: Use names of Route 53., type: bool, default: false}
  route53_hostnames: {description: Suffixes of these names., type: list, elements: str, default: []}
  route53_excluded_zones: {description: Zones that are left out., type: list, elements: str, default: []}
author: [Kraftwright]
"""

EXAMPLES = r"""
plugin: kraft_ec2
regions: [eu-central-1]
filters:
  tag:kraftwright_cluster: orders
hostnames: [tag:kraftwright_host]
hostvars_prefix: ec2_
"""

import time
from pathlib import Path
from typing import Any, NoReturn

import ansible.module_utils
from ansible import constants
from ansible.errors import AnsibleError
from ansible.utils.display import Display
from ansible_collections.amazon.aws.plugins.inventory import aws_ec2

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.providers.ec2 import account, unasked

DISPLAY = Display()
PAUSES = (2, 4, 8)  # seconds between tries, if AWS throttles the calls


class InventoryModule(aws_ec2.InventoryModule):
    """The plugin of amazon.aws with our clients, which give up after seconds."""

    NAME = "kraft_ec2"

    def client(self, service: str, **more: Any) -> Any:
        return super().client(service, config=account.config(unasked.TRIES, unasked.READ), **more)

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        with unasked.announced(lambda line: DISPLAY.display(line, stderr=True), unasked.SILENT):
            self._parse(inventory, loader, path, cache)

    def _parse(self, inventory: Any, loader: Any, path: str, cache: bool) -> None:
        for pause in (*PAUSES, 0):
            try:
                super().parse(inventory, loader, path, cache=cache)
            except Exception as error:
                if pause and unasked.is_throttled(error):
                    time.sleep(pause)
                    continue
                end(unasked.refusal(error, path, self._region()))
            return

    def _region(self) -> str:
        """Return the regions for a message; an unreadable file has none."""
        try:
            return ", ".join(map(str, self.get_option("regions") or ()))
        except (AttributeError, KeyError):
            return ""


def end(said: str) -> NoReturn:
    """End the run: an error would have Ansible try its other plugins, and report theirs. Some runs go on without."""
    if not constants.INVENTORY_ANY_UNPARSED_IS_FAILED:
        raise AnsibleError(said)
    DISPLAY.error(said)
    raise SystemExit(1)
