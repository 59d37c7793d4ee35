"""The figures and tables of the benchmarks; the measuring itself is seen only when they run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks import deploy, lab, scale
from benchmarks.figures import Promise, Series, paired, skipped_per_host, table, tasks_per_host
from benchmarks.floor import controllers, properties
from benchmarks.lab import Run
from benchmarks.machine import busy_jiffies, gigabytes, mark, processor


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((), "-"),
        ((11.04,), "11.0 s"),
        ((12.0, 10.0, 11.0), "11.0 s (10.0 to 12.0)"),
        ((1.0, 2.0), "1.5 s (1.0 to 2.0)"),
    ],
)
def test_a_series_is_its_median_and_its_range(values: tuple[float, ...], text: str) -> None:
    assert Series(values).text("s") == text


def test_a_ratio_is_taken_round_by_round() -> None:
    assert paired([20.0, 60.0], [10.0, 20.0]).values == (2.0, 3.0)


@pytest.mark.parametrize(
    ("promise", "value", "verdict"),
    [
        (Promise(1.6), 1.6, "kept"),
        (Promise(1.6), 1.61, "**missed**"),
        (Promise(0.5, at_least=True), 0.5, "kept"),
        (Promise(0.5, at_least=True), 0.42, "**missed**"),
    ],
)
def test_a_missed_promise_stands_out(promise: Promise, value: float, verdict: str) -> None:
    assert promise.verdict(value) == verdict


def test_tasks_count_for_the_host_that_they_ran_on() -> None:
    assert tasks_per_host([{"host": "a"}, {"host": "b"}, {"host": "a"}]) == {"a": 2, "b": 1}


def test_skipped_tasks_are_those_of_the_recap() -> None:
    recap = "k1 : ok=7    changed=0    skipped=12   rescued=0\nk2    : ok=5  changed=0  skipped=9  rescued=0\n"
    assert skipped_per_host(f"TASK [skipped=3 ]\nPLAY RECAP ***\n{recap}") == {"k1": 12, "k2": 9}


def test_the_table_is_markdown() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_a_deployment_is_held_against_the_floor_of_its_own_round() -> None:
    results = {
        "floor": [Run(10, 0, 0), Run(20, 0, 0)],
        "first": [Run(15, 17, 30), Run(30, 17, 30)],
        "re-run": [Run(9, 15, 0, 1.0, 12), Run(9, 15, 0, 1.0, 11)],
    }
    floor, first, again = deploy.rows(results)
    assert floor[:3] == ["floor", "15.0 s (10.0 to 20.0)", "1"]
    assert first[1:4] == ["22.5 s (15.0 to 30.0)", "1.50 (1.50 to 1.50)", "17 (≤ 18: kept)"]
    assert first[4:] == ["0", "30", "≤ 1.4 of the floor: **missed**"]
    assert again[1:4] == ["9.0 s (9.0 to 9.0)", "0.68 (0.45 to 0.90)", "15 (≤ 6: **missed**)"]
    assert again[4:] == ["12", "0", "≤ 0.4 of the floor: **missed**"]


def test_the_processor_time_of_many_hosts_is_compared_with_that_of_three() -> None:
    small, large, empty = [Run(5, 9, 0, 2.0)], [Run(200, 9, 0, 25.0)], [Run(99, 9, 0, 9.0)]
    missed = ["0.50 s", "≤ 0.4 s: **missed**", "0.056 s", "0.020 s"]
    assert scale.row(50, small, large, empty)[2:] == ["25.0 s", "12.50", "≤ 12: **missed**", *missed]
    assert scale.row(12, small, [Run(30, 9, 0, 4.0)], empty)[3:6] == ["2.00", "-", "0.33 s"]


def test_the_processor_time_of_a_child_and_of_its_children_is_counted() -> None:
    before = lab.spent()
    work = "import time\nwhile time.process_time() < 0.2: pass"
    inner = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {work!r}], check=True)"
    subprocess.run([sys.executable, "-c", inner], check=True)
    assert lab.spent() - before >= 0.2


def test_the_floor_knows_every_controller() -> None:
    assert controllers(["10.0.0.1", "10.0.0.2"]).startswith("1@10.0.0.1:9093:Zmxvb3ItZGlyZWN0b3J5LQ,2@10.0.0.2:9093:")
    assert "node.id=2\n" in properties(2, ["10.0.0.1", "10.0.0.2"])
    assert "listeners=CLIENT://10.0.0.2:9092," in properties(2, ["10.0.0.1", "10.0.0.2"])


def test_the_machine_is_described_from_proc() -> None:
    assert processor("processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\n") == "Some CPU @ 2.00GHz"
    assert gigabytes("MemTotal:       25165824 kB\nMemFree: 1 kB\n") == pytest.approx(24.0)


def test_a_processor_is_busy_unless_it_is_idle_or_waits_for_a_disk() -> None:
    assert busy_jiffies("cpu  100 20 30 9000 800 4 5 6 7 8\ncpu0 1 1 1 1 1 1 1 1 1 1\n") == 100 + 20 + 30 + 4 + 5 + 6
    with pytest.raises(ValueError, match="sum of all processors"):
        busy_jiffies("intr 5 0\n")


@pytest.mark.parametrize(("before", "marked"), [(0.0, False), (0.99, False), (1.0, True), (3.0, True)])
def test_figures_of_a_busy_machine_are_marked(before: float, marked: bool) -> None:
    assert bool(mark(before)) is marked
