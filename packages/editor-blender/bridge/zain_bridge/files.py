# SPDX-License-Identifier: MIT
"""The methods ``file.open`` and ``file.save``, and paths of files: below one directory alone."""

from __future__ import annotations

import errno
import filecmp
import os
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager
from typing import Callable, Iterable, Iterator

import bpy

from . import context, modal, recovery, scene_file
from .errors import BridgeError, line_of
from .params import boolean, record, text

#: The largest file that is read, and the most that one request writes, in bytes.
MOST_BYTES = 1024**3

#: What has not changed for so long is no draft of a render any more.
_OLD_SECONDS = 2 * 86_400

#: The ends of the names of images.
IMAGES = (".bmp", ".exr", ".hdr", ".jpeg", ".jpg", ".png", ".tga", ".tif", ".tiff", ".webp")

_OPEN = record({"path": text(4096)}, {"discard": boolean})
_SAVE = record(optional={"path": text(4096), "overwrite": boolean})

_roots: list[str | None] = [None]  # that of the bridge that was made last


def root() -> str | None:
    """The directory for files, or None where there is none."""
    return _roots[0]


def _is_below(real_root: str, real: str) -> bool:
    try:
        return os.path.commonpath([real_root, real]) == real_root and real != real_root
    except ValueError:  # another drive of Windows
        return False


def is_below(path: str) -> bool:
    """Whether ``path`` is below the bridge's directory once links are resolved."""
    root = _roots[0]
    return root is not None and _is_on_drive(root, path) and _is_below(os.path.realpath(root), os.path.realpath(path))


def _is_on_drive(root: str, path: str) -> bool:
    """Windows: a path of another host must not be resolved, which would tell that host of this user."""
    drive = os.path.splitdrive(os.path.abspath(path))[0].lower()
    return drive in [os.path.splitdrive(place)[0].lower() for place in (root, os.path.realpath(root))]


def refers_elsewhere(what: str) -> BridgeError:
    """The failure of a file that names another, ``what``, which must not be read."""
    shown = what[:200].encode("utf-8", "replace").decode("utf-8")
    message = f"the file refers to another that is no file below the bridge's directory: {shown}"
    return BridgeError("PERMISSION_DENIED", message, path=["path"])


def require_file_below(path: str, what: str) -> None:
    """Fails where ``path``, which another file names as ``what``, is elsewhere, or is there and no file."""
    if not is_below(path) or (os.path.exists(path) and not os.path.isfile(path)):
        raise refers_elsewhere(what)


def is_image(path: str) -> bool:
    """Whether ``path`` is a file below the bridge's directory whose name is one of an image."""
    return is_below(path) and os.path.isfile(path) and _ending(os.path.realpath(path)) in IMAGES


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def below(root: str | None, path: str, endings: tuple[str, ...] = (".blend",), at: Iterable = ("path",)) -> str:
    """The real path of ``path``, which may be relative to ``root``. Fails where it is not below ``root``.

    It must have one of ``endings``; ``at`` is where it stands in the params.
    """
    if root is None:
        raise BridgeError(
            "PERMISSION_DENIED",
            "files are off: the bridge has no directory for them",
            path=[*at],
            suggestions=["Start the bridge with --files DIRECTORY, or set the directory in its panel"],
        )
    real_root = os.path.realpath(root)
    joined = os.path.join(real_root, path)
    real = os.path.realpath(joined) if _is_on_drive(root, joined) else ""
    if not real or not _is_below(real_root, real):
        raise BridgeError(
            "PERMISSION_DENIED",
            "the path is not below the bridge's directory for files",
            path=[*at],
            suggestions=["Give a path below the directory that hello names as files"],
        )
    if _ending(real) not in endings:
        expected = endings[0] if len(endings) == 1 else f"one of {', '.join(endings)}"
        raise BridgeError("INVALID_VALUE", f"the path must end with {expected}", path=[*at])
    return real


def existing(path: str, endings: tuple[str, ...], at: Iterable = ("path",)) -> str:
    """The real path of a file below the bridge's directory that is to be read."""
    real = below(root(), path, endings, at)
    if not os.path.isfile(real):
        raise BridgeError("RESOURCE_NOT_FOUND", "no such file below the bridge's directory", path=[*at])
    require_small(real, at=at)
    return real


def target(path: str, endings: tuple[str, ...], overwrite: bool) -> str:
    """The real path of a file below the bridge's directory that is to be written."""
    real = below(root(), path, endings)
    if not os.path.isdir(os.path.dirname(real)):
        raise BridgeError("RESOURCE_NOT_FOUND", "the directory of the path does not exist", path=["path"])
    require_free(real, overwrite and not os.path.isdir(real))
    return real


def require_free(path: str, overwrite: bool) -> None:
    """Fails where ``path`` exists, unless it may be overwritten."""
    if not overwrite and os.path.lexists(path):
        raise BridgeError(
            "OPERATION_FAILED",
            f"{os.path.basename(path)} exists",
            path=["path"],
            suggestions=["Give another path, or overwrite: true"],
        )


def require_small(path: str, before: int = 0, at: Iterable = ("path",)) -> int:
    """The size of a file. Fails where it is over the bound, together with the ``before`` bytes of others."""
    size = os.path.getsize(path)
    if before + size > MOST_BYTES:
        raise BridgeError("INVALID_VALUE", f"over {MOST_BYTES} bytes are neither read nor written", path=[*at])
    return size


@contextmanager
def private() -> Iterator[str]:
    """A directory of this user alone, removed at the end: Blender follows links, and none can be put there."""
    try:
        place = recovery.private_directory()
        os.makedirs(place, mode=0o700, exist_ok=True)
        for entry in os.scandir(place):  # those of a Blender that was killed
            if entry.name.startswith("draft-") and time.time() - entry.stat().st_mtime > _OLD_SECONDS:
                shutil.rmtree(entry.path, ignore_errors=True)
        directory = tempfile.mkdtemp(prefix="draft-", dir=place)
    except OSError as error:
        raise BridgeError("OPERATION_FAILED", f"drafts cannot be written: {error}") from None
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def publish(path: str, overwrite: bool, write: Callable[[str], None]) -> list[str]:
    """Has ``write`` write a draft of ``path``, and moves it and what is written beside it to their places."""
    with private() as directory:
        write(os.path.join(directory, os.path.basename(path)))
        drafts = [os.path.join(place, name) for place, _, names in os.walk(directory) for name in names]
        if not drafts:
            raise BridgeError("OPERATION_FAILED", "Blender wrote no file", path=["path"])
        size, moves = 0, []
        for draft in sorted(drafts):
            size += require_small(draft, size)
            to = os.path.join(os.path.dirname(path), os.path.relpath(draft, directory))
            to = below(root(), to, (_ending(draft),))
            moves.append((draft, to))
            # The name of a texture, which a stranger chose, takes the place of no other file.
            if os.path.splitext(to)[0] == os.path.splitext(path)[0]:
                require_free(to, overwrite)
            elif not (os.path.isfile(to) and filecmp.cmp(draft, to, shallow=False)):
                require_free(to, False)
        try:
            for draft, to in moves:
                move_in(draft, to)
        except OSError as error:
            raise BridgeError("OPERATION_FAILED", f"the file cannot be written: {error}", path=["path"]) from None
    return [to for _, to in moves]


def move_in(draft: str, to: str) -> None:
    """Moves ``draft`` to ``to`` below the bridge's directory. Links that stand there by now are not followed."""
    if not stat.S_ISREG(os.lstat(draft).st_mode):
        raise OSError(f"{os.path.basename(draft)} is no file")
    if os.open not in os.supports_dir_fd:  # Windows, where links need a privilege
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.move(draft, to)
        return
    place, name = _open_directory(os.path.dirname(to)), os.path.basename(to)
    try:
        os.replace(draft, name, dst_dir_fd=place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        between = f".zain-{os.urandom(8).hex()}"
        handle = os.open(between, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=place)
        try:
            with os.fdopen(handle, "wb") as out, open(draft, "rb") as source:
                shutil.copyfileobj(source, out)
            os.replace(between, name, src_dir_fd=place, dst_dir_fd=place)
        except OSError:
            os.unlink(between, dir_fd=place)
            raise
    finally:
        os.close(place)


def _open_directory(directory: str) -> int:
    """Opens a directory below the root, following no link, and makes what is missing of it."""
    real_root = os.path.realpath(root() or "")
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    found = os.open(real_root, flags)
    for name in os.path.relpath(directory, real_root).split(os.sep):
        try:
            if name != os.curdir:
                try:
                    os.mkdir(name, dir_fd=found)
                except FileExistsError:
                    pass
            inner = os.open(name, flags, dir_fd=found)
        finally:
            os.close(found)
        found = inner
    return found


class Files:
    """File methods below ``root``; None allows none."""

    def __init__(self, root: str | None) -> None:
        self.root = _roots[0] = root

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
        checked, own = _SAVE(params, []), scene_file.path()
        given = checked.get("path") or own
        modal.require_none()
        if not given and self.root is not None:
            raise BridgeError("MISSING_FIELD", "the scene has no file yet: path is needed", path=["path"])
        is_own = own != "" and below(self.root, given) == os.path.realpath(own)
        path = target(given, (".blend",), is_own or checked.get("overwrite", False))
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
