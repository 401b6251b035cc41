"""Fills topics with values that Confluent's serialisers write, and files with what reference libraries read out of them.

Reads a job from its input:
    {"bootstrap", "registry", "seed", "folder", "topics": [{"topic", "format", "count", ...}]}
format is one of FORMATS. Topics exist and get all their records in partition 0, in order. For each there will be
`folder/topic.jsonl`: a line a record, {"value": ...}, with "key" too where the key is of a schema.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient

from avro_values import avro_records
from draw import Draw
from json_values import json_records
from plain import to_json
from protobuf_values import protobuf_records
from record import Record

THING = "corpus.v1.Outer.Thing"
FORMATS = {
    "avro": lambda *job: avro_records(*job, avro_keys=False),
    "avro-with-avro-keys": lambda *job: avro_records(*job, avro_keys=True),
    "protobuf": lambda *job: protobuf_records(*job, THING, as_text=False),
    "protobuf-text": lambda *job: protobuf_records(*job, THING, as_text=True),
    "protobuf-2": lambda *job: protobuf_records(*job, "Old", as_text=False),
    "json-schema": json_records,
}


def produce(bootstrap: str, topic: str, records: Iterator[Record], file: Path) -> None:
    problems: list[str] = []
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 5})
    with file.open("w") as lines:
        for record in records:
            producer.produce(
                topic,
                key=record.key,
                value=record.value,
                partition=0,
                on_delivery=lambda error, _: problems.append(str(error)) if error else None,
            )
            producer.poll(0)
            key = f'"key":{to_json(record.expected_key)},' if record.has_schema_key else ""
            lines.write(f'{{{key}"value":{to_json(record.expected)}}}\n')
    if producer.flush(60) > 0 or problems:
        raise RuntimeError(f"the broker did not take all records of {topic}: {problems[:1]}")


def main() -> None:
    job = json.load(sys.stdin)
    registry = SchemaRegistryClient({"url": job["registry"]})
    for one in job["topics"]:
        topic = one["topic"]
        records = FORMATS[one["format"]](registry, topic, Draw(f"{job['seed']} {one['format']}"), one["count"])
        produce(job["bootstrap"], topic, records, Path(job["folder"]) / f"{topic}.jsonl")


if __name__ == "__main__":
    main()
