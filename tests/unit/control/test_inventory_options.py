"""A suggested command keeps what the run was given to read its inventory."""

from __future__ import annotations

from typing import Any

import pytest
from ansible import constants, context
from ansible.module_utils.kraft.control.inventory_options import inventory_options


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({}, ""),
        ({"inventory": constants.DEFAULT_HOST_LIST, "remote_user": constants.DEFAULT_REMOTE_USER}, ""),
        ({"inventory": ["inventories/mine"]}, "-i inventories/mine"),
        ({"inventory": ["a b/mine", "x"]}, "-i 'a b/mine' -i x"),
        (
            {"inventory": ["mine"], "vault_password_files": ["~/.vault"], "become_ask_pass": True},
            "-i mine --vault-password-file ~/.vault --ask-become-pass",
        ),
        ({"vault_ids": ["prod@prompt"], "ask_vault_pass": True}, "--vault-id prod@prompt --ask-vault-pass"),
        ({"extra_vars": ("@secrets.yml", "kafka_restart_nodes=[a]"), "remote_user": "ops"}, "-u ops -e @secrets.yml"),
    ],
)
def test_what_a_run_was_given_to_read_its_inventory_is_kept(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], options: str
) -> None:
    monkeypatch.setattr(context, "CLIARGS", given)
    assert inventory_options() == options
