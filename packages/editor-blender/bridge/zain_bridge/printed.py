# SPDX-License-Identifier: MIT
"""What code prints, bounded."""

from __future__ import annotations

from collections import deque

#: Bytes of UTF-8 that are kept, the last ones.
LIMIT = 64 * 1024


class Printed:
    """Keeps the last ``LIMIT`` bytes of what is printed."""

    def __init__(self) -> None:
        self._parts: deque[bytes] = deque()
        self._bytes = 0
        self._total = 0

    def print(self, *values: object, sep: str | None = " ", end: str | None = "\n", flush: bool = False) -> None:
        """Python's ``print``, without ``file``."""
        self.write((" " if sep is None else sep).join(map(str, values)) + ("\n" if end is None else end))

    def write(self, text: str) -> None:
        """Adds a text and drops what is older than the limit."""
        whole = text.encode("utf-8", "replace")
        part = whole[-LIMIT:]
        if not part:
            return
        self._total += len(whole)
        self._parts.append(part)
        self._bytes += len(part)
        while self._bytes - len(self._parts[0]) >= LIMIT:
            self._bytes -= len(self._parts.popleft())
        if len(self._parts) > 1024:
            kept = b"".join(self._parts)[-LIMIT:]
            self._parts = deque((kept,))
            self._bytes = len(kept)

    def text(self) -> str:
        """The text that is kept, from the beginning of a line on, after a line that counts what is missing."""
        kept = b"".join(self._parts)[-LIMIT:]
        if self._total == len(kept):
            return kept.decode("utf-8")
        kept = kept[kept.find(b"\n", 0, -1) + 1 :].decode("utf-8", "ignore")
        return f"[{self._total - len(kept.encode())} bytes before this are left out]\n{kept}"
