"""Avro: values of two versions of a rich record, written by Confluent's serialiser and read back by fastavro."""

import io
import json
import uuid
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import fastavro
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from draw import DAY_MICROS, Draw
from record import Record, text_key

SCHEMAS = Path(__file__).parent / "schemas"
HEADER = 5


def avro_records(registry: SchemaRegistryClient, topic: str, draw: Draw, count: int, avro_keys: bool) -> Iterator[Record]:
    """Every third one is of the second version."""
    _write_what_is_read()
    address = f"{topic}-address"
    registry.register_schema(address, Schema(_text("address"), "AVRO"))
    shared = [SchemaReference("corpus.shared.Address", address, 1)]
    writers = [_Writer(registry, name, shared) for name in ("rich-1", "rich-2")]
    key_writer = _Writer(registry, "key", [])
    for at in range(count):
        value, expected = writers[at % 3 == 2].write(_second(draw) if at % 3 == 2 else _first(draw), topic, MessageField.VALUE)
        if avro_keys:
            key, expected_key = key_writer.write(_key(draw), topic, MessageField.KEY)
            yield Record(key, value, expected, expected_key)
        else:
            yield Record(text_key(draw, topic), value, expected)


class _Writer:
    """Of one schema."""

    def __init__(self, registry: SchemaRegistryClient, name: str, references: list[SchemaReference]) -> None:
        schema = Schema(_text(name), "AVRO", references)
        self._serializer = AvroSerializer(registry, schema)
        named: dict = {}
        if references:
            fastavro.parse_schema(json.loads(_text("address")), named_schemas=named)
        self._schema = fastavro.parse_schema(json.loads(_text(name)), named_schemas=named)

    def write(self, value: dict, topic: str, field: str) -> tuple[bytes, object]:
        """@returns what goes to Kafka, and what fastavro reads out of it"""
        written = self._serializer(value, SerializationContext(topic, field))
        return written, fastavro.schemaless_reader(io.BytesIO(written[HEADER:]), self._schema)


def _text(name: str) -> str:
    return (SCHEMAS / f"{name}.avsc").read_text()


def _write_what_is_read() -> None:
    """What fastavro makes of a logical type becomes a text with all its digits."""
    readers = fastavro.read.LOGICAL_READERS

    def after(name: str, text) -> None:
        read = readers[name]
        readers[name] = lambda *args: text(read(*args))

    for name in ("bytes-decimal", "fixed-decimal"):
        after(name, lambda value: format(value, "f") if isinstance(value, Decimal) else value)
    for name, digits in (("millis", "milliseconds"), ("micros", "microseconds")):
        after(f"{'int' if name == 'millis' else 'long'}-time-{name}", _iso(time, digits))
        after(f"long-timestamp-{name}", _iso(datetime, digits))
        after(f"long-local-timestamp-{name}", _iso(datetime, digits))
    after("int-date", lambda value: value.isoformat() if isinstance(value, date) else value)
    after("string-uuid", lambda value: str(value) if isinstance(value, uuid.UUID) else value)


def _iso(kind: type, digits: str):
    return lambda value: value.isoformat(timespec=digits).replace("+00:00", "Z") if isinstance(value, kind) else value


def _decimal(draw: Draw, precision: int, scale: int) -> Decimal:
    unscaled = draw.integer(1 - 10**precision, 10**precision - 1)
    # a tuple is not rounded
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))


def _key(draw: Draw) -> dict:
    return {"id": draw.signed(64), "region": draw.one((draw.text(), draw.signed(64)))}


def _address(draw: Draw) -> dict:
    return {"street": draw.text(), "position": draw.maybe(lambda: draw.some(draw.double))}


def _colour(draw: Draw) -> str:
    return draw.one(("RED", "green", "_1"))


def _tree(draw: Draw, depth: int = 4) -> dict:
    grow = depth > 0 and draw.chance(0.6)
    return {
        "value": draw.signed(64),
        "colour": _colour(draw),
        "left": _tree(draw, depth - 1) if grow else None,
        "children": draw.some(lambda: _tree(draw, depth - 2), 2) if grow else [],
    }


def _several(draw: Draw) -> object:
    """A value with its branch where fastavro would take another one."""
    return draw.one(
        (
            None,
            draw.boolean(),
            ("int", draw.signed(32)),
            ("double", draw.double()),
            ("string", draw.text()),
            ("bytes", draw.octets()),
            ("corpus.Colour", _colour(draw)),
            ("corpus.Md5", draw.exactly(16)),
            ("corpus.shared.Address", _address(draw)),
            draw.some(lambda: draw.maybe(lambda: draw.signed(64))),
            {f"of {name}": value for name, value in draw.by_text(draw.octets).items()},
        )
    )


def _first(draw: Draw) -> dict:
    return {
        "nothing": None,
        "boolean": draw.boolean(),
        "int": draw.signed(32),
        "long": draw.signed(64),
        "float32": draw.float32(),
        "double": draw.double(),
        "bytes": draw.octets(),
        "string": draw.text(),
        "decimal": _decimal(draw, 38, 9),
        "whole_decimal": _decimal(draw, 20, 0),
        "fixed_decimal": _decimal(draw, 20, 20),
        "date": draw.day(),
        "time_millis": draw.integer(0, DAY_MICROS // 1000 - 1),
        "time_micros": draw.integer(0, DAY_MICROS - 1),
        "timestamp_millis": draw.moment() // 1000,
        "timestamp_micros": draw.moment(),
        "local_millis": draw.moment() // 1000,
        "local_micros": draw.moment(),
        "uuid": uuid.UUID(bytes=draw.exactly(16)),
        "unknown": draw.text(),
        "colour": _colour(draw),
        "fixed": draw.exactly(16),
        "no_bytes": b"",
        "address": _address(draw),
        "longs": draw.some(lambda: draw.signed(64), 70),
        "floats": draw.some(lambda: draw.by_text(draw.double)),
        "addresses": draw.by_text(lambda: draw.maybe(lambda: _address(draw))),
        "dates": draw.by_text(lambda: draw.some(draw.day)),
        "optional": draw.maybe(lambda: draw.signed(64)),
        "optional_last": draw.maybe(draw.text),
        "optional_time": draw.maybe(draw.moment),
        "optional_decimal": draw.maybe(lambda: _decimal(draw, 10, 2)),
        "several": _several(draw),
        "tree": _tree(draw),
        "__proto__": {},
        "constructor": draw.maybe(lambda: draw.signed(32)),
        "toString": {"__proto__": draw.text()},
    }


def _second(draw: Draw) -> dict:
    return {
        "long": draw.one((None, draw.text(), draw.signed(64))),
        "int": draw.signed(64),
        "added": draw.text(),
        "float32": draw.float32(),
        "decimal": _decimal(draw, 38, 18),
        "address": _address(draw),
        "timestamp_millis": draw.maybe(lambda: draw.moment() // 1000),
        "tags": draw.by_text(lambda: draw.by_text(lambda: draw.maybe(draw.boolean))),
    }
