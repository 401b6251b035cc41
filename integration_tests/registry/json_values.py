"""JSON Schema: values written by Confluent's serialiser, compact or with white space, escaped or not, and read back by json."""

import json
from collections.abc import Iterator

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from avro_values import HEADER, SCHEMAS
from draw import Draw
from record import Record, text_key


def json_records(registry: SchemaRegistryClient, topic: str, draw: Draw, count: int) -> Iterator[Record]:
    schema = Schema((SCHEMAS / "order.schema.json").read_text(), "JSON")
    encoders = (
        None,
        lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    )
    serializers = [JSONSerializer(schema, registry, json_encode=encoder) for encoder in encoders]
    for at in range(count):
        written = serializers[at % 3](_order(draw), SerializationContext(topic, MessageField.VALUE))
        yield Record(text_key(draw, topic), written, json.loads(written[HEADER:]))


def _order(draw: Draw) -> dict:
    order = {"id": _number(draw), "item": draw.text(), "price": draw.finite(), "tags": draw.some(draw.text)}
    if draw.chance(0.5):
        order["more"] = draw.by_text(lambda: _any(draw, 3))
    return order


def _number(draw: Draw) -> int:
    return draw.signed(draw.one((16, 64, 65, 200)))


def _any(draw: Draw, depth: int) -> object:
    kind = draw.one(("null", "boolean", "number", "double", "text", "list", "object") if depth else ("number", "text"))
    match kind:
        case "null":
            return None
        case "boolean":
            return draw.boolean()
        case "number":
            return _number(draw)
        case "double":
            return draw.finite()
        case "list":
            return draw.some(lambda: _any(draw, depth - 1))
        case "object":
            return draw.by_text(lambda: _any(draw, depth - 1))
        case _:
            return draw.text()
