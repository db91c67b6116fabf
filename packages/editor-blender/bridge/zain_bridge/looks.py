# SPDX-License-Identifier: MIT
"""What steps set, as it is read: lights, cameras, modifiers, materials, world and render settings."""

from __future__ import annotations

import math
from typing import Any

import bpy

from . import step_looks, step_modifier

MOST_MATERIALS = 10_000


def color(value: Any) -> dict:
    """A colour as the protocol has it."""
    return dict(zip("rgba", [*map(_finite, value), 1.0][:4]))


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def light(entry: Any) -> dict | None:
    """The values of a light."""
    if entry.type != "LIGHT":
        return None
    data = entry.data
    size = getattr(data, step_looks.size_of(data))
    return {"type": data.type, "energy": _finite(data.energy), "color": color(data.color), "size": _finite(size)}


def camera(entry: Any) -> dict | None:
    """The values of a camera."""
    return {"lens": _finite(entry.data.lens)} if entry.type == "CAMERA" else None


def modifier_settings(entry: Any) -> list[dict]:
    """What the step ``modifier`` sets of each modifier of ``entry``."""
    return [
        {prop.identifier: _plain(getattr(each, prop.identifier)) for prop in step_modifier.settable(each)}
        for each in entry.modifiers
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, bpy.types.ID):
        return value.name
    if isinstance(value, set):
        return sorted(value)
    return [_plain(item) for item in value]


def materials(_scene: Any) -> list[dict]:
    """The materials of surfaces with what the step ``material`` sets; null for what other nodes decide."""
    surfaces = [each for each in bpy.data.materials if not getattr(each, "is_grease_pencil", False)]
    return [_material(each) for each in surfaces[:MOST_MATERIALS]]


def _material(each: Any) -> dict:
    read = {"name": each.name, "color": None, "metallic": None, "roughness": None}
    if each.use_nodes and each.node_tree is not None:
        shader = _first(each, "BSDF_PRINCIPLED")
        base, alpha = _value(shader, "Base Color"), _value(shader, "Alpha")
        if base is not None and alpha is not None:
            read["color"] = {**color(base), "a": _finite(alpha)}
        read["metallic"], read["roughness"] = (_plain(_value(shader, name)) for name in ("Metallic", "Roughness"))
        emission = _value(shader, "Emission Color", "Emission")
        strength = _value(shader, "Emission Strength")
    else:
        read.update(color=color(each.diffuse_color), metallic=each.metallic, roughness=each.roughness)
        emission, strength = None, None
    return {**read, "emission": None if emission is None else color(emission), "emissionStrength": _plain(strength)}


def world(scene: Any) -> dict | None:
    """The background; null without a world."""
    chosen = scene.world
    if chosen is None:
        return None
    if not chosen.use_nodes or chosen.node_tree is None:
        return {"color": color(chosen.color), "strength": None}
    background = _first(chosen, "BACKGROUND")
    shown = _value(background, "Color")
    return {"color": None if shown is None else color(shown), "strength": _plain(_value(background, "Strength"))}


def render(scene: Any) -> dict:
    """The size of a picture, and the samples of an engine that has them."""
    settings, samples = scene.render, step_looks.samples_of(scene)
    return {
        "width": settings.resolution_x,
        "height": settings.resolution_y,
        "samples": None if samples is None else getattr(*samples),
    }


def _first(owner: Any, kind: str) -> Any:
    return next((node for node in owner.node_tree.nodes if node.type == kind), None)


def _value(node: Any, *names: str) -> Any:
    """The value of the first socket that the node has; None where another node decides it."""
    socket = next((node.inputs[name] for name in names if name in node.inputs), None) if node is not None else None
    return None if socket is None or socket.is_linked else socket.default_value
