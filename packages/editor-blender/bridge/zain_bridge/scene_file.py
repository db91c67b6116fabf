# SPDX-License-Identifier: MIT
"""The .blend file that the scene belongs to: not always the one that Blender opened."""

from __future__ import annotations

import bpy

from .watch import state


class _Restored:
    """A scene that was opened from a copy, and the file that the copy was made of; empty where it was never saved."""

    copy = ""
    original = ""


def restore(copy: str, original: str) -> None:
    """The scene that is open came from ``copy``. It belongs to ``original`` until it is saved, or another is opened."""
    _Restored.copy = copy
    _Restored.original = original


def _is_copy() -> bool:
    return _Restored.copy != "" and bpy.data.filepath == _Restored.copy


def path() -> str:
    """The scene's file, or an empty text."""
    return _Restored.original if _is_copy() else bpy.data.filepath


def is_dirty() -> bool:
    """Whether the scene differs from its file. That of a copy does: it was unsaved."""
    # Without a window Blender's own answer stays True for ever, also after the scene was saved.
    return _is_copy() or (state.unsaved if bpy.app.background else state.hidden or bpy.data.is_dirty)
