# SPDX-License-Identifier: MIT
from __future__ import annotations

import struct
import zlib

import pytest
from zain_bridge import png


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


HEADER = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\0\1\2\3"))
END = chunk(b"IEND", b"")


def test_metadata_is_left_out_and_the_picture_stays() -> None:
    whole = png.SIGNATURE + HEADER + chunk(b"tEXt", b"File\0/home/x.blend") + PIXELS + chunk(b"tIME", b"1234567") + END
    assert png.bare(whole) == png.SIGNATURE + HEADER + PIXELS + END


def test_what_is_no_png_is_refused() -> None:
    with pytest.raises(ValueError):
        png.bare(b"GIF89a")
