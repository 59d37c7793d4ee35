"""Settings for every unit test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def quick_keys() -> Iterator[None]:
    """Keys are sealed with few rounds: the tests open them hundreds of times."""
    from ansible.module_utils.kraft.control import sealed_key  # noqa: PLC0415 - after the path is set

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealed_key, "ROUNDS", 3000)
        yield
