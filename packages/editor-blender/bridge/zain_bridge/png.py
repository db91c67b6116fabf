# SPDX-License-Identifier: MIT
"""PNG pictures without metadata."""

from __future__ import annotations

import struct

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def bare(picture: bytes) -> bytes:
    """``picture`` without the chunks that are not needed to show it: Blender's have paths, names and times."""
    if not picture.startswith(SIGNATURE):
        raise ValueError("no PNG")
    kept = [SIGNATURE]
    place = len(SIGNATURE)
    while place + 12 <= len(picture):
        (length,) = struct.unpack_from(">I", picture, place)
        end = place + 12 + length
        if picture[place + 4 : place + 5].isupper():  # a critical chunk
            kept.append(picture[place:end])
        place = end
    return b"".join(kept)
