"""Records of the probe that wait for their turn."""

from __future__ import annotations

from collections.abc import Callable

from spark_jobs.probe.window import UNDER_WAY, Window


def sender(sent: list[int], number: int, taken: bool = True) -> Callable[[], bool]:
    def send() -> bool:
        sent.append(number)
        return taken

    return send


def known(partitions: int) -> Window:
    """Return a window whose partitions have each answered a record."""
    window = Window(partitions)
    for partition in range(partitions):
        window.add(partition, lambda: True)
        window.answered(partition)
    return window


def test_the_first_record_of_a_partition_is_sent_alone() -> None:
    """A leader that has just begun would accept the second one, and take the first for a copy."""
    window, sent = Window(1), list[int]()
    for number in range(UNDER_WAY + 1):
        window.add(0, sender(sent, number))
    assert sent == [0]
    window.answered(0)
    assert sent == list(range(UNDER_WAY + 1))


def test_no_more_of_a_partition_are_under_way_than_librdkafka_takes() -> None:
    window, sent, other = known(2), list[int](), list[int]()
    for number in range(UNDER_WAY + 3):
        window.add(0, sender(sent, number))
    window.add(1, sender(other, 0))
    assert sent == list(range(UNDER_WAY))
    assert other == [0]
    assert window.emptied(0) == 3


def test_each_answer_lets_the_next_one_go_in_order() -> None:
    window, sent = known(1), list[int]()
    for number in range(UNDER_WAY + 2):
        window.add(0, sender(sent, number))
    window.answered(0)
    assert sent == list(range(UNDER_WAY + 1))
    window.answered(0)
    assert sent == list(range(UNDER_WAY + 2))
    assert window.emptied(0) == 0


def test_what_no_one_takes_keeps_no_ones_place() -> None:
    window, sent = Window(1), list[int]()
    for number in range(2 * UNDER_WAY):
        window.add(0, sender(sent, number, taken=False))
    assert sent == list(range(2 * UNDER_WAY))
