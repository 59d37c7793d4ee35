"""Security advisories of Kafka, as data, and which of them a release is open to."""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache

import yaml
from ansible.module_utils.kraft.spec.inventory.definitions import DATA

Version = tuple[int, int, int]
RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)")


@dataclasses.dataclass(frozen=True)
class Advisory:
    """``fixed``: the first repaired release of each line (``4.2``), the oldest line first."""

    identifier: str
    effect: str
    reach: str
    fixed: tuple[Version, ...]

    def affects(self, release: str) -> bool:
        """Whether `release` is open to it: older than the repair of its line, or of a line that has none.

        Lines after the newest repaired one are repaired. A candidate (``4.4.0-rc1``) is older than its release. Text
        that is no release is not affected.
        """
        found = number(release)
        if found is None or found[:2] > self.fixed[-1][:2]:
            return False
        candidate = "-" in release
        return not any(found[:2] == one[:2] and (found, not candidate) >= (one, True) for one in self.fixed)

    @property
    def remedy(self) -> str:
        return "upgrade to " + " or ".join(".".join(map(str, one)) for one in reversed(self.fixed))


def number(release: str) -> Version | None:
    """``4.3.1`` as numbers; None for other text."""
    found = RELEASE.match(release)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


@lru_cache(maxsize=1)
def known() -> tuple[Advisory, ...]:
    """All advisories of the data."""
    listed = yaml.safe_load((DATA / "advisories.yml").read_text(encoding="utf-8"))["advisories"]
    return tuple(_advisory(identifier, **entry) for identifier, entry in listed.items())


def _advisory(identifier: str, effect: str, reach: str, fixed: list[str], **_: object) -> Advisory:
    numbers = sorted(found for found in map(number, fixed) if found)
    return Advisory(identifier, effect, reach, tuple(numbers))
