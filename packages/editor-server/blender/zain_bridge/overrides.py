# SPDX-License-Identifier: MIT
"""Overrides of Blender's context by code: Blender 3.4 crashes after one whose parts do not belong together."""

from __future__ import annotations

import sys
from typing import Any, Callable


def checked(method: Callable) -> Callable:
    """A method ``temp_override``; that of the context raises ValueError for parts that do not belong together."""
    bpy = sys.modules.get("bpy")
    owner = getattr(method, "__self__", None)
    if bpy is None or not isinstance(owner, bpy.types.Context):
        return method

    def override(**members: Any) -> Any:
        windows = owner.window_manager.windows
        window = _part(members, "window", windows, "open windows") or owner.window
        screens = [] if window is None else [window.screen]
        screen = _part(members, "screen", screens, "screens of the window") or (screens[0] if screens else None)
        area = _part(members, "area", screen.areas if screen else [], "areas of the screen")
        if area is None and window == owner.window and screen == owner.screen:
            area = owner.area
        _part(members, "region", area.regions if area else [], "regions of the area")
        return method(**members)

    return override


def _part(members: dict, name: str, known: Any, of: str) -> Any:
    part = members.get(name)
    if part is not None and not any(part == other for other in known):
        raise ValueError(f"temp_override: `{name}` is none of the {of}")
    return part
