from typing import Any

class Options:
    def __init__(self, **options: Any) -> None: ...

class Connection:
    options: Any
    _router: Any
    get_python_argv: Any
    get_preamble: Any
    def get_boot_command(self) -> list[str]: ...
