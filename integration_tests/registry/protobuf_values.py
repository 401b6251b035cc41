"""Protobuf: values written by Confluent's serialiser and read back by Google's json_format. The schema is registered by the
serialiser, or beforehand as the text of its file, which is what producers in Java do."""

from collections.abc import Callable, Iterator

from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf.wrappers_pb2 import UInt64Value
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from avro_values import HEADER
from draw import Draw
from protobuf_types import SCHEMAS, message_type
from record import Record, text_key

LONGS = {
    *(FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_SINT64),
    *(FieldDescriptor.TYPE_FIXED64, FieldDescriptor.TYPE_SFIXED64),
}
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799
LONGEST = 315_576_000_000


def protobuf_records(
    registry: SchemaRegistryClient, topic: str, draw: Draw, count: int, name: str, as_text: bool
) -> Iterator[Record]:
    """@param name the full one of the message"""
    kind = message_type(name)
    serializer = ProtobufSerializer(kind, registry)
    text_id = _register_texts(registry, topic, kind.DESCRIPTOR.file.name) if as_text else None
    for _ in range(count):
        message = kind()
        fill(message, draw)
        written = serializer(message, SerializationContext(topic, MessageField.VALUE))
        if text_id is not None:
            # it takes no schema but a serialized one from a registry, and this registry does not make one of a text
            written = written[:1] + text_id.to_bytes(4, "big") + written[HEADER:]
        # the serialiser's frame is of another length for each index
        read = kind.FromString(message.SerializeToString())
        yield Record(text_key(draw, topic), written, expected(read))


def _register_texts(registry: SchemaRegistryClient, topic: str, file: str) -> int:
    references = []
    if file == "thing.proto":
        money = f"{topic}-money"
        registry.register_schema(money, Schema((SCHEMAS / "common/money.proto").read_text(), "PROTOBUF"))
        references = [SchemaReference("common/money.proto", money, 1)]
    return registry.register_schema(f"{topic}-text", Schema((SCHEMAS / file).read_text(), "PROTOBUF", references))


def expected(message: Message) -> dict:
    """As json_format has it, but for integers of 64 bits: numbers here, texts there."""
    read = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return _with_longs(message.DESCRIPTOR, read)


def _with_longs(descriptor: Descriptor, read: dict) -> dict:
    return {name: _field(_named(descriptor, name), value) for name, value in read.items()}


def _named(descriptor: Descriptor, name: str) -> FieldDescriptor:
    is_extension = name.startswith("[")
    return descriptor.file.pool.FindExtensionByName(name[1:-1]) if is_extension else descriptor.fields_by_name[name]


def _field(field: FieldDescriptor, value: object) -> object:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        return {name: _one(kind.fields_by_name["value"], item) for name, item in value.items()}
    if field.is_repeated:
        return [_one(field, item) for item in value]
    return _one(field, value)


def _one(field: FieldDescriptor, value: object) -> object:
    if field.type in LONGS:
        return int(value)
    return value if field.message_type is None else _message(field.message_type, value)


def _message(kind: Descriptor, value: object) -> object:
    if kind.full_name in ("google.protobuf.Int64Value", "google.protobuf.UInt64Value"):
        return int(value)
    if kind.full_name in ("google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"):
        return _with_floats(value)
    if kind.full_name == "google.protobuf.Any" and value:
        return _any_message(value)
    return value if kind.full_name in WELL_KNOWN else _with_longs(kind, value)


def _any_message(value: dict) -> dict:
    of = dict(value)
    type_url = of.pop("@type")
    kind = message_type(type_url.split("/")[-1]).DESCRIPTOR
    is_own = kind.file.package != "google.protobuf"
    return {"@type": type_url, **(_with_longs(kind, of) if is_own else {"value": _message(kind, of["value"])})}


def _with_floats(value: object) -> object:
    """All its numbers are doubles, whatever json_format makes of the whole ones."""
    if isinstance(value, dict):
        return {name: _with_floats(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def fill(message: Message, draw: Draw, depth: int = 3) -> None:
    """Draws a value for most fields; messages in messages become rare."""
    for field in message.DESCRIPTOR.fields:
        if field.is_required or draw.chance(0.7):
            _fill_field(message, field, draw, depth)


def _fill_field(message: Message, field: FieldDescriptor, draw: Draw, depth: int) -> None:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        _fill_map(getattr(message, field.name), kind, draw, depth)
    elif field.is_repeated and kind is not None:
        for _ in range(draw.integer(0, 2) if depth else 0):
            _fill_message(getattr(message, field.name).add(), draw, depth)
    elif field.is_repeated:
        getattr(message, field.name).extend(draw.some(lambda: scalar(field, draw), 5))
    elif kind is None:
        setattr(message, field.name, scalar(field, draw))
    elif depth or field.is_required:
        inner = getattr(message, field.name)
        inner.SetInParent()
        _fill_message(inner, draw, depth)


def _fill_map(entries: object, kind: Descriptor, draw: Draw, depth: int) -> None:
    key, value = (kind.fields_by_name[name] for name in ("key", "value"))
    for _ in range(draw.integer(0, 3)):
        if value.message_type is None:
            entries[scalar(key, draw)] = scalar(value, draw)
        elif depth:
            _fill_message(entries[scalar(key, draw)], draw, depth)


def _fill_message(message: Message, draw: Draw, depth: int) -> None:
    filler = WELL_KNOWN.get(message.DESCRIPTOR.full_name)
    if filler is not None:
        filler(message, draw)
    else:
        fill(message, draw, depth - 1 if draw.chance(0.5) else 0)


def scalar(field: FieldDescriptor, draw: Draw) -> object:
    if field.enum_type is not None:
        known = [value.number for value in field.enum_type.values]
        # an open enum may hold what nobody has named
        return draw.one(known) if field.enum_type.is_closed or draw.chance(0.8) else draw.signed(32)
    return SCALARS[field.type](draw)


SCALARS: dict[int, Callable[[Draw], object]] = {
    FieldDescriptor.TYPE_DOUBLE: Draw.double,
    FieldDescriptor.TYPE_FLOAT: Draw.float32,
    FieldDescriptor.TYPE_BOOL: Draw.boolean,
    FieldDescriptor.TYPE_STRING: Draw.text,
    FieldDescriptor.TYPE_BYTES: Draw.octets,
    **dict.fromkeys((FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_SINT32, FieldDescriptor.TYPE_SFIXED32), lambda draw: draw.signed(32)),
    **dict.fromkeys((FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_SINT64, FieldDescriptor.TYPE_SFIXED64), lambda draw: draw.signed(64)),
    **dict.fromkeys((FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_FIXED32), lambda draw: draw.unsigned(32)),
    **dict.fromkeys((FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_FIXED64), lambda draw: draw.unsigned(64)),
}


def _timestamp(message: Message, draw: Draw) -> None:
    message.seconds = draw.integer(FIRST_SECOND, LAST_SECOND)
    message.nanos = _nanos(draw)


def _duration(message: Message, draw: Draw) -> None:
    message.seconds = draw.integer(-LONGEST, LONGEST)
    nanos = _nanos(draw)
    message.nanos = -nanos if message.seconds < 0 or (message.seconds == 0 and draw.boolean()) else nanos


def _nanos(draw: Draw) -> int:
    return draw.one((0, 1, 999_999_999, 1000, 120_000_000, 5_000_000, 345_678_000, draw.integer(0, 999_999_999)))


def _struct(message: Message, draw: Draw) -> None:
    for name in draw.by_text(lambda: None):
        _value(message.fields[name], draw)


def _list(message: Message, draw: Draw) -> None:
    for _ in range(draw.integer(0, 2)):
        _value(message.values.add(), draw)


def _value(message: Message, draw: Draw) -> None:
    match draw.one(("null", "number", "number", "text", "text", "boolean", "struct", "list")):
        case "null":
            message.null_value = 0
        case "number":
            message.number_value = draw.finite()
        case "text":
            message.string_value = draw.text()
        case "boolean":
            message.bool_value = draw.boolean()
        case "struct":
            message.struct_value.SetInParent()
            _struct(message.struct_value, draw)
        case _:
            message.list_value.SetInParent()
            _list(message.list_value, draw)


def _wrapper(message: Message, draw: Draw) -> None:
    if draw.chance(0.8):
        message.value = scalar(message.DESCRIPTOR.fields_by_name["value"], draw)


def _any(message: Message, draw: Draw) -> None:
    inner = message_type("corpus.common.Money")() if draw.boolean() else UInt64Value()
    _fill_message(inner, draw, 1)
    message.Pack(inner)


def _mask(message: Message, draw: Draw) -> None:
    message.paths.extend(draw.some(lambda: draw.one(("a", "some_name", "a.b_c.d", "x1"))))


WELL_KNOWN: dict[str, Callable[[Message, Draw], None]] = {
    "google.protobuf.Timestamp": _timestamp,
    "google.protobuf.Duration": _duration,
    "google.protobuf.Struct": _struct,
    "google.protobuf.ListValue": _list,
    "google.protobuf.Value": _value,
    "google.protobuf.Any": _any,
    "google.protobuf.FieldMask": _mask,
    **{
        f"google.protobuf.{kind}Value": _wrapper
        for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
    },
}
