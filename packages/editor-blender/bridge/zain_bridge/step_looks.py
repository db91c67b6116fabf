# SPDX-License-Identifier: MIT
"""Steps on what is seen: material, light, camera, world, render."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Vector

from . import changes, context, files, placing
from .errors import BridgeError, line_of
from .params import near

_VALUES = ("color", "metallic", "roughness", "emission", "emissionStrength", "image")
_ENERGY = {"point": 1000.0, "sun": 3.0, "spot": 1000.0, "area": 500.0}
_ENGINES = {
    "cycles": ("CYCLES",),
    "eevee": ("BLENDER_EEVEE_NEXT", "BLENDER_EEVEE"),
    "workbench": ("BLENDER_WORKBENCH",),
}


def material(members: dict, path: list) -> list[Any]:
    """The step ``material``."""
    entry = context.find(members["object"], [*path, "object"])
    dress(entry, members, path)
    return [entry]


def dress(entry: Any, members: dict, path: list) -> None:
    """Gives ``entry`` the material of ``members``: the one of that name, its own, or a new one."""
    if not hasattr(entry.data, "materials"):
        raise BridgeError("OPERATION_UNSUPPORTED", f"an object of the type {entry.type} has no materials", path=path)
    chosen = _material(entry, members, path)
    shader = _paint(chosen, members, path)
    if "image" in members:
        _texture(entry, chosen, shader, members, path)
    if entry.active_material == chosen:
        return
    if len(entry.material_slots) == 0:
        entry.data.materials.append(None if entry.data.users > 1 else chosen)
    slot = entry.material_slots[max(0, entry.active_material_index)]
    if entry.data.users > 1:  # the other objects with this data keep theirs
        slot.link = "OBJECT"
    slot.material = chosen


def _material(entry: Any, members: dict, path: list) -> Any:
    name = members.get("name")
    if name is not None:
        found = bpy.data.materials.get(name)
        if found is None and not any(value in members for value in _VALUES):
            raise BridgeError(
                "MATERIAL_NOT_FOUND",
                f"no material {name!r}; with a color or another value it would be made",
                path=[*path, "name"],
                suggestions=near(name, bpy.data.materials.keys()),
            )
        return found if found is not None else bpy.data.materials.new(name)
    current = entry.active_material
    if current is None:
        return bpy.data.materials.new(entry.name)
    if current.users > 1:
        return current.copy()
    return current


def _paint(chosen: Any, members: dict, path: list) -> Any:
    """Sets the values of a material's shader, and returns it; None where there are no values."""
    if not any(value in members for value in _VALUES):
        return None
    shader = _node(chosen, "BSDF_PRINCIPLED", "ShaderNodeBsdfPrincipled", "ShaderNodeOutputMaterial")
    if shader is None:
        message = f"the material {chosen.name!r} has no Principled BSDF, whose values this step sets"
        raise BridgeError("OPERATION_UNSUPPORTED", message, path=path, suggestions=["Give a new name for the material"])
    if "color" in members:
        chosen.diffuse_color = members["color"]
        _set(shader, members["color"], "Base Color")
        _set(shader, members["color"][3], "Alpha")
        if members["color"][3] < 1:
            _blend(chosen)
    if "metallic" in members:
        chosen.metallic = members["metallic"]
        _set(shader, members["metallic"], "Metallic")
    if "roughness" in members:
        chosen.roughness = members["roughness"]
        _set(shader, members["roughness"], "Roughness")
    if "emission" in members:
        _set(shader, members["emission"], "Emission Color", "Emission")
        strength = shader.inputs.get("Emission Strength")
        if "emissionStrength" not in members and strength is not None and strength.default_value == 0:
            strength.default_value = 1.0
    if "emissionStrength" in members:
        _set(shader, members["emissionStrength"], "Emission Strength")
    return shader


def _texture(entry: Any, chosen: Any, shader: Any, members: dict, path: list) -> None:
    """Makes an image the base colour: by the UV map of ``entry``, or without one from all sides."""
    at = [*path, "image"]
    if "color" in members:
        raise BridgeError("VALIDATION_ERROR", "color and image exclude each other: both are the base colour", path=at)
    try:
        image = bpy.data.images.load(files.existing(members["image"], files.IMAGES, at), check_existing=True)
    except RuntimeError as error:
        raise BridgeError("OPERATION_FAILED", f"Blender cannot read the image: {line_of(error)}", path=at) from None
    if 0 in image.size:
        raise BridgeError("OPERATION_FAILED", "the file is no image that Blender reads", path=at)
    tree, socket = chosen.node_tree, shader.inputs["Base Color"]
    node = next((link.from_node for link in socket.links if link.from_node.type == "TEX_IMAGE"), None)
    if node is None:
        node = tree.nodes.new("ShaderNodeTexImage")
        tree.links.new(node.outputs["Color"], socket)
    node.image = image
    if not getattr(entry.data, "uv_layers", None):
        node.projection = "BOX"
        tree.links.new(tree.nodes.new("ShaderNodeTexCoord").outputs["Generated"], node.inputs["Vector"])


def _node(owner: Any, kind: str, name: str, output: str) -> Any:
    """The first node of a kind that a material or a world has, or None. It is made where there are no nodes at all."""
    if not getattr(owner, "use_nodes", True):  # later versions have nodes always
        owner.use_nodes = True
    tree = owner.node_tree
    if len(tree.nodes) == 0:
        tree.links.new(tree.nodes.new(name).outputs[0], tree.nodes.new(output).inputs["Surface"])
    return next((node for node in tree.nodes if node.type == kind), None)


def _set(node: Any, value: Any, *names: str) -> None:
    socket = next((node.inputs[name] for name in names if name in node.inputs), None)
    if socket is not None:
        socket.default_value = value


def _blend(chosen: Any) -> None:
    if hasattr(chosen, "surface_render_method"):
        chosen.surface_render_method = "BLENDED"
    elif hasattr(chosen, "blend_method"):
        chosen.blend_method = "BLEND"


def _of_kind(name: str | None, kind: str) -> Any:
    found = context.scene().objects.get(name) if name is not None else None
    return found if found is not None and found.type == kind else None


def size_of(data: Any) -> str:
    """The property that is the size of a light."""
    return {"SUN": "angle", "AREA": "size"}.get(data.type, "shadow_soft_size")


def light(members: dict, path: list) -> list[Any]:
    """The step ``light``."""
    entry = _of_kind(members.get("name"), "LIGHT")
    kind = members.get("type")
    if entry is None:
        kind = kind or "point"
        name = members.get("name", kind.capitalize())
        data = bpy.data.lights.new(name, kind.upper())
        data.energy = _ENERGY[kind]
        entry = bpy.data.objects.new(name, data)
        placing.link(entry)
    elif kind is not None:
        entry.data.type = kind.upper()
    data = entry.data  # its class follows its type
    placing.place(entry, members.get("transform", {}))
    if "energy" in members:
        data.energy = members["energy"]
    if "color" in members:
        data.color = members["color"][:3]
    if "size" in members:
        setattr(data, size_of(data), members["size"])
    changes.touched(data)
    return [entry]


def camera(members: dict, path: list) -> list[Any]:
    """The step ``camera``."""
    entry = _of_kind(members.get("name"), "CAMERA")
    if entry is None:
        name = members.get("name", "Camera")
        entry = bpy.data.objects.new(name, bpy.data.cameras.new(name))
        placing.link(entry)
    placing.place(entry, members.get("transform", {}))
    if "lookAt" in members:
        _look_at(entry, members["lookAt"], [*path, "lookAt"])
    if "lens" in members:
        entry.data.lens = members["lens"]
    if members.get("active", True):
        context.scene().camera = entry
    changes.touched(entry.data)
    return [entry]


def _look_at(entry: Any, target: Any, path: list) -> None:
    if isinstance(target, str):
        other = context.find(target, path)
        context.outdate()
        context.updated()
        point = other.matrix_world.translation
    else:
        context.outdate()
        context.updated()
        point = Vector(target)
    direction = point - entry.matrix_world.translation
    if direction.length < 1e-6:
        raise BridgeError("INVALID_VALUE", "the camera stands where it is to look at", path=path)
    turn = direction.to_track_quat("-Z", "Y")
    if entry.parent is not None:
        turn = entry.parent.matrix_world.to_quaternion().inverted() @ turn
    placing.rotate(entry, turn.to_euler())


def world(members: dict, path: list) -> list[Any]:
    """The step ``world``. It changes no object, so its outcome has no names."""
    scene = context.scene()
    if scene.world is None:
        scene.world = bpy.data.worlds.new("World")
    chosen = scene.world
    background = _node(chosen, "BACKGROUND", "ShaderNodeBackground", "ShaderNodeOutputWorld")
    if background is None:
        raise BridgeError(
            "OPERATION_UNSUPPORTED", "the world's nodes have no Background, which this step sets", path=path
        )
    if "color" in members:
        chosen.color = members["color"][:3]
        _set(background, members["color"], "Color")
    if "strength" in members:
        _set(background, members["strength"], "Strength")
    return []


def render(members: dict, path: list) -> list[Any]:
    """The step ``render``: settings alone."""
    scene = context.scene()
    if "engine" in members:
        _use_engine(scene, members["engine"], [*path, "engine"])
    if "width" in members:
        scene.render.resolution_x = members["width"]
    if "height" in members:
        scene.render.resolution_y = members["height"]
    if "samples" in members:
        samples = samples_of(scene)
        if samples is None:
            message = f"the render engine {scene.render.engine} has no samples"
            raise BridgeError("OPERATION_UNSUPPORTED", message, path=[*path, "samples"])
        setattr(*samples, members["samples"])
    return []


def samples_of(scene: Any) -> tuple[Any, str] | None:
    """What has the samples of the scene's engine, and the property."""
    if scene.render.engine == "CYCLES":
        return scene.cycles, "samples"
    return (scene.eevee, "taa_render_samples") if scene.render.engine in _ENGINES["eevee"] else None


def _use_engine(scene: Any, engine: str, path: list) -> None:
    for name in _ENGINES[engine]:
        try:
            scene.render.engine = name
            return
        except TypeError:
            continue
    raise BridgeError("OPERATION_UNSUPPORTED", f"this Blender has no render engine {engine}", path=path)
