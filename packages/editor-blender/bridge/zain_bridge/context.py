# SPDX-License-Identifier: MIT
"""The scene that the bridge works on, and operators called so that they work from a timer too."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator

import bpy

from .errors import BridgeError
from .params import near


def scene() -> Any:
    """The scene of the first window, or of Blender without one."""
    if bpy.context.scene is not None:
        return bpy.context.scene
    windows = bpy.context.window_manager.windows
    return windows[0].scene if len(windows) else bpy.data.scenes[0]


def layer() -> Any:
    """The view layer that objects are selected in."""
    found = bpy.context.view_layer
    return found if found is not None else scene().view_layers[0]


@contextmanager
def window(in_view: bool = False) -> Iterator[None]:
    """Operators within it have a window where Blender has one; a timer has none by itself.

    With ``in_view`` they have the first 3D view, also where there is a window already.
    """
    windows = bpy.context.window_manager.windows
    if len(windows) == 0 or (bpy.context.window is not None and not in_view):
        yield
        return
    first, area = windows[0], view_3d()
    if area is None:
        with bpy.context.temp_override(window=first):
            yield
        return
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=first, area=area, region=region):
        yield


def view_3d() -> Any:
    """The first 3D view of the first window, or None."""
    windows = bpy.context.window_manager.windows
    areas = windows[0].screen.areas if len(windows) else ()
    return next((area for area in areas if area.type == "VIEW_3D"), None)


def find(name: str, path: list) -> Any:
    """The object ``name`` of the scene, or OBJECT_NOT_FOUND with near names."""
    objects = scene().objects
    found = objects.get(name)
    if found is None:
        suggestions = near(name, objects.keys())
        raise BridgeError("OBJECT_NOT_FOUND", f"no object {name!r} in the scene", path=path, suggestions=suggestions)
    return found


def mode() -> str:
    """OBJECT, or the mode that Blender is in."""
    with window():
        return bpy.context.mode


def leave_mode() -> None:
    """Goes back to Object Mode from one that the request itself went into."""
    if mode() != "OBJECT":
        with window():
            bpy.ops.object.mode_set(mode="OBJECT")


def require_object_mode() -> None:
    """Edit Mode and its like have undo steps of their own, and their data is not what the scene holds."""
    if bpy.app.background:
        leave_mode()
    elif mode() != "OBJECT":
        raise BridgeError(
            "OPERATION_FAILED",
            f"Blender is in the mode {mode()}; scenes are changed in Object Mode only",
            suggestions=["Leave the mode in Blender (Tab, or the menu of modes in the 3D view) and call it again"],
        )


class _Evaluation:
    pending = True


def outdate() -> None:
    """Something was changed: world matrices are those of before until ``updated`` is called."""
    _Evaluation.pending = True


def updated() -> None:
    """Makes world matrices those of now, where something was changed since."""
    if _Evaluation.pending:
        layer().update()
        _Evaluation.pending = False
