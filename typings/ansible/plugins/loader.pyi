from typing import Any

connection_loader: Any

def init_plugin_loader() -> None: ...
