"""What the reference libraries read, as the JSON that is expected of the connector: integers exact, all else that JSON lacks
as text."""

import base64
import json
import math


def plain(value: object) -> object:
    """Of values that JSON has none for."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"nobody has said what a {type(value).__name__} is in JSON")


def to_json(value: object) -> str:
    """@returns one line"""
    return json.dumps(plain(value), allow_nan=False)
