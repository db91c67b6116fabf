# SPDX-License-Identifier: MIT
"""A copy of the scene, for when this Blender must be killed or ends with unsaved changes."""

from __future__ import annotations

import os
import sys
import time

import bpy

from . import context, scene_file
from .errors import BridgeError, line_of
from .watch import state

IDLE_SECONDS = 1.0


class Recovery:
    """Saves copies to ``path``; the scene's own file and its state of being saved stay as they are."""

    def __init__(self, path: str) -> None:
        if not path.lower().endswith(".blend"):
            raise ValueError(f"--recovery: {path} does not end with .blend")
        self.path = os.path.abspath(path)
        if not os.path.isdir(os.path.dirname(self.path)):
            raise NotADirectoryError(f"--recovery: {os.path.dirname(self.path)} is no directory")
        self._copied = 0  # the changes that the copy has
        self._opened = state.opened  # the files until the copy
        self._busy = time.monotonic()

    def save(self) -> None:
        """Saves a copy of the scene as it is now, for this user alone and without an older one beside it.

        Raises ``BridgeError`` where it cannot be written.
        """
        settings = bpy.context.preferences.filepaths
        versions = settings.save_version
        unsaved = state.unsaved
        mask = os.umask(0o077)
        settings.save_version = 0
        try:
            with context.window():
                bpy.ops.wm.save_as_mainfile(filepath=self.path, copy=True, check_existing=False, compress=False)
        except RuntimeError as error:
            raise BridgeError(
                "OPERATION_FAILED",
                f"the recovery copy of the scene cannot be saved: {line_of(error)}",
                suggestions=["Make room on the disk, and check the directory that the message names"],
            ) from None
        finally:
            state.unsaved = unsaved
            settings.save_version = versions
            os.umask(mask)

    def keep_up(self, served: bool, changes: int) -> None:
        """Saves a copy once the scene has changed and no request came for a second, and as soon as a file was opened.

        A copy that cannot be saved is reported on stderr: the scene is served all the same.
        """
        now = time.monotonic()
        if served:
            self._busy = now
        # A copy of the scene before would be taken for one of the file that is open.
        if state.opened != self._opened or (changes != self._copied and now - self._busy >= IDLE_SECONDS):
            self._copied = changes
            self._opened = state.opened
            try:
                self.save()
            except BridgeError as error:
                print(f"zain-bridge: {error}", file=sys.stderr, flush=True)

    def end(self) -> bool:
        """Saves what is unsaved and returns True, or removes the copy when nothing is."""
        if scene_file.is_dirty():
            self.save()
            return True
        if os.path.exists(self.path):
            os.unlink(self.path)
        return False
