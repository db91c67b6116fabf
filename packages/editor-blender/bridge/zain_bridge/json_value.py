# SPDX-License-Identifier: MIT
"""Values of Python and Blender as JSON, bounded."""

from __future__ import annotations

import math

#: Bytes of JSON, about. A value over it is not given.
LIMIT = 1024 * 1024
_DEPTH = 32
_TEXT = 64 * 1024
_SAFE_INTEGER = 2**53 - 1

_SEQUENCES = (list, tuple, set, frozenset, range)
_BLENDER_SEQUENCES = frozenset(
    "Vector Color Euler Quaternion Matrix bpy_prop_array bpy_prop_collection IDPropertyArray".split()
)


class TooLarge(Exception):
    """The value is over ``LIMIT``."""


def to_json(value: object) -> object:
    """A value as JSON has it.

    Vectors, collections and arrays of NumPy become arrays. Integers beyond 2^53, numbers that are not finite, and what
    JSON has no form for become text, as ``repr`` gives it. Raises ``TooLarge``.
    """
    return _Conversion().convert(value, 0)


class _Conversion:
    def __init__(self) -> None:
        self._left = LIMIT

    def convert(self, value: object, depth: int) -> object:
        self._spend(1)
        if value is None or value is True or value is False:
            return value
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is int:
            self._spend(16)
            return value if abs(value) <= _SAFE_INTEGER else self._text(_repr(value))
        if kind is float:
            self._spend(16)
            return value if math.isfinite(value) else repr(value)
        if depth < _DEPTH:
            if kind.__module__ == "numpy" and hasattr(value, "tolist"):
                self._spend(value.size)
                return self.convert(value.tolist(), depth + 1)
            if kind is dict:
                return {self._key(key): self.convert(item, depth + 1) for key, item in value.items()}
            if kind in _SEQUENCES or kind.__name__ in _BLENDER_SEQUENCES:
                return [self.convert(item, depth + 1) for item in value]
        return self._text(_repr(value)[:_TEXT])

    def _key(self, key: object) -> str:
        return self._text(key if type(key) is str else _repr(key))

    def _text(self, text: str) -> str:
        self._spend(len(text))
        return text.encode("utf-8", "replace").decode("utf-8")

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise TooLarge


def _repr(value: object) -> str:
    if type(value) is int and value.bit_length() > 10_000:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)
