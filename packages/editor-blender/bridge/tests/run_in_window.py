# SPDX-License-Identifier: MIT
"""Runs in_window/ within a Blender with a window, also under Xvfb:

blender --factory-startup --enable-event-simulate --python tests/run_in_window.py

The main thread serves by the add-on's timer; the tests are clients in another thread.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import unittest

import bpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]

directory = tempfile.mkdtemp()
os.environ["XDG_STATE_HOME"] = os.path.join(directory, "state")

from in_blender import harness  # noqa: E402
from zain_bridge import panel, recovery  # noqa: E402


def tests() -> None:
    passed = False
    try:
        suite = unittest.TestLoader().discover(os.path.join(HERE, "in_window"), top_level_dir=HERE)
        passed = unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()
    finally:
        sys.stderr.flush()
        os._exit(0 if passed else 1)


def start() -> None:
    harness.start(directory)
    panel._running.append(harness.bridge)
    bpy.app.timers.register(panel._serve, persistent=True)
    recovery.use(recovery.in_window())
    threading.Thread(target=tests, daemon=True).start()


bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(start, first_interval=0.2)
