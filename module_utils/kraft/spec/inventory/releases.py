"""Levels of features that a release of Kafka stands for, as its own ``kafka-storage version-mapping`` gives them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.spec.inventory.definitions import DATA, versions

#: Never raised along with the others: it turns a static quorum into a dynamic one, and there is no way back.
NOT_WITH_A_RELEASE = frozenset({"kraft.version"})


def release_features(release: str) -> dict[str, int]:
    """Return feature -> level to finalise for `release` (``4.3`` or ``4.3.1``), without features that are off.

    Raises RefusedError for a release that is not known.
    """
    found = re.match(r"\d+\.\d+", str(release))
    known = levels()
    if found is None or found.group() not in known:
        raise RefusedError([f"kafka_finalize: {release!r} is no release that is known ({', '.join(known)})"])
    wanted = known[found.group()]
    return {name: level for name, level in wanted.items() if level > 0 and name not in NOT_WITH_A_RELEASE}


@lru_cache(maxsize=1)
def levels() -> Mapping[str, Mapping[str, int]]:
    """Return release -> feature -> level, from the newest definitions, which cover the older releases too."""
    found: dict[str, dict[str, int]] = json.loads((DATA / f"kafka_{versions()[-1]}.json").read_text())["releases"]
    return found
