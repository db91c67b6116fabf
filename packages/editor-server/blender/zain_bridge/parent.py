# SPDX-License-Identifier: MIT
"""Ends a bridge with the process that started it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1


def end_with_parent(stop: threading.Event) -> None:
    """Sets ``stop`` at the end of stdin, or when the parent is gone.

    On Linux the kernel also kills this process with its parent, since code in C that runs for ever keeps every
    thread of Python from seeing it.
    """
    if sys.platform == "linux":
        try:
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        except (OSError, AttributeError, ImportError):
            pass  # the threads below are left
    threading.Thread(target=_until_stdin_ends, args=(stop,), name="zain-bridge-stdin", daemon=True).start()
    if hasattr(os, "getppid") and os.name == "posix":
        threading.Thread(target=_until_parent_ends, args=(stop,), name="zain-bridge-parent", daemon=True).start()


def _until_stdin_ends(stop: threading.Event) -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    stop.set()


def _until_parent_ends(stop: threading.Event) -> None:
    parent = os.getppid()
    while os.getppid() == parent and not stop.is_set():
        time.sleep(0.5)
    stop.set()
