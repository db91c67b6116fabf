# SPDX-License-Identifier: MIT
"""The add-on in Blender's window: preferences, the panel in the 3D view's sidebar, and the timer that serves."""

import os
import sys
import time
import traceback
from typing import Any

import bpy

from . import recovery, undo
from .bridge import Bridge
from .watch import state

SOON_SECONDS = 0.02
IDLE_SECONDS = 0.25
SLICE_SECONDS = 0.05
NEXT_SECONDS = 0.005  # what an answer leads to usually arrives within it

_running: list[Bridge] = []  # one at most


def bridge() -> Bridge | None:
    """The bridge that serves, or None."""
    return _running[0] if _running else None


def start(preferences: Any) -> Bridge:
    """Starts the bridge by the add-on's preferences."""
    stop()
    directory = bpy.path.abspath(preferences.files) if preferences.files else None
    made = Bridge(files_root=directory, code=preferences.code, port=preferences.port)
    _running.append(made)
    recovery.use(None if bpy.app.background else recovery.in_window())
    bpy.app.timers.register(_serve, persistent=True)
    return made


def stop() -> None:
    """Ends the bridge; nothing happens where none runs."""
    if bpy.app.timers.is_registered(_serve):
        bpy.app.timers.unregister(_serve)
    if _running and not bpy.app.background:
        undo.unhide()
    while _running:
        _running.pop().close()
    recovery.use(None)


def _serve() -> float | None:
    """Serves what waits, in the main thread, for at most a slice of time; gives the seconds to the next call."""
    running = bridge()
    if running is None:
        return None
    try:
        if not _renders():
            was_hidden = state.hidden
            end = time.monotonic() + SLICE_SECONDS
            state.written = False
            served = running.serve(0)
            while served and not state.written and time.monotonic() < end:
                served = running.serve(NEXT_SECONDS)
            if was_hidden:
                undo.unhide()
    except Exception:  # a timer that raises is never called again
        traceback.print_exc(file=sys.stderr)
    return SOON_SECONDS if running.server.connected() else IDLE_SECONDS


def _renders() -> bool:
    """Whether the user renders: the scene must not change until it is done."""
    is_running = getattr(bpy.app, "is_job_running", None)
    return is_running is not None and is_running("RENDER")


def _preferences(context: Any) -> Any:
    return context.preferences.addons[__package__].preferences


class ZainBridgePreferences(bpy.types.AddonPreferences):
    """Settings of the bridge; they apply when it is started."""

    bl_idname = __package__

    files: bpy.props.StringProperty(
        name="Files", description="Directory that files are read and written below; none if empty", subtype="DIR_PATH"
    )
    code: bpy.props.BoolProperty(
        name="Allow Python code",
        description="Runs code that agents send, after a check. The check is no sandbox",
        default=False,
    )
    port: bpy.props.IntProperty(
        name="Port", description="Port on 127.0.0.1; 0 takes any free one", default=0, min=0, max=65535
    )
    start_with_blender: bpy.props.BoolProperty(
        name="Start with Blender", description="Starts the bridge when Blender starts", default=False
    )

    def draw(self, _context: Any) -> None:
        """Draws the settings in the preferences."""
        for name in ("files", "code", "port", "start_with_blender"):
            self.layout.prop(self, name)


class ZAIN_OT_start(bpy.types.Operator):
    """Listen on 127.0.0.1 for programs of the same user"""

    bl_idname = "zain.start"
    bl_label = "Start"

    def execute(self, context: Any) -> set[str]:
        """Starts the bridge."""
        try:
            start(_preferences(context))
        except (OSError, ImportError) as error:
            self.report({"ERROR"}, f"The bridge could not start: {error}")
            return {"CANCELLED"}
        return {"FINISHED"}


class ZAIN_OT_stop(bpy.types.Operator):
    """Close all connections of the bridge"""

    bl_idname = "zain.stop"
    bl_label = "Stop"

    def execute(self, _context: Any) -> set[str]:
        """Stops the bridge."""
        stop()
        return {"FINISHED"}


class ZAIN_PT_bridge(bpy.types.Panel):
    """The bridge's panel"""

    bl_idname = "ZAIN_PT_bridge"
    bl_label = "Zain Bridge"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Zain"

    def draw(self, context: Any) -> None:
        """Draws state and settings."""
        layout = self.layout
        running = bridge()
        if running is None:
            settings = _preferences(context)
            for name in ("files", "code", "port"):
                layout.prop(settings, name)
            layout.operator("zain.start", icon="PLAY")
            return
        layout.label(text=f"Listens on 127.0.0.1:{running.server.port}", icon="LINKED")
        layout.label(text=f"Connections: {running.server.connected()}")
        layout.label(text=f"Files: {running.files or 'off'}")
        layout.label(text=f"Python code: {'on' if running.code else 'off'}")
        copies = recovery.used()
        layout.label(text=f"Copies: {os.path.dirname(copies.path) if copies else 'off'}")
        layout.operator("zain.stop", icon="PAUSE")


_CLASSES = (ZainBridgePreferences, ZAIN_OT_start, ZAIN_OT_stop, ZAIN_PT_bridge)


def _start_with_blender() -> None:
    """Called once by a timer: while Blender registers add-ons its data is out of reach."""
    addon = bpy.context.preferences.addons.get(__package__)
    if addon is None or not addon.preferences.start_with_blender or bridge() is not None:
        return
    try:
        start(addon.preferences)
    except (OSError, ImportError) as error:
        print(f"zain-bridge could not start: {error}", file=sys.stderr)


def register() -> None:
    """Adds the panel."""
    for each in _CLASSES:
        bpy.utils.register_class(each)
    if not bpy.app.background:
        bpy.app.timers.register(_start_with_blender, first_interval=0.5)


def unregister() -> None:
    """Ends the bridge and takes the panel away."""
    if bpy.app.timers.is_registered(_start_with_blender):
        bpy.app.timers.unregister(_start_with_blender)
    stop()
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)
