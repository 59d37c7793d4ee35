from typing import Any

from ansible.utils.display import Display

class CallbackBase:
    disabled: bool
    _display: Display
    _plugin_options: dict[str, Any]
    def __init__(self) -> None: ...
    def get_option(self, option: str) -> Any: ...
