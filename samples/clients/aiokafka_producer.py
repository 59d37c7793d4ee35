"""A producer with aiokafka. ``python -m samples.clients.aiokafka_producer --help`` lists its options."""

from __future__ import annotations

import asyncio
import itertools
import time
from functools import partial
from typing import Any

import aiokafka  # type: ignore[import-not-found]

from samples.clients import job

ACKS: dict[str, Any] = {"all": "all", "1": 1, "0": 0}


def outcome(log: job.Log, number: int, sent: asyncio.Future[Any]) -> None:
    """Log the end of a record. A record that still waits at the end is cancelled: it has no outcome."""
    if sent.cancelled():
        return
    error = sent.exception()
    if error is None:
        log.acked(number)
    else:
        log.failed(number, repr(error))


async def send_all(wanted: job.Job, log: job.Log) -> None:
    """Send the records of the job. Retries are the library's, until ``request_timeout_ms`` (40 s) for each record."""
    producer = aiokafka.AIOKafkaProducer(
        bootstrap_servers=wanted.bootstrap,
        acks=ACKS[wanted.acks],
        enable_idempotence=wanted.acks == "all",  # off by default in this library
    )
    await producer.start()
    begin = time.monotonic()
    waiting: set[asyncio.Future[Any]] = set()
    for number in itertools.count():
        await asyncio.sleep(max(0.0, begin + number / wanted.rate - time.monotonic()))
        if wanted.end.exists():
            break
        log.sent(number)
        try:
            sent = await producer.send(wanted.topic, job.record(number), partition=0)
        except aiokafka.errors.KafkaError as error:
            log.failed(number, repr(error))
            continue
        waiting.add(sent)
        sent.add_done_callback(partial(outcome, log, number))
        sent.add_done_callback(waiting.discard)
    if waiting:
        await asyncio.wait(waiting, timeout=wanted.flush_seconds)
    await producer.stop()


def main() -> None:
    """Run the job."""
    wanted = job.from_command_line()
    asyncio.run(send_all(wanted, job.Log(wanted.log)))


if __name__ == "__main__":
    main()
