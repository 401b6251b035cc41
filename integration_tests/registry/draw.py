"""Values drawn at random from a seed: half of them the extremes that programs stumble over. Knows no format."""

import math
import random
import struct
from collections.abc import Callable
from datetime import date
from typing import TypeVar

T = TypeVar("T")

EPOCH = date(1970, 1, 1).toordinal()
FIRST_DAY = date.min.toordinal() - EPOCH
LAST_DAY = date.max.toordinal() - EPOCH
DAY_MICROS = 86_400_000_000
FIRST_MICRO = FIRST_DAY * DAY_MICROS
LAST_MICRO = (LAST_DAY + 1) * DAY_MICROS - 1

DOUBLES = (
    *(0.0, -0.0, 0.1, -1.5, 1e15, 1e16, 1e21, 1e22, 1e23, 1e-6, 1e-7, 5e-324, 2.2250738585072014e-308, 2.0**53),
    *(9007199254740993.0, 123456789012345680000.0, 1.7976931348623157e308, math.pi, math.nan, math.inf, -math.inf),
)
LETTERS = (
    *"abcxyz09 _-./:,{}[]'\"\\\n\r\t\b\f\0\x01\x1f\x7f\x80\x9f\xa0\xad\xe4\xdf",
    *("\u0301", "\u2028", "\u2029", "\ud7ff", "\ue000", "\ufeff", "\ufffd", "\uffff", "\U0001f600", "\U0010ffff"),
)
WORDS = ("", "__proto__", "constructor", "null", "1", "-0", "<script>", "\\u0000", "long " * 400, "ünï 😀", "keys")


class Draw:
    """All that is drawn follows from the seed and the order of the calls."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def one(self, values: "tuple[T, ...] | list[T]") -> T:
        return self._random.choice(values)

    def chance(self, of: float) -> bool:
        return self._random.random() < of

    def some(self, draw: Callable[[], T], most: int = 4) -> list[T]:
        return [draw() for _ in range(self._random.randint(0, most))]

    def maybe(self, draw: Callable[[], T]) -> "T | None":
        return draw() if self.chance(0.6) else None

    def by_text(self, draw: Callable[[], T]) -> dict[str, T]:
        return {self.text(): draw() for _ in range(self._random.randint(0, 3))}

    def integer(self, low: int, high: int) -> int:
        """Of any size in between, the bounds and the limits of doubles among them."""
        edges = [low, low + 1, high, high - 1, 0, 1, -1, 63, 64, -64, -65, 127, 128, 2**53 - 1, 2**53 + 1, -(2**53) - 1]
        near = [edge for edge in edges if low <= edge <= high]
        if self.chance(0.5):
            return self.one(near)
        size = self._random.randint(1, max(high, -low).bit_length())
        drawn = self._random.getrandbits(size) * self.one((1, -1))
        return drawn if low <= drawn <= high else self._random.randint(low, high)

    def signed(self, bits: int) -> int:
        return self.integer(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)

    def unsigned(self, bits: int) -> int:
        return self.integer(0, 2**bits - 1)

    def boolean(self) -> bool:
        return self.chance(0.5)

    def double(self) -> float:
        if self.chance(0.4):
            return self.one(DOUBLES)
        if self.chance(0.5):
            return round(self._random.uniform(-1e6, 1e6), self._random.randint(0, 6))
        return struct.unpack("<d", self._random.randbytes(8))[0]

    def float32(self) -> float:
        if self.chance(0.5):
            return struct.unpack("<f", self._random.randbytes(4))[0]
        drawn = self.double()
        if math.isfinite(drawn) and abs(drawn) > 3e38:
            drawn = self.one((16777216.0, 16777217.0, 0.3, 3.4028234663852886e38, 1e-45, 1.17549435e-38))
        return struct.unpack("<f", struct.pack("<f", drawn))[0]

    def finite(self) -> float:
        drawn = self.double()
        return drawn if math.isfinite(drawn) else 0.5

    def text(self) -> str:
        if self.chance(0.2):
            return self.one(WORDS)
        return "".join(self.one(LETTERS) for _ in range(self._random.randint(0, 12)))

    def octets(self) -> bytes:
        return self.exactly(self.one((0, 1, 2, 3, 5, 16, 40)))

    def exactly(self, size: int) -> bytes:
        """So many octets."""
        return self.one((self._random.randbytes(size), bytes(size), b"\xff" * size, b"\x80" + bytes(size - 1))) if size else b""

    def day(self) -> int:
        """Since 1970, of the years 1 to 9999."""
        return self.integer(FIRST_DAY, LAST_DAY)

    def moment(self) -> int:
        """Microseconds since 1970, of the years 1 to 9999."""
        return self.integer(FIRST_MICRO, LAST_MICRO)
