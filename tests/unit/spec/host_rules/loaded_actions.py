"""Action plugins as a test loads and calls them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[4]


def plugin(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "plugins" / "action" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def action(module: ModuleType, check_mode: bool = False, **arguments: Any) -> Any:
    task = SimpleNamespace(args=arguments, check_mode=check_mode, async_val=0, diff=False)
    connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None), has_pipelining=True)
    return module.ActionModule(task, connection, SimpleNamespace(), None, None, None)
