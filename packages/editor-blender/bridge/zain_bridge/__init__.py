# SPDX-License-Identifier: MIT
"""Zain's Blender bridge: programs of the same user read and change the scene over a local socket."""

from __future__ import annotations

bl_info = {
    "name": "Zain Bridge",
    "author": "Zain",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Zain",
    "description": "Lets coding agents read and change the scene through zain-editor-mcp",
    "category": "Development",
}


def register() -> None:
    """Called by Blender when the add-on is enabled."""
    from . import panel

    panel.register()


def unregister() -> None:
    """Called by Blender when the add-on is disabled."""
    from . import panel

    panel.unregister()
