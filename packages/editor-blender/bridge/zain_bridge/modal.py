# SPDX-License-Identifier: MIT
"""What the user is in the middle of: the operators of Blender's windows that wait for the mouse or a key.

They hold data of the scene, so what takes data away from below them, such as undo, crashes Blender.
"""

from __future__ import annotations

import ctypes
import functools
import os
import tempfile
from typing import Any

import bpy

from . import dna
from .errors import BridgeError


# An entry of the list: the next one, the one before, its type. Menus and keymaps have other types.
_OF_OPERATOR = 3
_MOST = 1_000


def require_none() -> None:
    """Fails while the user is in the middle of something."""
    what = _running()
    if what is not None:
        raise BridgeError(
            "OPERATION_FAILED",
            f"the user is in the middle of {what} in Blender, and the scene must not change below it",
            suggestions=["Finish or cancel it in Blender (Enter or Esc), then call it again"],
        )


def is_running() -> bool:
    """Whether the user is in the middle of something."""
    return _running() is not None


def _running() -> str | None:
    if bpy.app.background:
        return None
    windows = bpy.context.window_manager.windows
    return next((what for what in map(_in_window, windows) if what is not None), None)


def _in_window(window: Any) -> str | None:
    listed = getattr(window, "modal_operators", None)
    if listed is not None:  # Blender 4.2
        return listed[0].bl_label if len(listed) else None
    place = _place()
    if place is None:
        return None
    at = ctypes.c_void_p.from_address(window.as_pointer() + place).value
    for _ in range(_MOST):
        if at is None:
            break
        if ctypes.c_int.from_address(at + 2 * ctypes.sizeof(ctypes.c_void_p)).value == _OF_OPERATOR:
            return "an operation"
        at = ctypes.c_void_p.from_address(at).value
    return None


@functools.lru_cache(maxsize=None)
def _place() -> int | None:
    """Where a window of this Blender has its list of such handlers, as the files say that it writes."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "layout.blend")
        bpy.data.libraries.write(path, set())
        with open(path, "rb") as file:
            return dna.offset(file.read(), "wmWindow", "modalhandlers")
