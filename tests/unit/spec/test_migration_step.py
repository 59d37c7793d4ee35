"""Each run of the migration ends with its next step."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.spec.desired.migration_step import next_step

RUN = "ansible-playbook -i inventories/mine playbooks/migrate_security.yml"
CLOSE, BACK = f"{RUN} -e kafka_migration_close=true", f"{RUN} -e kafka_migration_back=true"
SITE = "ansible-playbook -i inventories/mine site.yml"


@pytest.mark.parametrize(
    ("passed", "close", "back", "check", "commands"),
    [
        pytest.param((), False, False, False, [CLOSE, BACK], id="opened and switched"),
        pytest.param(("open", "switch"), False, False, False, [CLOSE, BACK], id="again, while clients move"),
        pytest.param((), False, False, True, [RUN], id="shown"),
        pytest.param(("open", "switch"), True, False, True, [CLOSE], id="the end is shown"),
        pytest.param(("open",), False, True, True, [BACK], id="the way back is shown"),
        pytest.param(("open", "switch"), True, False, False, [SITE], id="closed by this run"),
        pytest.param(("open", "switch", "close"), False, False, False, [SITE], id="closed before"),
        pytest.param(("open", "switch", "close"), False, False, True, [SITE], id="closed before, in check mode"),
        pytest.param(("open",), False, True, False, [RUN], id="gone back"),
    ],
)
def test_the_next_step_has_its_command(
    passed: tuple[str, ...], close: bool, back: bool, check: bool, commands: list[str]
) -> None:
    said = next_step(passed, {"name": "blue"}, "-i inventories/mine", {"close": close, "back": back}, check)
    assert [line.partition(": ")[2] for line in said if "ansible-playbook" in line] == commands


def test_files_of_users_are_named_where_clients_move() -> None:
    said = next_step((), {"name": "blue"}, "", {"close": False, "back": False}, check=False)
    assert any(".kraftwright/blue/clients" in line for line in said)
