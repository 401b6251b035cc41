"""What is produced, and what is expected to be read of it. Knows no format."""

from dataclasses import dataclass

from confluent_kafka.serialization import MessageField, SerializationContext, StringSerializer

from draw import Draw

_ABSENT = object()


@dataclass(frozen=True)
class Record:
    key: "bytes | None"
    value: "bytes | None"
    """What a reference library reads out of the value."""
    expected: object
    """The same of the key; absent when the key is no value of a schema."""
    expected_key: object = _ABSENT

    @property
    def has_schema_key(self) -> bool:
        return self.expected_key is not _ABSENT


def text_key(draw: Draw, topic: str) -> "bytes | None":
    """Of Confluent's serialiser; none at times."""
    return StringSerializer("utf_8")(draw.maybe(draw.text), SerializationContext(topic, MessageField.KEY))
