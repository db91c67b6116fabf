# SPDX-License-Identifier: MIT
"""The methods ``file.import``, ``file.export`` and ``file.append``, below the bridge's directory alone.

What is read was written by others: none of its scripts runs, and it brings nothing of files elsewhere.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import Any, Iterator, NamedTuple

import bpy

from . import audit, changes, context, files, modal, placing
from .errors import BridgeError
from .params import NAME, array, boolean, near, one_of, record, text
from .undo import with_undo
from .watch import quiet

_PATH = text(4096)
_IMPORT = record({"path": _PATH})
_EXPORT = record({"path": _PATH}, {"selected": boolean, "overwrite": boolean})
_APPEND = record(
    {"path": _PATH},
    {"kind": one_of("objects", "collections", "materials"), "names": array(NAME, 1, 1000), "link": boolean},
)


class _Format(NamedTuple):
    """A format, and the operators that read and write it: the first is used that this Blender has."""

    name: str
    importers: tuple[str, ...]
    exporters: tuple[str, ...]


_GLTF = _Format("glTF", ("import_scene.gltf",), ("export_scene.gltf",))
_OBJ = _Format("OBJ", ("wm.obj_import",), ("wm.obj_export",))
_USD = _Format("USD", ("wm.usd_import",), ("wm.usd_export",))

#: The formats by the ends of their files' names.
FORMATS: dict[str, _Format] = {
    ".glb": _GLTF,
    ".gltf": _GLTF,
    ".obj": _OBJ,
    ".fbx": _Format("FBX", ("import_scene.fbx", "wm.fbx_import"), ("export_scene.fbx",)),
    ".stl": _Format("STL", ("wm.stl_import", "import_mesh.stl"), ("wm.stl_export", "export_mesh.stl")),
    ".ply": _Format("PLY", ("wm.ply_import", "import_mesh.ply"), ("wm.ply_export", "export_mesh.ply")),
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), _USD),
}

# Options of importers and exporters, each given to those that have it. An image that is packed then has its content
# from the file itself, and what is written beside the file is all that it refers to.
_READING = {"import_pack_images": False, "use_image_search": False, "import_textures_mode": "IMPORT_NONE"}
_WRITING = {"check_existing": False, "path_mode": "COPY", "embed_textures": True}
_WHOLE_SCENE = {"export_cameras": True, "export_lights": True}
_SELECTED = ("use_selection", "export_selected_objects", "selected_objects_only")

# The data-blocks that refer to files.
_REFERRING = ("images", "libraries", "sounds", "movieclips", "cache_files", "fonts", "volumes")


def import_file(params: dict, _hold: object) -> dict:
    """The method ``file.import``."""
    path = files.existing(_IMPORT(params, [])["path"], tuple(FORMATS))
    chosen = FORMATS[os.path.splitext(path)[1].lower()]
    operator, known = _operator("import", chosen, chosen.importers)

    def action() -> dict:
        before = _references()
        with audit.reads_below(files.root(), *filter(os.path.isabs, sys.path)) as refused:
            try:
                if chosen is _OBJ:
                    _judge_materials(path)
                _run("import", operator, {**_of(known, _READING), "filepath": path})
            finally:
                if refused:
                    raise BridgeError(
                        "PERMISSION_DENIED",
                        f"the file refers to another that is not below the bridge's directory: {refused[0]}",
                        path=["path"],
                    )
        changes.forget()
        return {"missing": _leave_out(before)}

    return {"files": [path], **with_undo(action)}


def export_file(params: dict, _hold: object) -> dict:
    """The method ``file.export``: the scene, or with ``selected`` the selected objects."""
    checked = _EXPORT(params, [])
    modal.require_none()
    context.require_object_mode()
    overwrite = checked.get("overwrite", False)
    path = files.target(checked["path"], tuple(FORMATS), overwrite)
    ending = os.path.splitext(path)[1].lower()
    operator, known = _operator("export", FORMATS[ending], FORMATS[ending].exporters)
    options = _of(known, {**_WRITING, **_WHOLE_SCENE, "export_format": "GLB" if ending == ".glb" else "GLTF_SEPARATE"})
    options.update(_of(known, dict.fromkeys(_SELECTED, checked.get("selected", False))))

    def write(draft: str) -> None:
        with quiet():
            _run("export", operator, {**options, "filepath": draft})

    return {"files": files.publish(path, overwrite, write)}


def append(params: dict, _hold: object) -> dict:
    """The method ``file.append``: data of another scene's file, copied or linked."""
    checked = _APPEND(params, [])
    path, kind = files.existing(checked["path"], (".blend",)), checked.get("kind", "objects")
    if bpy.context.preferences.filepaths.use_scripts_auto_execute:
        raise BridgeError(
            "PERMISSION_DENIED",
            "Blender would run the Python of the file's drivers: Auto Run Python Scripts is on",
            suggestions=["Turn it off in Preferences > Save & Load"],
        )

    def action() -> dict:
        before = _references()
        try:
            with bpy.data.libraries.load(path, link=checked.get("link", False)) as (found, wanted):
                there = getattr(found, kind)
                names = checked.get("names", list(there))
                for index, name in enumerate(names):
                    if name not in there:
                        message = f"the file has no {name!r} among its {kind}"
                        raise BridgeError(
                            "RESOURCE_NOT_FOUND", message, path=["names", index], suggestions=near(name, there)
                        )
                setattr(wanted, kind, list(names))
        except OSError:
            raise BridgeError("OPERATION_FAILED", "Blender cannot read the file", path=["path"]) from None
        loaded = [each for each in getattr(wanted, kind) if each is not None]
        for each in loaded:
            if kind == "objects":
                placing.link(each)
            elif kind == "collections":
                context.scene().collection.children.link(each)
        changes.forget()
        names = [each.name for each in loaded]
        return {"names": names, "missing": _leave_out(before)}

    return {"files": [path], **with_undo(action)}


def _operator(what: str, chosen: _Format, names: tuple[str, ...]) -> tuple[Any, set[str]]:
    """The operator that this Blender has, and the options that it takes."""
    for name in names:
        module, _, own = name.partition(".")
        found = getattr(getattr(bpy.ops, module), own)
        try:
            return found, {prop.identifier for prop in found.get_rna_type().properties}
        except KeyError:
            continue
    raise BridgeError(
        "OPERATION_UNSUPPORTED",
        f"this Blender ({bpy.app.version_string}) cannot {what} {chosen.name}",
        path=["path"],
        suggestions=[f"Use another format: the end of the path chooses it, one of {', '.join(FORMATS)}"],
    )


def _of(known: set[str], options: dict) -> dict:
    return {name: value for name, value in options.items() if name in known}


def _run(what: str, operator: Any, options: dict) -> None:
    try:
        with context.window(), _former_names():
            if "FINISHED" in operator(**options):
                return
        reason = "it gave no reason"
    except RuntimeError as error:
        lines = [line for line in str(error).splitlines() if line and not line.lower().startswith("location:")]
        reason = lines[-1][:300] if lines else type(error).__name__
    raise BridgeError("OPERATION_FAILED", f"Blender cannot {what} the file: {reason}", path=["path"])


@contextmanager
def _former_names() -> Iterator[None]:
    """The add-ons of Blender 3.4 use a name that NumPy 1.24, which Debian has beside it, took away."""
    import numpy

    is_missing = "bool" not in vars(numpy)
    if is_missing:
        numpy.bool = bool
    try:
        yield
    finally:
        if is_missing:
            del numpy.bool


def _judge_materials(path: str) -> None:
    """Blender reads the materials of an OBJ by itself, wherever the file says that they are."""
    with open(path, "rb") as file:
        content = re.sub(rb"\\\r?\n", b" ", file.read())
    for name in re.findall(rb"^\s*mtllib\s+(.*?)\s*$", content, re.MULTILINE):
        place = os.path.join(os.path.dirname(path), os.fsdecode(name))
        if not files.is_below(place):
            audit.refuse(f"open {place!r}"[:200])


def _references() -> set[int]:
    return {each.as_pointer() for kind in _REFERRING for each in getattr(bpy.data, kind)}


def _leave_out(before: set[int]) -> list[str]:
    """Removes new data-blocks whose files are elsewhere, and returns the paths of the first of them."""
    paths = []
    for kind in _REFERRING:
        for each in list(getattr(bpy.data, kind)):
            path = each.filepath
            if each.as_pointer() in before or path in ("", "<builtin>") or getattr(each, "packed_file", None):
                continue
            if not files.is_below(bpy.path.abspath(path, library=each.library)):
                paths.append(path[:300])
                getattr(bpy.data, kind).remove(each)
    return paths[:20]
