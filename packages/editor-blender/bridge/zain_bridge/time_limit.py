# SPDX-License-Identifier: MIT
"""Ends Python code after a time, whatever it catches."""

from __future__ import annotations

import ctypes
import queue
import threading
import time
from typing import Callable, TypeVar

#: Seconds between two exceptions into code that has not ended.
REPEAT = 0.01

_BEGIN = "begin"
_STOP = "stop"
_CANCEL = "cancelled"
_TIMEOUT = "timed out"

# Resolved once: the audit hook refuses ctypes while code runs.
_set_async_exc = ctypes.pythonapi.PyThreadState_SetAsyncExc

Result = TypeVar("Result")


class Ended(BaseException):
    """The exception that ends code. It is no ``Exception``, so that ``except Exception`` lets it pass."""


class TimeLimit:
    """A limit for one piece of code, which runs on the thread that calls ``run``.

    From the limit on, an exception is sent into that thread again and again until the code ends. Code can catch each
    of them; so ``instrument`` puts a call of ``check`` at the start of each handler, ``finally`` and function of the
    code, which raises as well. C code is not interrupted: the exception waits for its end.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        #: Why the code was ended: ``timed out``, ``cancelled``, or None.
        self.reason: str | None = None
        self._finished = False
        self._commands: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._watcher_ended = False
        self._thread = 0

    def check(self) -> None:
        """Raises ``Ended`` once the limit is reached, and always after the end of the code."""
        if self.reason is not None or self._finished:
            raise Ended

    def cancel(self) -> None:
        """Ends the code now, as the limit does. Any thread may call it."""
        self._commands.put(_CANCEL)

    def run(self, work: Callable[[], Result]) -> Result:
        """Calls ``work``. After it returns or raises, no exception is on its way to this thread any more."""
        self._thread = threading.get_ident()
        watcher = threading.Thread(target=self._watch, name="zain code.run limit", daemon=True)
        watcher.start()
        # No loop here: a late exception is raised where Python jumps back, which would be outside of `try`. Once
        # `_finished` is set, at most one exception is on its way and one more is sent; each can end one `_finish`.
        try:
            try:
                self._commands.put(_BEGIN)
                return work()
            finally:
                self._finished = True
                self._finish()
        finally:
            try:
                self._finish()
            except Ended:
                try:
                    self._finish()
                except Ended:
                    self._finish()

    def _finish(self) -> None:
        self._commands.put(_STOP)
        while not self._watcher_ended:
            time.sleep(0.0002)
        _set_async_exc(ctypes.c_ulong(self._thread), None)

    def _watch(self) -> None:
        # Until then the thread is in `Thread.start`, outside of `try`.
        while (command := self._commands.get()) != _BEGIN:
            self.reason = self.reason or command
        wait = 0 if self.reason else self.seconds
        while True:
            try:
                command = self._commands.get(timeout=wait)
            except queue.Empty:
                command = _TIMEOUT
            if command == _STOP or self._finished:
                break
            self.reason = self.reason or command
            _set_async_exc(ctypes.c_ulong(self._thread), ctypes.py_object(Ended))
            wait = REPEAT
        self._watcher_ended = True
