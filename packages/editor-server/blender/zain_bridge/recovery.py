# SPDX-License-Identifier: MIT
"""A copy of the scene, for when this Blender must be killed or ends with unsaved changes."""

from __future__ import annotations

import os

import bpy

from . import context


class Recovery:
    """Saves copies to ``path``; the scene's own file and its state of being saved stay as they are."""

    def __init__(self, path: str) -> None:
        if not path.lower().endswith(".blend"):
            raise ValueError(f"--recovery: {path} does not end with .blend")
        self.path = os.path.abspath(path)
        if not os.path.isdir(os.path.dirname(self.path)):
            raise NotADirectoryError(f"--recovery: {os.path.dirname(self.path)} is no directory")

    def save(self) -> None:
        """Saves a copy of the scene as it is now."""
        with context.window():
            bpy.ops.wm.save_as_mainfile(filepath=self.path, copy=True, check_existing=False, compress=False)

    def end(self) -> bool:
        """Saves what is unsaved and returns True, or removes the copy when nothing is."""
        if bpy.data.is_dirty:
            self.save()
            return True
        if os.path.exists(self.path):
            os.unlink(self.path)
        return False
