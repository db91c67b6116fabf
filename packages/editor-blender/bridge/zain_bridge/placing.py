# SPDX-License-Identifier: MIT
"""Where an object is: its collection, and its transform."""

from __future__ import annotations

from typing import Any

from mathutils import Euler, Matrix, Vector

from . import context


def link(entry: Any) -> None:
    """Puts an object into the active collection of the view layer."""
    active = context.layer().active_layer_collection
    collection = active.collection if active is not None and not active.exclude else context.scene().collection
    if collection not in entry.users_collection:
        collection.objects.link(entry)


def place(entry: Any, transform: dict, relative: bool = False) -> None:
    """Sets location, rotation and scale, or adds to them."""
    if "location" in transform:
        location = Vector(transform["location"])
        entry.location = entry.location + location if relative else location
    if "rotationEuler" in transform:
        rotate(entry, Euler(transform["rotationEuler"]), relative)
    if "scale" in transform:
        scale = transform["scale"]
        entry.scale = [old * factor for old, factor in zip(entry.scale, scale)] if relative else scale


def rotate(entry: Any, rotation: Any, relative: bool = False) -> None:
    """Sets the rotation in the way that the object keeps it, or adds to it."""
    mode = entry.rotation_mode
    if mode == "QUATERNION":
        turn = rotation.to_quaternion()
        entry.rotation_quaternion = turn @ entry.rotation_quaternion if relative else turn
    elif mode == "AXIS_ANGLE":
        turn = rotation.to_quaternion()
        if relative:
            angle, *axis = entry.rotation_axis_angle
            turn = turn @ Matrix.Rotation(angle, 3, Vector(axis)).to_quaternion()
        axis, angle = turn.to_axis_angle()
        entry.rotation_axis_angle = (angle, *axis)
    else:
        old = entry.rotation_euler
        entry.rotation_euler = [a + b for a, b in zip(old, rotation)] if relative else tuple(rotation)
