"""A producer with confluent-kafka. ``python -m samples.clients.confluent_producer --help`` lists its options."""

from __future__ import annotations

from confluent_kafka import KafkaError, Message, Producer

from samples.clients import job


def main() -> None:
    """Send the records of the job. Retries are the library's, until ``delivery.timeout.ms`` (300 s)."""
    wanted = job.from_command_line()
    log = job.Log(wanted.log)

    def outcome(error: KafkaError | None, message: Message) -> None:
        number = job.number_of(message.value() or b"")
        if error is None:
            log.acked(number)
        else:
            log.failed(number, error.str())

    producer = Producer(
        {
            "bootstrap.servers": wanted.bootstrap,
            "acks": wanted.acks,
            "enable.idempotence": wanted.acks == "all",  # the library refuses it with other acks
        }
    )
    for number in wanted.due():
        log.sent(number)
        try:
            producer.produce(wanted.topic, job.record(number), partition=0, on_delivery=outcome)
        except BufferError as error:
            log.failed(number, error)
        producer.poll(0)
    producer.flush(wanted.flush_seconds)


if __name__ == "__main__":
    main()
