# SPDX-License-Identifier: MIT
"""What a scene holds, as fingerprints by object and aspect: its digest, and what differs between two of them."""

from __future__ import annotations

import hashlib
from array import array
from typing import Any, NamedTuple

import bpy

from . import context, fingerprints

ASPECTS = ("transform", "geometry", "material", "modifiers", "parent", "visibility", "data", "selection")
_DATA_ONLY = {"LIGHT", "CAMERA", "SPEAKER", "LIGHT_PROBE"}
_MANY = 256
_NOTHING = b""

# Fingerprints of data-blocks by address. The dependency graph names what changed; everything else stays known.
_known: dict[tuple[int, str], bytes] = {}


class Snapshot(NamedTuple):
    """The aspects of each object by its name, and the rest of the scene."""

    objects: dict[str, tuple]
    world: bytes


def forget() -> None:
    """Drops all known fingerprints: after an undo, a file, or code that may have changed anything."""
    _known.clear()


def touched(data: Any) -> None:
    """Drops the fingerprint of one data-block that was changed where no dependency graph sees it."""
    pointer = data.as_pointer()
    for key in [key for key in _known if key[0] == pointer]:
        del _known[key]


def on_updates(updates: Any) -> None:
    """Takes the updates of a dependency graph."""
    if len(updates) > _MANY:
        return forget()
    for update in updates:
        block = update.id.original
        if isinstance(block, (bpy.types.Scene, bpy.types.Collection)):
            continue
        if isinstance(block, bpy.types.Object):
            if update.is_updated_geometry and block.data is not None:
                touched(block.data)
        elif isinstance(block, (bpy.types.Mesh, bpy.types.Curve, bpy.types.Light, bpy.types.Camera)):
            touched(block)
        else:
            return forget()  # materials, images, node groups: their users are many, and finding them costs more


def _fingerprint(data: Any, of: Any, seen: dict) -> bytes:
    key = (data.as_pointer(), data.name)
    found = seen.get(key)
    if found is None:
        found = _known.get(key)
        if found is None:
            found = of(data)
        seen[key] = found
    return found


def _bytes_of(objects: Any, name: str, width: int, kind: str, count: int) -> bytes:
    data = array(kind, bytes(array(kind).itemsize * width * count))
    objects.foreach_get(name, data)
    return data.tobytes()


def collections_of(scene: Any) -> dict[str, list[str]]:
    """The names of the collections that each object is in, by its name."""
    found: dict[str, list[str]] = {}
    for collection in [scene.collection, *scene.collection.children_recursive]:
        for name in collection.objects.keys():
            found.setdefault(name, []).append(collection.name)
    return found


def snapshot() -> Snapshot:
    """The scene as it is now. Arrays where Blender has them, so that 10,000 objects take milliseconds."""
    context.layer().update()
    scene = context.scene()
    objects = scene.objects
    count = len(objects)
    seen: dict[tuple[int, str], bytes] = {}
    names = objects.keys()
    basis = _bytes_of(objects, "matrix_basis", 16, "f", count) if count else b""
    euler = _bytes_of(objects, "rotation_euler", 3, "f", count) if count else b""
    hidden = _bytes_of(objects, "hide_viewport", 1, "b", count) if count else b""
    unrendered = _bytes_of(objects, "hide_render", 1, "b", count) if count else b""
    selected = set(context.layer().objects.selected.keys())
    folders = collections_of(scene)
    aspects = {}
    for index, entry in enumerate(objects):
        name = names[index]
        data = entry.data
        kind = entry.type
        shape = settings = _NOTHING
        if data is not None:
            if kind in _DATA_ONLY:
                settings = _fingerprint(data, fingerprints.geometry, seen)
            else:
                shape = _fingerprint(data, fingerprints.geometry, seen)
        elif kind == "EMPTY":
            settings = (entry.empty_display_type, entry.empty_display_size, entry.instance_type)
        parent = entry.parent
        aspects[name] = (
            (basis[index * 64 : index * 64 + 64], euler[index * 12 : index * 12 + 12], entry.rotation_mode),
            shape,
            _materials(entry, seen) if len(entry.material_slots) else _NOTHING,
            fingerprints.digest([fingerprints.values(each) for each in entry.modifiers])
            if len(entry.modifiers)
            else _NOTHING,
            _NOTHING
            if parent is None
            else (parent.name, entry.parent_type, entry.parent_bone, _rows(entry.matrix_parent_inverse)),
            (hidden[index], unrendered[index], entry.hide_get(), entry.display_type),
            (
                kind,
                data.name if data is not None else "",
                settings,
                folders.get(name),
                fingerprints.digest([fingerprints.values(each) for each in entry.constraints])
                if len(entry.constraints)
                else _NOTHING,
            ),
            name in selected,
        )
    _known.clear()
    _known.update(seen)
    return Snapshot(aspects, _world(scene))


def _rows(matrix: Any) -> tuple:
    return tuple(tuple(row) for row in matrix)


def _materials(entry: Any, seen: dict) -> tuple:
    found = [
        (slot.material.name, _fingerprint(slot.material, fingerprints.shaded, seen)) if slot.material else None
        for slot in entry.material_slots
    ]
    while found and found[-1] is None:  # an empty slot at the end looks like no slot
        found.pop()
    return tuple(found)


def _world(scene: Any) -> bytes:
    camera = scene.camera.name if scene.camera else None
    world = fingerprints.shaded(scene.world) if scene.world else None
    color = tuple(scene.world.color) if scene.world else None
    return fingerprints.digest(camera, scene.world.name if scene.world else None, world, color)


def digest(state: Snapshot) -> str:
    """The digest of a snapshot: all but the selection."""
    whole = hashlib.blake2b(digest_size=16)
    for name in sorted(state.objects):
        whole.update(repr((name, state.objects[name][:-1])).encode("utf-8", "surrogatepass"))
    whole.update(state.world)
    return whole.hexdigest()


def between(before: Snapshot, after: Snapshot) -> dict:
    """What was created, changed and deleted, by name, in the order of the scene."""
    changed = []
    for name, aspects in after.objects.items():
        old = before.objects.get(name)
        if old is not None and old != aspects:
            differing = [ASPECTS[index] for index in range(len(ASPECTS)) if old[index] != aspects[index]]
            changed.append({"name": name, "aspects": differing})
    return {
        "created": [name for name in after.objects if name not in before.objects],
        "changed": changed,
        "deleted": [name for name in before.objects if name not in after.objects],
    }
