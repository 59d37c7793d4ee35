"""Equal blocks at both ends are set aside; the records between are read one by one."""

from __future__ import annotations

from spark_jobs.proof.stretches import LEAST_BITS, MOST_BLOCKS, Block, block_bits, without_head, without_tail

SOURCE = [Block(0, 100, 10, 109, 1), Block(1, 100, 110, 215, 2), Block(2, 40, 216, 255, 3)]


def copied(*fingerprints: int) -> list[Block]:
    """The same blocks with other offsets and these fingerprints."""
    return [
        Block(block.number, block.records, block.first - 10, block.last - 10, fingerprint)
        for block, fingerprint in zip(SOURCE, fingerprints)
    ]


def test_equal_blocks_leave_nothing() -> None:
    assert without_head(SOURCE, copied(1, 2, 3), ((0, 256), (0, 246))) is None
    assert without_head([], [], ((0, 5), (0, 5))) is None


def test_the_stretch_begins_at_the_first_block_that_differs() -> None:
    found = without_head(SOURCE, copied(1, 9, 3), ((0, 256), (0, 246)))
    assert found
    assert tuple(found) == ((110, 256, 140, 109), (100, 246, 140, 99), False, 100)
    ends = [Block(0, 100, 156, 255, 7), Block(1, 40, 110, 155, 8)]
    narrowed = without_tail(found, ends, [ends[0]._replace(first=146, last=245), ends[1]._replace(fingerprint=9)])
    assert (narrowed.source, narrowed.target) == ((110, 156, 40, 109), (100, 146, 40, 99))


def test_an_empty_copy_differs_from_its_head_on() -> None:
    found = without_head(SOURCE, [], ((4, 256), (0, 0)))
    assert found
    assert tuple(found) == ((10, 256, 240, 3), (0, 0, 0, -1), True, 0)


def test_a_block_of_another_length_differs_though_its_fingerprint_may_be_equal() -> None:
    assert without_head(SOURCE, [*copied(1, 2), SOURCE[2]._replace(records=39)], ((0, 256), (0, 246))) is not None


def test_blocks_grow_so_that_all_fit_into_memory() -> None:
    assert block_bits(1000) == LEAST_BITS
    for offsets in (10**8, 10**10):
        assert MOST_BLOCKS / 2 <= offsets >> block_bits(offsets) <= MOST_BLOCKS
