"""Options of Spark's Kafka source and sink."""

from __future__ import annotations

import pytest

from spark_jobs import kafka_io


@pytest.mark.parametrize(
    ("partitions", "size"), [(1, 262_144), (6, 262_144), (64, 262_144), (128, 131_072), (1000, 16_777), (9999, 16_384)]
)
def test_the_batches_of_all_partitions_find_room_in_the_buffer(partitions: int, size: int) -> None:
    assert kafka_io.batch_size(partitions) == size
    assert size * partitions <= kafka_io.BUFFER or size == kafka_io.SMALLEST_BATCH


def test_a_request_to_a_frozen_broker_ends_well_before_the_poll() -> None:
    request, poll = (int(kafka_io.READ_OPTIONS[name]) for name in ("kafka.request.timeout.ms", POLL))
    assert 4 * request < poll


POLL = "kafkaConsumer.pollTimeoutMs"
