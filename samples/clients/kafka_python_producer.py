"""A producer with kafka-python. ``python -m samples.clients.kafka_python_producer --help`` lists its options."""

from __future__ import annotations

from kafka import KafkaProducer
from kafka.errors import KafkaError

from samples.clients import job


def main() -> None:
    """Send the records of the job. Retries are the library's: without limit, until ``delivery_timeout_ms`` (120 s)."""
    wanted, everyone = job.from_command_line(), {"all": "all", "1": 1, "0": 0}
    log = job.Log(wanted.log)
    producer = KafkaProducer(
        bootstrap_servers=wanted.bootstrap.split(","),
        acks=everyone[wanted.acks],
        enable_idempotence=wanted.acks == "all",  # the library refuses it with other acks
    )
    for number in wanted.due():
        log.sent(number)
        try:
            sent = producer.send(wanted.topic, job.record(number), partition=0)
        except KafkaError as error:  # the buffer is full, or no broker gives metadata
            log.failed(number, error)
            continue
        sent.add_callback(lambda _, number=number: log.acked(number))
        sent.add_errback(lambda error, number=number: log.failed(number, error))
    producer.flush(timeout=wanted.flush_seconds)
    producer.close(timeout=1)


if __name__ == "__main__":
    main()
