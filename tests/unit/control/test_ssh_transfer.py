"""Where the archive waits on a host; that it gets there is what every molecule scenario shows."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.control.ssh_transfer import directory_for


@pytest.mark.parametrize(
    ("host", "directory"),
    [("kraft1", ".kraftwright-kraft1"), ("10.0.0.1", ".kraftwright-10.0.0.1"), ("a b;rm/..", ".kraftwright-a_b_rm_..")],
)
def test_each_host_has_a_directory_whose_name_a_shell_takes_as_it_is(host: str, directory: str) -> None:
    assert directory_for(host) == directory
