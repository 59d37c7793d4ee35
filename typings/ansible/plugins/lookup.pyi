from typing import Any

class LookupBase:
    _loader: Any
    _templar: Any
