# SPDX-License-Identifier: MIT
"""A bridge: Blender's methods, the queue, the server and the file by which it is found."""

from __future__ import annotations

import atexit
import os
import secrets
from typing import Any, Callable

import bpy

from . import code_method, exchange, files, final_render, objects, preview, scene, scene_file, steps, undo, watch
from .info_file import InfoFile
from .server import Server
from .work import Work

VERSION = "1"


class Bridge:
    """Serves from its making until ``close``. Made, closed and called by Blender's main thread."""

    def __init__(
        self,
        *,
        files_root: str | None = None,
        code: bool = False,
        info_dir: str | None = None,
        port: int = 0,
        before_code: Callable[[], None] = lambda: None,
    ) -> None:
        root = os.path.realpath(files_root) if files_root else None
        if root is not None and not os.path.isdir(root):
            raise NotADirectoryError(f"--files: {files_root} is no directory")
        self.closed = False
        self.changes = 0  # notices of changes so far
        self._token = secrets.token_hex(32)
        own_files = files.Files(root)
        methods: dict[str, Any] = {
            "scene.read": scene.read,
            "object.read": objects.read,
            "steps.apply": steps.apply,
            "code.run": code_method.allowed(before_code) if code else code_method.refuse,
            "preview.render": preview.preview_render,
            "undo": undo.undo,
            "redo": undo.redo,
            "file.open": own_files.open,
            "file.save": own_files.save,
            "file.import": exchange.import_file,
            "file.export": exchange.export_file,
            "file.append": exchange.append,
            "render.frames": final_render.render_frames,
        }
        self.work = Work(methods)
        self._hello = {
            "blender": bpy.app.version_string,
            "bridge": VERSION,
            "pid": os.getpid(),
            "file": scene_file.path(),
            "background": bpy.app.background,
            "files": root,
            "code": code,
        }
        self._info = InfoFile(info_dir)
        self.server = Server(self.work, self._token, lambda: self._hello, port=port)
        watch.start(self._file_changed)
        atexit.register(self._info.remove)
        try:
            self._write()
        except BaseException:
            self.close()
            raise
        self._info.remove_stale()

    @property
    def files(self) -> str | None:
        """The directory for files, or None."""
        return self._hello["files"]

    @property
    def code(self) -> bool:
        """Whether ``code.run`` is allowed."""
        return self._hello["code"]

    def serve(self, timeout: float) -> bool:
        """Serves at most one request, and sends the notice that is due. Returns whether there was a request."""
        served = self.work.serve_one(timeout)
        if watch.due():
            self.changes += 1
            self.server.notify_changed()
        return served

    def close(self) -> None:
        """Ends the server and removes the file."""
        if self.closed:
            return
        self.closed = True
        self._info.remove()
        atexit.unregister(self._info.remove)
        self.server.close()
        watch.stop()

    def _file_changed(self) -> None:
        if self._hello["file"] != scene_file.path():
            self._hello = {**self._hello, "file": scene_file.path()}
            self._write()

    def _write(self) -> None:
        self._info.write(port=self.server.port, token=self._token, file=self._hello["file"], version=VERSION)
