from collections.abc import Mapping
from typing import Any

CLIARGS: Mapping[str, Any]
