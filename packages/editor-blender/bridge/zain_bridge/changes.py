# SPDX-License-Identifier: MIT
"""What a scene holds, as fingerprints by object and aspect: its digest, and what differs between two of them."""

from __future__ import annotations

import hashlib
from array import array
from typing import Any, Callable, NamedTuple

import bpy

from . import context, fingerprints

ASPECTS = ("transform", "geometry", "material", "modifiers", "parent", "visibility", "data", "selection")
_DATA_ONLY = {"LIGHT", "CAMERA", "SPEAKER", "LIGHT_PROBE"}
_MODES = {name: name.encode() for name in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "QUATERNION", "AXIS_ANGLE")}
_MANY = 256
_NOTHING = b""

# Fingerprints of data-blocks by address. The dependency graph names what changed; everything else stays known.
_known: dict[tuple[int, str], bytes] = {}


class Snapshot(NamedTuple):
    """The aspects of each object by its name, and the rest of the scene."""

    objects: dict[str, tuple]
    world: bytes
    engine: str
    scene: str
    scenes: tuple[str, ...]
    elsewhere: frozenset[str]  # objects that are only in other scenes


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


def _bytes_of(objects: Any, name: str, width: int, kind: str) -> bytes:
    count = len(objects)
    if count == 0:
        return b""
    data = array(kind, bytes(array(kind).itemsize * width * count))
    objects.foreach_get(name, data)
    return data.tobytes()


def collections_of(scene: Any) -> dict[str, tuple[str, ...]]:
    """The names of the collections that each object is in, by its name."""
    found = dict.fromkeys(scene.collection.objects.keys(), (scene.collection.name,))
    for collection in scene.collection.children_recursive:
        alone = (collection.name,)
        for name in collection.objects.keys():
            others = found.get(name)
            found[name] = alone if others is None else others + alone
    return found


class _Blocks:
    """Fingerprints of data-blocks during one snapshot."""

    def __init__(self) -> None:
        self._by_block: dict[Any, bytes] = {}
        self.known: dict[tuple[int, str], bytes] = {}

    def of(self, block: Any, make: Callable[[Any], bytes]) -> bytes:
        """The fingerprint of ``block``: as known, or made now."""
        found = self._by_block.get(block)
        if found is None:
            key = (block.as_pointer(), block.name)
            found = _known.get(key) or make(block)
            self._by_block[block] = self.known[key] = found
        return found


def snapshot() -> Snapshot:
    """The scene as it is now. Arrays where Blender has them, so that 10,000 objects take milliseconds."""
    context.layer().update()
    scene = context.scene()
    objects = scene.objects
    blocks = _Blocks()
    basis = _bytes_of(objects, "matrix_basis", 16, "f")
    euler = _bytes_of(objects, "rotation_euler", 3, "f")
    hidden = _bytes_of(objects, "hide_viewport", 1, "b")
    unrendered = _bytes_of(objects, "hide_render", 1, "b")
    selected = set(context.layer().objects.selected.keys())
    folders = collections_of(scene)
    aspects = {}
    for index, (name, entry) in enumerate(zip(objects.keys(), objects)):
        data = entry.data
        kind = entry.type
        shape: Any = _NOTHING
        settings: Any = _NOTHING
        if data is None:
            if kind == "EMPTY":
                settings = (entry.empty_display_type, entry.empty_display_size, entry.instance_type)
        elif kind in _DATA_ONLY:
            settings = blocks.of(data, fingerprints.geometry)
        else:
            shape = blocks.of(data, fingerprints.geometry)
        parent = entry.parent
        aspects[name] = (
            basis[index * 64 : index * 64 + 64] + euler[index * 12 : index * 12 + 12] + _MODES[entry.rotation_mode],
            shape,
            _materials(entry, blocks) if len(entry.material_slots) else _NOTHING,
            _stack(entry.modifiers),
            (parent.name, entry.parent_type, entry.parent_bone, _rows(entry.matrix_parent_inverse)) if parent else None,
            (hidden[index], unrendered[index], entry.hide_get(), entry.display_type),
            (kind, data.name if data is not None else "", settings, folders.get(name), _stack(entry.constraints)),
            name in selected,
        )
    _known.clear()
    _known.update(blocks.known)
    others = frozenset(name for other in bpy.data.scenes if other != scene for name in other.objects.keys())
    scenes = tuple(bpy.data.scenes.keys())
    return Snapshot(
        aspects, _world(scene), scene.render.engine, scene.name, scenes, elsewhere=others.difference(aspects)
    )


def _stack(entries: Any) -> bytes:
    return fingerprints.digest([fingerprints.stacked(each) for each in entries]) if len(entries) else _NOTHING


def _rows(matrix: Any) -> tuple:
    return tuple(tuple(row) for row in matrix)


def _materials(entry: Any, blocks: _Blocks) -> tuple:
    found = [
        (slot.material.name, blocks.of(slot.material, fingerprints.shaded)) if slot.material else None
        for slot in entry.material_slots
    ]
    while found and found[-1] is None:  # an empty slot at the end looks like no slot
        found.pop()
    return tuple(found)


def _world(scene: Any) -> bytes:
    world = scene.world
    parts = (world.name, fingerprints.shaded(world)) if world else None
    return fingerprints.digest(scene.camera.name if scene.camera else None, parts)


def digest(state: Snapshot) -> str:
    """The digest of a snapshot: all but the selection."""
    whole = hashlib.blake2b(digest_size=16)
    for name in sorted(state.objects):
        transform, *others = state.objects[name]
        whole.update(transform)
        whole.update(repr((name, others[:-1])).encode("utf-8", "surrogatepass"))
    whole.update(state.world)
    return whole.hexdigest()


def between(before: Snapshot, after: Snapshot) -> dict:
    """What was created, changed and deleted, by name, in the order of the scene; and a new engine and new scenes.

    An object that was, or is, in a scene that is not the active one counts as neither created nor deleted where another
    scene became the active one.
    """
    is_other = before.scene != after.scene
    changed = []
    for name, aspects in after.objects.items():
        old = before.objects.get(name)
        if old is not None and old != aspects:
            differing = [ASPECTS[index] for index in range(len(ASPECTS)) if old[index] != aspects[index]]
            changed.append({"name": name, "aspects": differing})
    return {
        "created": [
            name for name in after.objects if name not in before.objects and not (is_other and name in before.elsewhere)
        ],
        "changed": changed,
        "deleted": [
            name for name in before.objects if name not in after.objects and not (is_other and name in after.elsewhere)
        ],
        **({} if before.engine == after.engine else {"engine": after.engine}),
        **({} if before.scene == after.scene else {"scene": after.scene}),
        **_names("scenesCreated", after.scenes, before.scenes),
        **_names("scenesDeleted", before.scenes, after.scenes),
    }


def _names(member: str, names: tuple[str, ...], others: tuple[str, ...]) -> dict:
    found = [name for name in names if name not in others]
    return {member: found} if found else {}
