# SPDX-License-Identifier: MIT
"""The methods ``file.open`` and ``file.save``, below one directory alone."""

from __future__ import annotations

import os
import stat

import bpy

from . import context, modal, recovery, scene_file
from .errors import BridgeError, line_of
from .params import boolean, record, text

_OPEN = record({"path": text(4096)}, {"discard": boolean})
_SAVE = record(optional={"path": text(4096)})


def below(root: str | None, path: str) -> str:
    """The real path of ``path``, which may be relative to ``root``. Fails where it is not below ``root``."""
    if root is None:
        raise BridgeError(
            "PERMISSION_DENIED",
            "files are off: the bridge has no directory for them",
            path=["path"],
            suggestions=["Start the bridge with --files DIRECTORY, or set the directory in its panel"],
        )
    real_root = os.path.realpath(root)
    real = os.path.realpath(os.path.join(real_root, path))
    try:
        inside = os.path.commonpath([real_root, real]) == real_root and real != real_root
    except ValueError:  # another drive of Windows
        inside = False
    if not inside:
        raise BridgeError(
            "PERMISSION_DENIED",
            "the path is not below the bridge's directory for files",
            path=["path"],
            suggestions=["Give a path below the directory that hello names as files"],
        )
    if not real.lower().endswith(".blend"):
        raise BridgeError("INVALID_VALUE", "the path must end with .blend", path=["path"])
    return real


class Files:
    """File methods below ``root``; None allows none."""

    def __init__(self, root: str | None) -> None:
        self.root = root

    def open(self, params: dict, _hold: object) -> dict:
        """The method ``file.open``. Scripts in the file do not run."""
        checked = _OPEN(params, [])
        path = below(self.root, checked["path"])
        if not os.path.isfile(path):
            raise BridgeError("RESOURCE_NOT_FOUND", "no such file below the bridge's directory", path=["path"])
        modal.require_none()
        is_dirty = scene_file.is_dirty()
        if is_dirty and not checked.get("discard"):
            raise BridgeError(
                "OPERATION_FAILED",
                "the scene has unsaved changes, which opening a file would lose",
                suggestions=["Save it first, or give discard: true"],
            )
        copies = recovery.used()
        kept = copies.keep() if is_dirty and copies is not None else None
        try:
            with context.window():
                bpy.ops.wm.open_mainfile(filepath=path, load_ui=False, use_scripts=False)
        except RuntimeError as error:
            raise BridgeError(
                "OPERATION_FAILED", f"Blender cannot open the file: {line_of(error)}", path=["path"]
            ) from None
        return {"file": bpy.data.filepath, **({} if kept is None else {"discarded": kept})}

    def save(self, params: dict, _hold: object) -> dict:
        """The method ``file.save``. Without ``path`` the scene's own file, which must be below ``root`` too."""
        given = _SAVE(params, []).get("path") or scene_file.path()
        modal.require_none()
        if not given and self.root is not None:
            raise BridgeError("MISSING_FIELD", "the scene has no file yet: path is needed", path=["path"])
        path = below(self.root, given)
        if not os.path.isdir(os.path.dirname(path)):
            raise BridgeError("RESOURCE_NOT_FOUND", "the directory of the path does not exist", path=["path"])
        _check_draft(f"{path}@")
        try:
            with context.window():
                bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
        except RuntimeError as error:
            raise BridgeError("OPERATION_FAILED", f"Blender cannot save: {line_of(error)}", path=["path"]) from None
        return {"file": bpy.data.filepath}


def _check_draft(draft: str) -> None:
    """Blender writes a scene to ``draft`` first, also through a link that leads out of the directory."""
    if os.path.lexists(draft) and not stat.S_ISREG(os.lstat(draft).st_mode):
        raise BridgeError(
            "PERMISSION_DENIED",
            "where Blender writes the scene first (the path with @ at its end) is something else than a file",
            path=["path"],
            suggestions=["Give another path, or remove what is there"],
        )
