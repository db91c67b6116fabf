# SPDX-License-Identifier: MIT
"""The layout of Blender's structs, which each .blend file has in its block DNA1."""

from __future__ import annotations

import re
import struct


def offset(blend: bytes, kind: str, member: str) -> int | None:
    """Where a struct has a member, in bytes from its start; None for a file of another form."""
    try:
        return _offset(_block(blend, b"DNA1"), 4 if blend[7:8] == b"_" else 8, kind, member)
    except (struct.error, ValueError, IndexError, UnicodeDecodeError):
        return None


def _block(blend: bytes, code: bytes) -> bytes:
    if blend[:7] != b"BLENDER" or blend[8:9] != b"v":
        raise ValueError("no plain .blend file")
    head = 16 + (4 if blend[7:8] == b"_" else 8)
    at = 12
    while blend[at : at + 4] != code:
        at += head + struct.unpack_from("<I", blend, at + 4)[0]
        if at >= len(blend):
            raise ValueError("no such block")
    return blend[at + head :]


def _offset(dna: bytes, pointer: int, kind: str, member: str) -> int | None:
    at = dna.index(b"NAME") + 4
    names, at = _texts(dna, at)
    types, at = _texts(dna, dna.index(b"TYPE", at) + 4)
    at = dna.index(b"TLEN", at) + 4
    sizes = struct.unpack_from(f"<{len(types)}H", dna, at)
    at = dna.index(b"STRC", at + 2 * len(types)) + 4
    (count,) = struct.unpack_from("<I", dna, at)
    at += 4
    for _ in range(count):
        type_, fields = struct.unpack_from("<2H", dna, at)
        at += 4
        place = 0
        for field in range(fields if types[type_] == kind else 0):
            of, name = struct.unpack_from("<2H", dna, at + 4 * field)
            if names[name] == member:
                return place
            size = pointer if names[name][0] in "*(" else sizes[of]
            for length in re.findall(r"\[(\d+)\]", names[name]):
                size *= int(length)
            place += size
        at += 4 * fields
    return None


def _texts(dna: bytes, at: int) -> tuple[list[str], int]:
    (count,) = struct.unpack_from("<I", dna, at)
    found = dna[at + 4 :].split(b"\0", count)[:count]
    return [text.decode() for text in found], at + 4 + sum(len(text) + 1 for text in found)
