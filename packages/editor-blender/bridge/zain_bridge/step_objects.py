# SPDX-License-Identifier: MIT
"""Steps on objects: create, transform, delete, duplicate, select, parent."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Matrix, Vector

from . import changes, context, placing, primitives, step_looks
from .errors import BridgeError
from .params import near


def create(members: dict, path: list) -> list[Any]:
    """The step ``create``."""
    entry = primitives.make(members["primitive"], members.get("name"), members["geometry"])
    placing.link(entry)
    placing.place(entry, members.get("transform", {}))
    if entry.data is not None:
        changes.touched(entry.data)
    if "material" in members:
        step_looks.dress(entry, members["material"], [*path, "material"])
    return [entry]


def transform(members: dict, path: list) -> list[Any]:
    """The step ``transform``."""
    entry = context.find(members["object"], [*path, "object"])
    placing.place(entry, members, members.get("relative", False))
    return [entry]


def find_all(names: list[str], path: list) -> list[Any]:
    """The objects of these names, each once; OBJECT_NOT_FOUND at the first that is not there."""
    if len(names) == 1:
        return [context.find(names[0], [*path, 0])]
    by_name = dict(context.scene().objects.items())
    for index, name in enumerate(names):
        if name not in by_name:
            raise BridgeError(
                "OBJECT_NOT_FOUND",
                f"no object {name!r} in the scene",
                path=[*path, index],
                suggestions=near(name, by_name),
            )
    return [by_name[name] for name in dict.fromkeys(names)]


def delete(members: dict, path: list) -> list[Any]:
    """The step ``delete``. Children stay where they are."""
    context.updated()
    doomed = find_all(members["objects"], [*path, "objects"])
    names = {entry.name for entry in doomed}
    for child in context.scene().objects:
        if child.parent is not None and child.name not in names and child.parent.name in names:
            world = child.matrix_world.copy()
            child.parent = None
            child.matrix_world = world
    data = [entry.data for entry in doomed if entry.data is not None]
    bpy.data.batch_remove(doomed)
    bpy.data.batch_remove([block for block in dict.fromkeys(data) if block.users == 0])
    return []


def duplicate(members: dict, path: list) -> list[Any]:
    """The step ``duplicate``: copies with data of their own, in the same collections."""
    entry = context.find(members["object"], [*path, "object"])
    offset = Vector(members.get("offset", (0.0, 0.0, 0.0)))
    copies = []
    for number in range(1, members.get("count", 1) + 1):
        copy = entry.copy()
        if entry.data is not None:
            copy.data = entry.data.copy()
            changes.touched(copy.data)
        copy.name = members.get("name", entry.name)
        copy.location = entry.location + offset * number
        for collection in entry.users_collection:
            collection.objects.link(copy)
        copies.append(copy)
    return copies


def select(members: dict, path: list) -> list[Any]:
    """The step ``select``. The last object becomes the active one, unless it is deselected."""
    mode = members.get("mode", "set")
    chosen = find_all(members["objects"], [*path, "objects"]) if members["objects"] else []
    context.layer().update()
    if mode == "set":
        for entry in list(context.layer().objects.selected):
            entry.select_set(False)
    for entry in chosen:
        entry.select_set(mode != "remove")
    if chosen and mode != "remove":
        context.layer().objects.active = chosen[-1]
    return chosen


def parent(members: dict, path: list) -> list[Any]:
    """The step ``parent``."""
    child = context.find(members["object"], [*path, "object"])
    keep = members.get("keepTransform", True)
    context.updated()
    world = child.matrix_world.copy()
    if members["parent"] is None:
        child.parent = None
        if keep:
            child.matrix_world = world
        return [child]
    above = context.find(members["parent"], [*path, "parent"])
    ancestor = above
    while ancestor is not None:
        if ancestor == child:
            message = f"{above.name!r} is {child.name!r} or one of its descendants"
            raise BridgeError("INVALID_VALUE", message, path=[*path, "parent"])
        ancestor = ancestor.parent
    was_free = child.parent is None
    child.parent = above
    child.parent_type = "OBJECT"
    if keep:
        child.matrix_parent_inverse = above.matrix_world.inverted_safe()
        if not was_free:
            child.matrix_basis = world
    else:
        child.matrix_parent_inverse = Matrix.Identity(4)
    return [child]
