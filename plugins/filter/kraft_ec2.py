"""Filters of role kafka_ec2 and its inventory: thin names for functions of ``module_utils/kraft/providers/ec2``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.providers.ec2.account import refusal
from ansible.module_utils.kraft.providers.ec2.disks import data_disks


class FilterModule:
    """Filters for EC2."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_ec2_disks": data_disks,
            "kraft_ec2_refusal": refusal,
        }
