# SPDX-License-Identifier: MIT
"""World-space bounding boxes of objects."""

from __future__ import annotations

from array import array
from typing import Any, Sequence

Box = tuple[list[float], list[float]]

SHAPED = {
    "MESH", "CURVE", "SURFACE", "META", "FONT", "LATTICE", "ARMATURE", "GPENCIL", "GREASEPENCIL", "VOLUME", "CURVES",
    "POINTCLOUD",
}  # fmt: skip


def world(bound_box: Sequence[float], matrix: Sequence[float]) -> Box:
    """The box of 8 corners (24 numbers) under a matrix of 16 numbers, column by column."""
    centre = []
    half = []
    for axis in range(3):
        coordinates = bound_box[axis::3]
        low, high = min(coordinates), max(coordinates)
        centre.append((low + high) / 2)
        half.append((high - low) / 2)
    lows, highs = [], []
    for row in range(3):
        a, b, c = matrix[row], matrix[4 + row], matrix[8 + row]
        middle = a * centre[0] + b * centre[1] + c * centre[2] + matrix[12 + row]
        reach = abs(a) * half[0] + abs(b) * half[1] + abs(c) * half[2]
        lows.append(middle - reach)
        highs.append(middle + reach)
    return lows, highs


def columns(objects: Any) -> tuple[array, array]:
    """The corners and the matrices of all of ``objects``, a collection of Blender's."""
    corners = array("f", bytes(4 * 24 * len(objects)))
    matrices = array("f", bytes(4 * 16 * len(objects)))
    if len(objects):
        objects.foreach_get("bound_box", corners)
        objects.foreach_get("matrix_world", matrices)
    return corners, matrices


def at(corners: array, matrices: array, index: int) -> Box:
    """The box of the object at ``index`` of ``columns``."""
    return world(corners[index * 24 : index * 24 + 24], matrices[index * 16 : index * 16 + 16])


def around(objects: Any) -> Box:
    """The box of all of a view layer's objects that renders show; two metres around the origin where there is none."""
    corners, matrices = columns(objects)
    lows, highs = [float("inf")] * 3, [float("-inf")] * 3
    for index, entry in enumerate(objects):
        if entry.type not in SHAPED or entry.hide_render:
            continue
        box = at(corners, matrices, index)
        for axis in range(3):
            lows[axis] = min(lows[axis], box[0][axis])
            highs[axis] = max(highs[axis], box[1][axis])
    if lows[0] > highs[0]:
        return [-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]
    return lows, highs
