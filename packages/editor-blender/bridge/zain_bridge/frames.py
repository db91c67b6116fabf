# SPDX-License-Identifier: MIT
"""Frames of the wire: a length of four bytes, signed, most significant first, then JSON in UTF-8."""

from __future__ import annotations

import json
import struct
from typing import Any, Callable

MAX_FRAME = 64 * 1024 * 1024
MAX_DEPTH = 64

_HEADER = struct.Struct(">i")
_CHUNK = 256 * 1024


class BadFrame(Exception):
    """Bytes that are no frame of this protocol. The connection closes."""


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def encode(message: Any) -> bytes:
    """The frame of ``message``. Raises ``ValueError`` over ``MAX_FRAME`` and for what JSON cannot hold."""
    try:
        body = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, which JSON holds as an escape only
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME:
        raise ValueError(f"the message has {len(body)} bytes; the limit is {MAX_FRAME}")
    return _HEADER.pack(len(body)) + body


def decode(body: bytes | bytearray) -> Any:
    """The JSON value of a frame's ``body``. Raises ``BadFrame`` for what is no JSON."""
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"the frame is no JSON in UTF-8: {type(error).__name__}") from None


def read(receive: Callable[[int], bytes], limit: int = MAX_FRAME) -> bytearray | None:
    """Reads one frame's body. ``receive`` is ``socket.recv``; returns None at the end of the stream.

    Memory grows with the bytes that arrived, never with the length that was announced.
    """
    header = _exactly(receive, _HEADER.size)
    if header is None:
        return None
    (length,) = _HEADER.unpack(header)
    if length <= 0 or length > limit:
        raise BadFrame(f"the frame's length is {length}; expected 1 to {limit}")
    return _exactly(receive, length)


def _exactly(receive: Callable[[int], bytes], count: int) -> bytearray | None:
    data = bytearray()
    while len(data) < count:
        chunk = receive(min(_CHUNK, count - len(data)))
        if not chunk:
            return None
        data += chunk
    return data


def too_deep(message: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether arrays and objects in ``message`` are nested over ``limit`` levels."""
    level = [message]
    for _ in range(limit):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(item for item in value.values() if isinstance(item, (dict, list)))
            elif isinstance(value, list):
                inner.extend(item for item in value if isinstance(item, (dict, list)))
        if not inner:
            return False
        level = inner
    return True
