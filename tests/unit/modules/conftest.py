"""Runs a module as Ansible would, in this process: parameters in, its JSON out."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.testing import patch_module_args

from tests.unit.modules.module_runner import Result, RunModule
from tests.unit.modules.node_host import Host, played


@pytest.fixture
def run_module(capsys: pytest.CaptureFixture[str]) -> RunModule:
    def run(name: str, check_mode: bool = False, **params: Any) -> Result:
        given = {"_ansible_no_log": False, "_ansible_check_mode": check_mode}  # as Ansible hands over, task by task
        with patch_module_args({**params, **given}), pytest.raises(SystemExit):
            importlib.import_module(name).main()
        result: Result = json.loads(capsys.readouterr().out)
        return result

    return run


@pytest.fixture
def host(tmp_path: Path, run_module: RunModule, monkeypatch: pytest.MonkeyPatch) -> Host:
    """An installed node without a process."""
    return played(tmp_path, run_module, monkeypatch)
