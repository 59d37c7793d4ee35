"""kafka_client_files: what a user's directory holds in the end."""

from __future__ import annotations

from pathlib import Path

from plugins.action.kafka_client_files import left_behind


def test_files_of_a_listener_that_is_gone_are_left_behind(tmp_path: Path) -> None:
    for name in (
        "ann/OLD.properties",
        "ann/OLD.kcat.conf",
        "ann/NEW.properties",
        "ann/notes.txt",
        "bob/OLD.properties",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "OLD.properties").touch()
    names = ["ann/NEW.properties", "ann/NEW.kcat.conf", "cid/NEW.properties"]
    assert left_behind(tmp_path, names) == {"ann/OLD.kcat.conf": None, "ann/OLD.properties": None}
