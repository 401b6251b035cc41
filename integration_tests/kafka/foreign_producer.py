"""Writes records with a client for Python: librdkafka (confluent_kafka) or kafka-python.

    foreign_producer.py LIBRARY BOOTSTRAP RECORDS COMPRESSION=TOPIC... [NAME:VALUE of the producer...]

RECORDS is a file of keys and values in turn: each its length (int, -1 for null) and its bytes.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path


def read(path: str) -> "Iterator[tuple[bytes | None, bytes | None]]":
    data = Path(path).read_bytes()
    at = 0

    def one() -> "bytes | None":
        nonlocal at
        (length,) = struct.unpack_from(">i", data, at)
        begin, at = at + 4, at + 4 + max(length, 0)
        return None if length < 0 else data[begin:at]

    while at < len(data):
        yield one(), one()


def librdkafka(bootstrap: str, codec: str, topic: str, records: Iterator, more: "dict[str, str]") -> None:
    from confluent_kafka import Producer

    problems: "list[str]" = []
    producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "acks": "all", "linger.ms": 20, **more})
    for key, value in records:
        told = lambda error, _: problems.append(str(error)) if error else None
        producer.produce(topic, key=key, value=value, partition=0, on_delivery=told)
        producer.poll(0)
    if producer.flush(60) > 0 or problems:
        raise RuntimeError(f"not all records were taken: {problems[:1]}")


def kafka_python(bootstrap: str, codec: str, topic: str, records: Iterator, more: "dict[str, str]") -> None:
    from kafka import KafkaProducer

    options = {name.replace(".", "_"): int(value) for name, value in more.items()}
    compression = None if codec == "none" else codec
    producer = KafkaProducer(bootstrap_servers=bootstrap, compression_type=compression, acks="all", linger_ms=20, **options)
    sent = [producer.send(topic, key=key, value=value, partition=0) for key, value in records]
    producer.flush(60)
    for one in sent:
        one.get(60)
    producer.close(10)


LIBRARIES = {"librdkafka": librdkafka, "kafka-python": kafka_python}


def main(library: str, bootstrap: str, records: str, *rest: str) -> None:
    more = dict(pair.split(":") for pair in rest if ":" in pair)
    for pair in rest:
        if "=" in pair:
            codec, topic = pair.split("=")
            LIBRARIES[library](bootstrap, codec, topic, read(records), more)


if __name__ == "__main__":
    main(*sys.argv[1:])
