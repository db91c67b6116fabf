# SPDX-License-Identifier: MIT
"""The method ``object.read``: columns of fields, by arrays where all objects are read."""

from __future__ import annotations

from array import array
from typing import Any, Callable

import bpy

from . import bounds, changes, context, looks
from .params import NAME, ParamsError, boolean, integer, one_of, record
from .params import array as items
from .scene import xyz

MOST = 10_000


class Reading:
    """The objects to read, and what several fields need of the whole scene, computed once."""

    def __init__(self, scene: Any, entries: list, first: int | None) -> None:
        self.scene = scene
        self.entries = entries
        self.first = first  # the place of the first entry in the scene's objects, where they follow each other
        self._kept: dict[str, Any] = {}

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """``make()``, computed once for this reading."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def updated(self) -> None:
        """Evaluates what is pending, so that world matrices and sizes are those of now."""
        self.kept("updated", lambda: context.layer().update())

    def triples(self, name: str) -> list[dict]:
        """A property of three numbers of each entry."""
        if self.first is None:
            return [xyz(getattr(entry, name)) for entry in self.entries]
        objects = self.scene.objects
        data = array("f", bytes(12 * len(objects)))
        if len(data):
            objects.foreach_get(name, data)
        start = self.first * 3
        return [xyz(data[place : place + 3]) for place in range(start, start + 3 * len(self.entries), 3)]


def _each(of: Callable[[Any], Any]) -> Callable[[Reading], list]:
    return lambda reading: [of(entry) for entry in reading.entries]


def euler_of(entry: Any) -> Any:
    """The rotation as Euler angles, whatever way the object keeps it."""
    if entry.rotation_mode == "QUATERNION":
        return entry.rotation_quaternion.to_euler()
    if entry.rotation_mode == "AXIS_ANGLE":
        return entry.matrix_basis.to_euler()
    return entry.rotation_euler


def _rotations(reading: Reading) -> list[dict]:
    modes = [entry.rotation_mode for entry in reading.entries]
    plain = reading.triples("rotation_euler")
    return [
        xyz(euler_of(entry)) if mode in ("QUATERNION", "AXIS_ANGLE") else value
        for entry, mode, value in zip(reading.entries, modes, plain)
    ]


def _dimensions(reading: Reading) -> list[dict]:
    reading.updated()
    return reading.triples("dimensions")


def _boxes(reading: Reading) -> list[dict | None]:
    reading.updated()
    if reading.first is not None:
        corners, matrices = bounds.columns(reading.scene.objects)
        boxes = [bounds.at(corners, matrices, reading.first + index) for index in range(len(reading.entries))]
    else:
        boxes = [
            bounds.world(
                [value for corner in entry.bound_box for value in corner],
                [value for column in entry.matrix_world.col for value in column],
            )
            for entry in reading.entries
        ]
    return [
        {"min": xyz(low), "max": xyz(high)} if entry.type in bounds.SHAPED else None
        for entry, (low, high) in zip(reading.entries, boxes)
    ]


def children_of(scene: Any) -> dict[str, list[str]]:
    """The names of the children in the scene of each parent, by its name."""
    found: dict[str, list[str]] = {}
    for entry in scene.objects:
        if entry.parent is not None:
            found.setdefault(entry.parent.name, []).append(entry.name)
    return found


def _children(reading: Reading) -> list[list[str]]:
    children = reading.kept("children", lambda: children_of(reading.scene))
    return [children.get(entry.name, []) for entry in reading.entries]


def _collections(reading: Reading) -> list[list[str]]:
    folders = reading.kept("collections", lambda: changes.collections_of(reading.scene))
    return [list(folders.get(entry.name, ())) for entry in reading.entries]


def _of_mesh(name: str) -> Callable[[Reading], list]:
    return _each(lambda entry: len(getattr(entry.data, name)) if entry.type == "MESH" else None)


FIELDS: dict[str, Callable[[Reading], list]] = {
    "name": _each(lambda entry: entry.name),
    "type": _each(lambda entry: entry.type),
    "location": lambda reading: reading.triples("location"),
    "rotationEuler": _rotations,
    "scale": lambda reading: reading.triples("scale"),
    "dimensions": _dimensions,
    "boundingBox": _boxes,
    "visible": _each(lambda entry: entry.visible_get()),
    "selected": _each(lambda entry: entry.select_get()),
    "parent": _each(lambda entry: entry.parent.name if entry.parent is not None else None),
    "children": _children,
    "collections": _collections,
    "materials": _each(lambda entry: [slot.material.name for slot in entry.material_slots if slot.material]),
    "modifiers": _each(lambda entry: [{"name": each.name, "type": each.type} for each in entry.modifiers]),
    "modifierSettings": _each(looks.modifier_settings),
    "light": _each(looks.light),
    "camera": _each(looks.camera),
    "vertices": _of_mesh("vertices"),
    "edges": _of_mesh("edges"),
    "faces": _of_mesh("polygons"),
}

_PARAMS = record(
    {"fields": items(one_of(*FIELDS), 1, len(FIELDS))},
    {
        "names": items(NAME, 0, MOST),
        "selected": boolean,
        "type": NAME,
        "name": NAME,
        "offset": integer(0, 2**31 - 1),
        "limit": integer(0, MOST),
    },
)


def read(params: dict, _hold: object) -> dict:
    """The method ``object.read``."""
    checked = _PARAMS(params, [])
    filters = [name for name in ("selected", "type", "name") if checked.get(name)]
    if "names" in checked and filters:
        raise ParamsError("VALIDATION_ERROR", f"names and {filters[0]} exclude each other", path=[filters[0]])
    scene = context.scene()
    offset, limit = checked.get("offset", 0), checked.get("limit", MOST)
    first = None
    if "names" in checked:
        chosen: list = _named(scene, checked["names"][offset : offset + limit])
    elif filters:
        chosen = _found(scene, checked)[offset : offset + limit]
    else:
        chosen = scene.objects[offset : offset + limit] if limit else []
        first = offset
    there = [entry for entry in chosen if entry is not None]
    reading = Reading(scene, there, first if there else None)
    columns = {name: FIELDS[name](reading) for name in checked["fields"]}
    rows = iter([dict(zip(columns, row)) for row in zip(*columns.values())])
    return {"objects": [next(rows) if entry is not None else None for entry in chosen]}


def _found(scene: Any, wanted: dict) -> list:
    found = list(scene.objects)
    if wanted.get("selected"):
        selected = set(context.layer().objects.selected.keys())
        found = [entry for entry in found if entry.name in selected]
    if "type" in wanted:
        kind = wanted["type"].upper()
        found = [entry for entry in found if entry.type == kind]
    if "name" in wanted:
        part = wanted["name"].casefold()
        found = [entry for entry in found if part in entry.name.casefold()]
    return found


def _named(scene: Any, names: list[str]) -> list[bpy.types.Object | None]:
    if len(names) < 16:
        return [scene.objects.get(name) for name in names]
    by_name = dict(scene.objects.items())  # one walk: a look-up by name walks the scene too
    return [by_name.get(name) for name in names]
