"""Values of a matrix that ``make test`` leaves out: one that it takes shows the essential part."""

from __future__ import annotations

from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def later(*values: Any) -> list[ParameterSet]:
    """Return the values (tuples for several parameters) as ``make test-long`` takes them."""
    return [pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.later) for one in values]
