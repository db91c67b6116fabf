# SPDX-License-Identifier: MIT
"""Ends a bridge with the process that started it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

from . import audit

GRACE_SECONDS = 10.0


def end_with_parent(stop: threading.Event, grace: float = GRACE_SECONDS) -> None:
    """Sets ``stop`` at the end of stdin, or when the parent is gone.

    Code in C that runs for ever keeps every thread of Python from seeing it, so another process kills this one
    ``grace`` seconds after the end of stdin if it is still there. Not on Windows.
    """
    threading.Thread(target=_until_stdin_ends, args=(stop,), name="zain-bridge-stdin", daemon=True).start()
    if os.name != "posix":
        return
    threading.Thread(target=_until_parent_ends, args=(stop,), name="zain-bridge-parent", daemon=True).start()
    watcher = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parent_watch.py")
    try:
        subprocess.Popen(
            [sys.executable, "-I", "-S", watcher, str(grace)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError as error:  # a Blender without a Python of its own: the threads are left
        print(f"zain-bridge cannot watch its parent: {error}", file=sys.stderr)


def _until_stdin_ends(stop: threading.Event) -> None:
    audit.trust_this_thread()
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    stop.set()


def _until_parent_ends(stop: threading.Event) -> None:
    audit.trust_this_thread()
    parent = os.getppid()
    while os.getppid() == parent and not stop.is_set():
        time.sleep(0.5)
    stop.set()
