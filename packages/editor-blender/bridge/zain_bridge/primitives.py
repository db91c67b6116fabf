# SPDX-License-Identifier: MIT
"""The shapes that the step ``create`` makes, without operators: they need no mode, no window and no selection."""

from __future__ import annotations

import math
from typing import Any, Callable

import bmesh
import bpy
from mathutils import Matrix

LABELS = {
    "cube": "Cube",
    "sphere": "Sphere",
    "icosphere": "Icosphere",
    "cylinder": "Cylinder",
    "cone": "Cone",
    "torus": "Torus",
    "plane": "Plane",
    "circle": "Circle",
    "grid": "Grid",
    "monkey": "Suzanne",
    "empty": "Empty",
    "text": "Text",
}


def _round(mesh: Any, geometry: dict, top: float) -> None:
    radius = geometry.get("radius", 1.0)
    bmesh.ops.create_cone(
        mesh,
        cap_ends=True,
        cap_tris=False,
        segments=geometry.get("segments", 32),
        radius1=radius,
        radius2=radius * top,
        depth=geometry.get("depth", 2.0),
        calc_uvs=True,
    )


def _sphere(mesh: Any, geometry: dict) -> None:
    bmesh.ops.create_uvsphere(
        mesh,
        u_segments=geometry.get("segments", 32),
        v_segments=geometry.get("rings", 16),
        radius=geometry.get("radius", 1.0),
        calc_uvs=True,
    )


def _icosphere(mesh: Any, geometry: dict) -> None:
    bmesh.ops.create_icosphere(
        mesh, subdivisions=geometry.get("segments", 2), radius=geometry.get("radius", 1.0), calc_uvs=True
    )


def _grid(mesh: Any, geometry: dict, segments: int) -> None:
    half = geometry.get("size", 2.0) / 2
    bmesh.ops.create_grid(mesh, x_segments=segments, y_segments=segments, size=half, calc_uvs=True)


def _circle(mesh: Any, geometry: dict) -> None:
    bmesh.ops.create_circle(
        mesh,
        cap_ends=False,
        segments=geometry.get("segments", 32),
        radius=geometry.get("radius", 1.0),
        calc_uvs=True,
    )


def _monkey(mesh: Any, geometry: dict) -> None:
    scale = Matrix.Scale(geometry.get("size", 2.0) / 2, 4)
    bmesh.ops.create_monkey(mesh, matrix=scale, calc_uvs=True)


def _torus(mesh: Any, geometry: dict) -> None:
    around, across = geometry.get("segments", 48), geometry.get("rings", 12)
    radius, minor = geometry.get("radius", 1.0), geometry.get("minorRadius", 0.25)
    uv = mesh.loops.layers.uv.verify()
    rings = []
    for i in range(around):
        turn = 2 * math.pi * i / around
        ring = []
        for j in range(across):
            tilt = 2 * math.pi * j / across
            reach = radius + minor * math.cos(tilt)
            ring.append(mesh.verts.new((reach * math.cos(turn), reach * math.sin(turn), minor * math.sin(tilt))))
        rings.append(ring)
    for i in range(around):
        here, there = rings[i], rings[(i + 1) % around]
        for j in range(across):
            k = (j + 1) % across
            face = mesh.faces.new((here[j], there[j], there[k], here[k]))
            corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            for loop, (u, v) in zip(face.loops, corners):
                loop[uv].uv = (u / around, v / across)


_MESHES: dict[str, Callable[[Any, dict], None]] = {
    "cube": lambda mesh, geometry: bmesh.ops.create_cube(mesh, size=geometry.get("size", 2.0), calc_uvs=True),
    "sphere": _sphere,
    "icosphere": _icosphere,
    "cylinder": lambda mesh, geometry: _round(mesh, geometry, 1.0),
    "cone": lambda mesh, geometry: _round(mesh, geometry, 0.0),
    "torus": _torus,
    "plane": lambda mesh, geometry: _grid(mesh, geometry, 1),
    "circle": _circle,
    "grid": lambda mesh, geometry: _grid(mesh, geometry, geometry.get("segments", 10)),
    "monkey": _monkey,
}


def make(primitive: str, name: str | None, geometry: dict) -> Any:
    """A new object of this shape, in no collection yet. Its name is ``name`` or the primitive's, if free."""
    name = name or LABELS[primitive]
    if primitive == "empty":
        entry = bpy.data.objects.new(name, None)
        entry.empty_display_size = geometry.get("size", 1.0)
        return entry
    if primitive == "text":
        curve = bpy.data.curves.new(name, "FONT")
        curve.body = geometry.get("text", "Text")
        curve.size = geometry.get("size", 1.0)
        curve.extrude = geometry.get("depth", 0.0)
        return bpy.data.objects.new(name, curve)
    data = bpy.data.meshes.new(name)
    mesh = bmesh.new()
    try:
        mesh.loops.layers.uv.new("UVMap")
        _MESHES[primitive](mesh, geometry)
        mesh.to_mesh(data)
    finally:
        mesh.free()
    return bpy.data.objects.new(name, data)
