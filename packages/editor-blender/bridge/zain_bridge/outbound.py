# SPDX-License-Identifier: MIT
"""Writes a connection's frames in a thread of its own, so that a slow reader delays nothing else."""

from __future__ import annotations

import socket
import threading
from collections import deque
from typing import Callable

from . import audit

MAX_UNREAD = 128 * 1024 * 1024


class Outbound:
    """Frames that wait for the socket, at most ``MAX_UNREAD`` bytes. Over it, ``on_end`` is called."""

    def __init__(self, connection: socket.socket, on_end: Callable[[], None], limit: int = MAX_UNREAD) -> None:
        self._socket = connection
        self._on_end = on_end
        self._limit = limit
        self._frames: deque[bytes] = deque()
        self._bytes = 0
        self._ended = False
        self._last = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="zain-bridge-out", daemon=True)
        self._thread.start()

    def send(self, frame: bytes) -> None:
        """Queues ``frame``; ends the connection when the peer left too much unread."""
        with self._wake:
            if self._ended or self._last:
                return
            over = self._bytes + len(frame) > self._limit
            if not over:
                self._frames.append(frame)
                self._bytes += len(frame)
                self._wake.notify()
        if over:
            self._on_end()

    def send_if_idle(self, frame: bytes) -> None:
        """Queues ``frame`` unless the same one waits already; one that is being written tells of earlier changes."""
        with self._wake:
            waits = bool(self._frames) and self._frames[-1] is frame
        if not waits:
            self.send(frame)

    def end_after_sent(self) -> None:
        """Ends the connection when all that waits was written."""
        with self._wake:
            self._last = True
            self._wake.notify()

    def end(self) -> None:
        """Drops what waits."""
        with self._wake:
            self._ended = True
            self._frames.clear()
            self._wake.notify()

    def _write(self) -> None:
        audit.trust_this_thread()
        while True:
            with self._wake:
                while not self._frames and not self._ended and not self._last:
                    self._wake.wait()
                if self._ended or not self._frames:
                    break
                frame = self._frames.popleft()
            try:
                self._socket.sendall(frame)
            except OSError:
                break
            with self._wake:
                self._bytes -= len(frame)
        self._on_end()
