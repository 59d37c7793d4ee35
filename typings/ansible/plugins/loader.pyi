from typing import Any

connection_loader: Any
filter_loader: Any
lookup_loader: Any
module_loader: Any
module_utils_loader: Any
test_loader: Any

def init_plugin_loader() -> None: ...
