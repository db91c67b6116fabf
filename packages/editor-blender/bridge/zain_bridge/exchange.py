# SPDX-License-Identifier: MIT
"""The methods ``file.import``, ``file.export`` and ``file.append``, below the bridge's directory alone.

What is read was written by others: none of its scripts runs, and it brings nothing of files elsewhere.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, NamedTuple
from urllib.parse import unquote

import bpy

from . import audit, changes, context, files, modal, obj_materials, placing
from .errors import BridgeError, line_of
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

# The importer of FBX in C, wm.fbx_import, opens images wherever the file says that they are.

#: The formats by the ends of their files' names.
FORMATS: dict[str, _Format] = {
    ".glb": _GLTF,
    ".gltf": _GLTF,
    ".obj": _OBJ,
    ".fbx": _Format("FBX", ("import_scene.fbx",), ("export_scene.fbx",)),
    ".stl": _Format("STL", ("wm.stl_import", "import_mesh.stl"), ("wm.stl_export", "export_mesh.stl")),
    ".ply": _Format("PLY", ("wm.ply_import", "import_mesh.ply"), ("wm.ply_export", "export_mesh.ply")),
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), _USD),
}

# Options of importers and exporters, each given to those that have it. An image that is packed then has its content
# from the file itself, and what is written beside the file is all that it refers to.
_READING = {"import_pack_images": False, "use_image_search": False, "import_textures_mode": "IMPORT_NONE"}
_WRITING = {"check_existing": False, "path_mode": "COPY", "embed_textures": True}
_WITHOUT_IMAGES = (".stl", ".ply")
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
        if chosen is _GLTF:
            _judge_gltf(path)
        with files.private() as directory, _images_below() as elsewhere:
            source, missing = obj_materials.copy(path, directory) if chosen is _OBJ else (path, [])
            readable = (files.root(), directory, *filter(os.path.isabs, sys.path))
            with audit.reads_below(*readable) as refused:
                try:
                    _run("import", operator, {**_of(known, _READING), "filepath": source})
                finally:
                    if refused:
                        raise files.refers_elsewhere(refused[0])
        changes.forget()
        left_out = missing + [elsewhere.get(each, each) for each in _leave_out(before)]
        return {"missing": _bounded(left_out)}

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

    images = {} if ending in _WITHOUT_IMAGES else _exported_images()
    if ending == ".obj":  # Blender copies whatever lies where an image says that it is
        options["path_mode"] = "STRIP"

    def write(draft: str) -> None:
        with quiet():
            _run("export", operator, {**options, "filepath": draft})
        materials = f"{draft[:-4]}.mtl"
        try:
            if ending == ".obj" and os.path.isfile(materials):
                _write_images(images, materials)
        except OSError as error:
            raise BridgeError("OPERATION_FAILED", f"an image cannot be written: {line_of(error)}") from None

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
        before, old = _references(), {each.as_pointer() for each in bpy.data.objects}
        # Its update ends also what "Trusted Source" and the option -y have allowed to this session.
        bpy.context.preferences.filepaths.use_scripts_auto_execute = False
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
                setattr(wanted, kind, list(dict.fromkeys(names)))  # Blender crashes at a name given twice
        except OSError:
            raise BridgeError("OPERATION_FAILED", "Blender cannot read the file", path=["path"]) from None
        loaded = [each.as_pointer() for each in getattr(wanted, kind) if each is not None]
        missing = _leave_out(before)
        missing += _leave_out_caches(each for each in list(bpy.data.objects) if each.as_pointer() not in old)
        there = {each.as_pointer(): each for each in getattr(bpy.data, kind)}
        kept = [there[each] for each in loaded if each in there]
        for each in kept:
            if kind == "objects":
                placing.link(each)
            elif kind == "collections" and each not in context.scene().collection.children.values():
                context.scene().collection.children.link(each)
        changes.forget()
        return {"names": [each.name for each in kept], "missing": _bounded(missing)}

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


def _judge_gltf(path: str) -> None:
    """Refuses a glTF that names a file elsewhere, or something else than a file, before Blender opens it."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:4] == b"glTF":
        content = content[20 : 20 + int.from_bytes(content[12:16], "little")]
    try:
        shape = json.loads(content.decode("utf-8"))
        uris = [each.get("uri") for kind in ("buffers", "images") for each in shape.get(kind) or []]
        for uri in filter(None, uris):
            name = unquote(uri)
            for place in () if uri.startswith("data:") else (name, os.path.normpath(name)):
                files.require_file_below(os.path.join(os.path.dirname(path), place), uri)
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise BridgeError("OPERATION_FAILED", "the file is no glTF that can be read", path=["path"]) from None


@contextmanager
def _images_below() -> Iterator[dict[str, str]]:
    """Within it the importers in Python load images below the bridge's directory alone.

    Gives the paths of the others, by those of the images that stand for them.
    """
    from bpy_extras import image_utils

    load, elsewhere = image_utils.load_image, {}

    def load_below(path: str, dirname: str = "", place_holder: bool = False, **options: Any) -> Any:
        native = bpy.path.native_pathsep(path)
        name = os.path.basename(native)
        for place in (os.path.join(dirname, native), os.path.join(dirname, name)):
            if files.is_image(place):
                return load(place, place_holder=place_holder, **{**options, "recursive": False})
        if not place_holder:
            return None
        image = bpy.data.images.new(name, 128, 128)
        image.filepath_raw = os.path.join(os.devnull, name)  # where no file can be
        image.source = "FILE"
        elsewhere[image.filepath_raw] = path
        return image

    image_utils.load_image = load_below
    try:
        yield elsewhere
    finally:
        image_utils.load_image = load


def _exported_images() -> dict[str, Any]:
    """The images in use by the names of their files. Fails where one is elsewhere, or something else than an image."""
    found = {}
    for image in bpy.data.images:
        if image.users <= image.use_fake_user or image.filepath == "":
            continue
        path = bpy.path.abspath(image.filepath, library=image.library)
        if not image.packed_file and not files.is_image(path):
            raise BridgeError(
                "PERMISSION_DENIED",
                f"the image {image.name!r} is no image file below the bridge's directory: {path}"[:500],
                suggestions=[
                    "Pack the image, remove it, or put its file below the directory",
                    "Export to .stl or .ply",
                ],
            )
        found.setdefault(os.path.basename(path), image)
    return found


def _write_images(images: dict[str, Any], materials: str) -> None:
    """Writes the images that ``materials`` names beside it."""
    with open(materials, "rb") as file:
        content = file.read()
    for name, image in images.items():
        to = os.path.join(os.path.dirname(materials), name)
        if os.fsencode(name) not in content or os.path.splitext(name)[1].lower() not in files.IMAGES:
            continue
        if image.packed_file:
            with open(to, "xb") as file:
                file.write(image.packed_file.data)
        else:
            path = bpy.path.abspath(image.filepath, library=image.library)
            files.require_small(path)
            shutil.copyfile(path, to)


def _references() -> set[int]:
    return {each.as_pointer() for kind in _REFERRING for each in getattr(bpy.data, kind)}


def _leave_out(before: set[int]) -> list[str]:
    """Removes new data-blocks whose files are elsewhere, and returns their paths."""
    paths = []
    for kind in _REFERRING:
        for each in list(getattr(bpy.data, kind)):
            path = each.filepath
            if each.as_pointer() in before or path in ("", "<builtin>") or getattr(each, "packed_file", None):
                continue
            if not files.is_below(bpy.path.abspath(path, library=each.library)):
                paths.append(path)
                getattr(bpy.data, kind).remove(each)
    return paths


def _bounded(paths: list[str]) -> list[str]:
    return [path[:300] for path in paths[:20]]


def _leave_out_caches(objects: Iterable) -> list[str]:
    """Removes modifiers that read or write files elsewhere."""
    paths = []
    for each in objects:
        for modifier in list(each.modifiers):
            settings = getattr(modifier, "domain_settings", None) or modifier
            for name in ("cache_directory", "filepath"):
                path = getattr(settings, name, "")
                if path and not files.is_below(bpy.path.abspath(path, library=each.library)):
                    paths.append(path)
                    each.modifiers.remove(modifier)
                    break
    return paths
