"""Filters of the rehearsal of an upgrade: thin names for pure functions of ``operations/rehearsal``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.operations.rehearsal import asked, page
from ansible.module_utils.kraft.spec.inventory.releases import release_features


class FilterModule:
    """Filters for the rehearsal."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_rehearsal": kraft_rehearsal,
            "kraft_rehearsal_page": kraft_rehearsal_page,
        }


def kraft_rehearsal(desired: Mapping[str, Any], snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``cluster``, ``features`` and ``known_settings`` for ``kafka_rehearsal``.

    `desired`: ``kafka_desired``; `snapshot`: of ``kafka_cluster_info``, with its quorum.
    """
    version = desired["cluster"]["version"]
    return {
        "cluster": asked.cluster(desired, snapshot),
        "features": release_features(version),
        "known_settings": page.known_settings(version),
    }


def kraft_rehearsal_page(
    result: Mapping[str, Any], desired: Mapping[str, Any], snapshot: Mapping[str, Any], source: str
) -> dict[str, list[str]]:
    """Return the ``lines`` of the page, and the ``refusals`` of the real run.

    `result`: of ``kafka_rehearsal``; `desired`: ``kafka_desired``; `snapshot`: of ``kafka_cluster_info``; `source`:
    the host whose metadata log was copied.
    """
    about = asked.about(result, desired["cluster"], snapshot, source)
    return {"lines": page.page(result, about), "refusals": page.refusals(result, about)}
