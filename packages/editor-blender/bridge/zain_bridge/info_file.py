# SPDX-License-Identifier: MIT
"""The file by which clients find a bridge: ``<pid>.json``, readable by its user alone."""

from __future__ import annotations

import json
import os
import stat
import tempfile


def default_directory() -> str:
    """``$XDG_RUNTIME_DIR/zain-editors``, or ``zain-editors-<uid>`` below the directory for temporary files."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        return os.path.join(runtime, "zain-editors")
    if hasattr(os, "getuid"):
        return os.path.join(tempfile.gettempdir(), f"zain-editors-{os.getuid()}")
    return os.path.join(tempfile.gettempdir(), "zain-editors")  # Windows: the directory belongs to the user


def _own_directory(directory: str) -> None:
    """Makes ``directory`` with mode 0700. Raises ``PermissionError`` where others could read or write in it."""
    os.makedirs(directory, mode=0o700, exist_ok=True)
    if not hasattr(os, "getuid"):
        return
    found = os.lstat(directory)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(
            f"{directory} must be a directory of this user with mode 0700; remove it or pass --info-dir"
        )


def _alive(pid: int) -> bool:
    if not hasattr(os, "getuid"):
        return True  # os.kill ends a process on Windows
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class InfoFile:
    """The file of this process in ``directory``."""

    def __init__(self, directory: str | None = None) -> None:
        self.directory = directory or default_directory()
        self.path = os.path.join(self.directory, f"{os.getpid()}.json")

    def write(self, *, port: int, token: str, file: str, version: str) -> None:
        """Writes it whole, by another name first."""
        _own_directory(self.directory)
        content = {"pid": os.getpid(), "port": port, "token": token, "file": file, "version": version}
        draft = f"{self.path}.{os.urandom(4).hex()}.tmp"
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(content, out)
            os.replace(draft, self.path)
        except BaseException:
            os.unlink(draft)
            raise

    def remove(self) -> None:
        """Removes it; no error when it is gone."""
        try:
            os.unlink(self.path)
        except OSError:
            pass

    def remove_stale(self) -> None:
        """Removes the files of bridges whose process ended without removing them."""
        try:
            names = os.listdir(self.directory)
        except OSError:
            return
        for name in names:
            stem = name.split(".", 1)[0]
            if name.endswith((".json", ".tmp")) and stem.isdigit() and not _alive(int(stem)):
                try:
                    os.unlink(os.path.join(self.directory, name))
                except OSError:
                    pass
