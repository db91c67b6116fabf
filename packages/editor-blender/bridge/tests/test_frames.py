# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
import struct

import pytest
from zain_bridge import frames


def receiver(data: bytes, sizes: list[int] | None = None):
    """A socket.recv that gives ``data`` in pieces of these sizes, then the end of the stream."""
    rest = [data]
    pieces = iter(sizes or [])

    def receive(count: int) -> bytes:
        size = min(count, next(pieces, count))
        piece, rest[0] = rest[0][:size], rest[0][size:]
        return piece

    return receive


@pytest.mark.parametrize("seed", range(20))
def test_any_division_of_the_bytes_gives_the_same_messages(seed: int) -> None:
    chance = random.Random(seed)
    messages = [{"text": "箱" * chance.randrange(50), "n": n} for n in range(5)]
    data = b"".join(frames.encode(message) for message in messages)
    receive = receiver(data, [chance.randrange(1, 9) for _ in range(len(data))])
    read = []
    while (body := frames.read(receive)) is not None:
        read.append(frames.decode(body))
    assert read == messages


@pytest.mark.parametrize("length", [0, -1, -(2**31), 2**31 - 1, frames.MAX_FRAME + 1])
def test_a_length_out_of_bounds_is_refused_before_anything_is_read(length: int) -> None:
    with pytest.raises(frames.BadFrame, match=f"length is {length};"):
        frames.read(receiver(struct.pack(">i", length)))


def test_a_stream_that_ends_within_a_frame_gives_no_message() -> None:
    whole = frames.encode({"a": 1})
    for end in range(len(whole)):
        assert frames.read(receiver(whole[:end])) is None


@pytest.mark.parametrize("body", [b"", b"x", b"\xff", b"NaN", b"[Infinity]", b"[" * 100_000, b"1" * 10_000])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(frames.BadFrame):
        frames.decode(body)


def test_numbers_that_json_cannot_hold_and_messages_over_the_limit_are_not_encoded(monkeypatch) -> None:
    with pytest.raises(ValueError):
        frames.encode({"x": float("nan")})
    monkeypatch.setattr(frames, "MAX_FRAME", 10)
    with pytest.raises(ValueError):
        frames.encode("12345678901")


def test_a_lone_surrogate_survives_as_an_escape() -> None:
    assert frames.decode(frames.encode({"id": "\ud800"})[4:]) == {"id": "\ud800"}


def test_depth_is_counted_in_arrays_and_objects() -> None:
    def nested(levels: int):
        value: object = 1
        for level in range(levels):
            value = [value] if level % 2 else {"a": value}
        return value

    assert not frames.too_deep(nested(frames.MAX_DEPTH))
    assert frames.too_deep(nested(frames.MAX_DEPTH + 1))
