"""Unit files of services beside Kafka: their owner, and the message of a failed command to systemd."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node.other_services import unit_files


def test_a_unit_of_another_owner_is_refused_with_its_path_and_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_files, "UNITS", str(tmp_path))
    ours, foreign, absent = map(unit_files.unit_path, ("ours", "foreign", "absent"))
    Path(ours).write_text(f"{unit_files.MARK}; changes made here are lost.\n")
    Path(foreign).write_text("[Service]\n")
    unit_files.refuse_foreign([ours, absent], "Rename it")
    with pytest.raises(RefusedError) as refused:
        unit_files.refuse_foreign([ours, foreign, absent], "Rename it")
    assert refused.value.problems == (f"{foreign}: Kraftwright did not write it. Rename it",)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((1, "", "Unit x.service not found.\n"), "Unit x.service not found."),
        ((124, "", ""), "not done after 30 s; systemd goes on with it"),
        ((4, "", ""), "exit code 4"),
    ],
)
def test_a_command_that_fails_says_why_also_where_systemd_says_nothing(answer: tuple[int, str, str], said: str) -> None:
    with pytest.raises(ToolError) as failed:
        unit_files.systemctl(lambda _: answer, "start", "x")
    assert str(failed.value) == f"systemctl start x: {said}"


def test_a_service_is_behind_where_a_file_that_its_unit_loads_has_another_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_files, "UNITS", str(tmp_path))
    monkeypatch.setattr(unit_files, "CREDENTIALS", str(tmp_path / "credentials"))
    key, gone = tmp_path / "node%1.pem", tmp_path / "gone.pem"
    key.write_text("first")
    lines = unit_files.loading({"node.pem": str(key), "gone.pem": str(gone)})
    assert lines.splitlines()[0] == f"LoadCredential=node.pem:{tmp_path}/node%%1.pem"
    unit = Path(unit_files.unit_path("ours"))
    unit.write_text(f"{unit_files.MARK}\n[Service]\n{lines}")
    assert not unit_files.is_behind("ours")  # it does not run
    copies = Path(unit_files.credentials("ours"))
    copies.mkdir(parents=True)
    for name in ("node.pem", "gone.pem"):
        (copies / name).write_text("first")
    assert not unit_files.is_behind("ours")
    key.write_text("second")
    assert unit_files.is_behind("ours")
    unit.write_text(f"[Service]\n{lines}")
    assert not unit_files.is_behind("ours")  # it is not ours
