# SPDX-License-Identifier: MIT
"""Overrides of Blender's context by code. After some that failed, an undo ends a Blender 3.4 with a window."""

from __future__ import annotations

import sys
from typing import Any, Callable

from . import audit


def checked(method: Callable) -> Callable:
    """A method ``temp_override``; that of the context raises PermissionError where it could end Blender."""
    bpy = sys.modules.get("bpy")
    if bpy is None or not isinstance(getattr(method, "__self__", None), bpy.types.Context):
        return method

    def override(**members: Any) -> Any:
        parts = [name for name in ("screen", "area", "region") if members.get(name) is not None]
        if parts or not bpy.app.background:
            what = f" of `{parts[0]}`" if parts else " in a Blender with a window"
            audit.refuse(f"temp_override{what}, after which an undo can end Blender ({_INSTEAD})")
        return method(**members)

    return override


_INSTEAD = "instead, select objects with select_set, and set bpy.context.view_layer.objects.active"
