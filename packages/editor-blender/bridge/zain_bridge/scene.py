# SPDX-License-Identifier: MIT
"""The method ``scene.read``: only what is asked for is computed."""

from __future__ import annotations

from typing import Any, Callable

import bpy

from . import changes, context, looks, scene_file
from .params import array, one_of, record


MOST_NAMES = 1_000


def xyz(value: Any) -> dict:
    """A vector as the protocol has it."""
    return {"x": value[0], "y": value[1], "z": value[2]}


def _counts(scene: Any) -> dict:
    counts = {"mesh": 0, "light": 0, "camera": 0, "empty": 0, "other": 0}
    for entry in scene.objects:
        name = entry.type.lower()
        counts[name if name in counts else "other"] += 1
    return counts


def _viewport(_scene: Any) -> dict | None:
    if bpy.app.background:
        return None
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            space = area.spaces.active
            if area.type == "VIEW_3D" and space.region_3d is not None:
                view = space.region_3d
                return {
                    "location": xyz(view.view_location),
                    "rotation": xyz(view.view_rotation.to_euler()),
                    "perspective": view.view_perspective,
                    "shading": space.shading.type,
                }
    return None


def _unit(scene: Any) -> str:
    units = scene.unit_settings
    return "NONE" if units.system == "NONE" else units.length_unit


def _active_object(_scene: Any) -> str | None:
    active = context.layer().objects.active
    return active.name if active is not None else None


def _selected(scene: Any) -> list[str]:
    selected = set(context.layer().objects.selected.keys())
    return [name for name in scene.objects.keys() if name in selected] if selected else []


FIELDS: dict[str, Callable[[Any], Any]] = {
    "name": lambda scene: scene.name,
    "file": lambda scene: scene_file.path(),
    "isDirty": lambda scene: scene_file.is_dirty(),
    "frame": lambda scene: scene.frame_current,
    "frameStart": lambda scene: scene.frame_start,
    "frameEnd": lambda scene: scene.frame_end,
    "unit": _unit,
    "engine": lambda scene: scene.render.engine,
    # Blender keeps this list; ``scene.objects`` is put together from all collections for each walk, and for its length.
    "objectCount": lambda scene: len(scene.collection.all_objects),
    "objects": lambda scene: [entry.name for entry in scene.objects[:MOST_NAMES]],
    "counts": _counts,
    "activeObject": _active_object,
    "activeCamera": lambda scene: scene.camera.name if scene.camera else None,
    "collections": lambda scene: [collection.name for collection in scene.collection.children_recursive],
    "materials": lambda scene: bpy.data.materials.keys(),
    "materialValues": looks.materials,
    "world": looks.world,
    "render": looks.render,
    "selected": _selected,
    "viewport": _viewport,
    "digest": lambda scene: changes.digest(changes.snapshot()),
}

_PARAMS = record({"fields": array(one_of(*FIELDS), 1, len(FIELDS))})


def read(params: dict, _hold: object) -> dict:
    """The method ``scene.read``."""
    fields = _PARAMS(params, [])["fields"]
    scene = context.scene()
    return {name: FIELDS[name](scene) for name in fields}
