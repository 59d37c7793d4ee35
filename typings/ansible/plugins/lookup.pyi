from typing import Any

class LookupBase:
    _loader: Any
