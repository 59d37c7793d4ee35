"""Values that several hosts share are shown once."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.control.merged_diffs import joined


def diff(before: str, after: str, header: str = "/etc/a") -> dict[str, Any]:
    return {"before_header": header, "after_header": header, "before": before, "after": after}


@pytest.mark.parametrize(
    ("of_hosts", "shown"),
    [
        pytest.param(
            {"k1": ("a\n", "b\n"), "k2": ("a\n", "b\n")}, [("/etc/a on k1, k2", "a\n", "b\n")], id="equal changes"
        ),
        pytest.param(
            {"k1": ("", "id=1\nx=1\ny=1\n"), "k2": ("", "id=2\nx=1\ny=1\n"), "k3": ("", "id=3\nx=1\ny=1\n")},
            [
                ("/etc/a on k1, k2, k3", "", "x=1\ny=1\n"),
                ("/etc/a on k1", "", "id=1\n"),
                ("/etc/a on k2", "", "id=2\n"),
                ("/etc/a on k3", "", "id=3\n"),
            ],
            id="a new file with a line of each host's own",
        ),
        pytest.param(
            {"k1": ("", "x\n"), "k2": ("old\n", "x\n")},
            [("/etc/a on k1", "", "x\n"), ("/etc/a on k2", "old\n", "x\n")],
            id="new on one host alone",
        ),
        pytest.param(
            {"k1": ("", "1\nx\n"), "k2": ("", "x\n"), "k3": ("", "1\nx\n")},
            [("/etc/a on k1, k2, k3", "", "x\n"), ("/etc/a on k1, k3", "", "1\n")],
            id="lines that some hosts share",
        ),
        pytest.param(
            {"k1": ("", "1\n"), "k2": ("", "2\n")},
            [("/etc/a on k1", "", "1\n"), ("/etc/a on k2", "", "2\n")],
            id="nothing in common",
        ),
        pytest.param({"k1": ("a\n", "")}, [("/etc/a on k1", "a\n", "")], id="one host"),
    ],
)
def test_equal_lines_are_shown_once(of_hosts: dict[str, tuple[str, str]], shown: list[tuple[str, str, str]]) -> None:
    found = joined((host, diff(*texts)) for host, texts in of_hosts.items())
    assert [(one["after_header"], one["before"], one["after"]) for one in found] == shown


def test_every_line_of_every_host_is_shown() -> None:
    texts = {f"k{n}": f"id={n}\na\na\n{'b' if n % 2 else 'c'}\n" for n in range(1, 9)}
    found = joined((host, diff("", text)) for host, text in texts.items())
    for host, text in texts.items():
        own = [one["after"] for one in found if host in one["after_header"] or "more" in one["after_header"]]
        assert set(text.splitlines()) <= {line for part in own for line in part.splitlines()}


def test_more_than_one_change_of_a_host_below_one_header_is_kept() -> None:
    found = joined([("k1", diff("", "a\n")), ("k1", diff("", "b\n")), ("k2", diff("", "a\n"))])
    assert [(one["after_header"], one["after"]) for one in found] == [
        ("/etc/a on k1, k2", "a\n"),
        ("/etc/a on k1", "b\n"),
    ]


def test_a_diff_without_texts_is_left_as_it_is() -> None:
    assert joined([("k1", {"prepared": "x"}), ("k2", {"prepared": "x"})]) == [{"prepared": "x"}]
