# SPDX-License-Identifier: MIT
"""A copy of the scene, for when this Blender must be killed or ends with unsaved changes."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from datetime import datetime, timezone

import bpy

from . import context, scene_file
from .errors import BridgeError, line_of
from .watch import quiet, state
from .work import Later

IDLE_SECONDS = 1.0

# Bounds of a directory of copies: the oldest go first.
MOST_COPIES = 16
MOST_BYTES = 2 * 1024**3

#: A copy is saved at most as often as it takes a tenth of the time.
_REST = 9

_NAME = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}\.blend@?")

_used: list[Recovery] = []  # one at most


def used() -> Recovery | None:
    """The copies of this Blender, if it keeps any."""
    return _used[0] if _used else None


def use(recovery: Recovery | None) -> None:
    """Keeps copies from now on, or none."""
    _used[:] = [] if recovery is None else [recovery]


def before_change() -> None:
    """A request is about to change the scene."""
    if _used and not bpy.app.background:  # the loop of a Blender without a window keeps its copy up
        _used[0].keep_before()


def in_window() -> Recovery | None:
    """The copies of a Blender with a window, beside those of launched ones; None where they cannot be kept."""
    directory = private_directory()
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        _clear(directory)
        return Recovery(os.path.join(directory, _new_name()))
    except OSError as error:
        print(f"zain-bridge keeps no copies of the scene: {error}", file=sys.stderr, flush=True)
        return None


def private_directory() -> str:
    """Where copies of scenes and drafts of files are, for this user alone."""
    given = os.environ.get("XDG_STATE_HOME", "")
    state_home = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state_home, "zain", "blender")


def _new_name() -> str:
    return f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}-{os.urandom(4).hex()}.blend"


def _clear(directory: str, *spared: str) -> None:
    """Removes the copies beyond the bounds that were written longest ago, but not those that are ``spared``."""
    found = [entry for entry in os.scandir(directory) if _NAME.fullmatch(entry.name)]
    left = MOST_BYTES
    for count, entry in enumerate(sorted(found, key=lambda entry: entry.stat().st_mtime, reverse=True)):
        left -= entry.stat().st_size
        if entry.path not in spared and (count >= MOST_COPIES or left < 0):
            os.unlink(entry.path)


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
        self._edits = -1  # those that the copy has, in a window
        self._again = 0.0
        self._has_paused = False

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
                bpy.ops.wm.save_as_mainfile(filepath=self.path, copy=True, check_existing=False)
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

    def keep_before(self) -> None:
        """Saves a copy of unsaved work, unless the last one is of this scene, or was saved a moment ago.

        Raises ``Later`` after it, once for a request: when Blender's loop has run, it takes the scene for saved, and
        then must not.
        """
        if self._has_paused:
            self._has_paused = False
            return
        began = time.monotonic()
        same = (state.edits, state.opened) == (self._edits, self._opened)
        if same or began < self._again or not scene_file.is_dirty():
            return
        self._edits, self._opened = state.edits, state.opened
        try:
            with quiet():
                self.save()
            _clear(os.path.dirname(self.path), self.path)
        except (BridgeError, OSError) as error:
            print(f"zain-bridge: {error}", file=sys.stderr, flush=True)
        now = time.monotonic()
        self._again = now + _REST * (now - began)
        state.hidden = self._has_paused = True
        raise Later

    def keep(self) -> str:
        """Saves a copy that stays, and returns its path."""
        self.save()
        directory = os.path.dirname(self.path)
        kept = os.path.join(directory, _new_name())
        shutil.copy2(self.path, kept)
        _clear(directory, self.path, kept)
        state.hidden = True
        return kept

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
