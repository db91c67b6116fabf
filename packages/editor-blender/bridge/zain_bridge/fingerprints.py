# SPDX-License-Identifier: MIT
"""Fingerprints of data-blocks: the same for the same content in every process, whatever its place in memory."""

from __future__ import annotations

import hashlib
from array import array
from typing import Any

import bpy

_SIMPLE = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
# What the interface keeps in data-blocks, and what follows from the rest.
_SKIPPED = set(
    """rna_type name_full tag is_evaluated is_library_indirect is_embedded_data use_fake_user users use_extra_user
    is_missing is_runtime_data is_editable session_uid show_expanded is_active select show_options show_preview
    show_texture warning_propagation bl_description persistent_uid execution_time use_pin_to_last active_material_index
    active_index preview node_tree animation_data original library asset_data override_library shape_keys materials
    cycles filepath_raw library_weak_reference id_type""".split()
)
_SKIPPED_OF_NODES = _SKIPPED | set(
    """location location_absolute width width_hidden height hide dimensions color use_custom_color inputs outputs
    internal_links parent""".split()
)

_properties: dict[type, list[tuple[str, str, bool]]] = {}


def digest(*parts: Any) -> bytes:
    """A short hash of the ``repr`` or the bytes of ``parts``."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        state.update(part if isinstance(part, (bytes, array)) else repr(part).encode("utf-8", "surrogatepass"))
        state.update(b"\0")
    return state.digest()


def _listed(struct: Any) -> list[tuple[str, str, bool]]:
    kind = type(struct)
    found = _properties.get(kind)
    if found is None:
        skipped = _SKIPPED_OF_NODES if issubclass(kind, bpy.types.Node) else _SKIPPED
        found = [
            (prop.identifier, prop.type, getattr(prop, "is_array", False))
            for prop in struct.bl_rna.properties
            if prop.identifier not in skipped
            and (prop.type in ("POINTER", "COLLECTION") or (prop.type in _SIMPLE and not prop.is_readonly))
        ]
        _properties[kind] = found
    return found


def values(struct: Any, depth: int = 2) -> list:
    """The simple properties of ``struct`` by name, ``depth`` levels down; of data-blocks the name."""
    out: list = []
    for name, kind, is_array in _listed(struct):
        value = getattr(struct, name, None)
        if kind == "POINTER":
            if value is None:
                continue
            if isinstance(value, bpy.types.ID):
                out.append((name, value.name))
            elif depth > 0:
                out.append((name, values(value, depth - 1)))
        elif kind == "COLLECTION":
            if depth > 0 and len(value):
                out.append((name, [values(entry, depth - 1) for entry in value]))
        elif isinstance(value, set):
            out.append((name, sorted(value)))
        else:
            out.append((name, _nested(value) if is_array else value))
    return out


def _nested(value: Any) -> Any:
    try:
        return tuple(_nested(entry) for entry in value) if not isinstance(value, (str, bytes)) else value
    except TypeError:
        return value


def _column(collection: Any, name: str, width: int, kind: str = "f") -> array:
    data = array(kind, bytes(4 * width * len(collection)))
    if len(data):
        collection.foreach_get(name, data)
    return data


def mesh(data: Any) -> bytes:
    """The fingerprint of a mesh: positions, topology, material indices, UV maps and shape keys."""
    parts: list = [
        _column(data.vertices, "co", 3),
        _column(data.edges, "vertices", 2, "i"),
        _column(data.loops, "vertex_index", 1, "i"),
        _column(data.polygons, "loop_total", 1, "i"),
        _column(data.polygons, "material_index", 1, "i"),
    ]
    for layer in data.uv_layers:
        parts += [layer.name, _column(layer.data, "uv", 2)]
    return digest(*parts, *_keys(data))


def _keys(data: Any) -> list:
    if data.shape_keys is None:
        return []
    parts: list = []
    for block in data.shape_keys.key_blocks:
        parts += [block.name, block.value, block.mute]
        if isinstance(data, bpy.types.Mesh):
            parts.append(_column(block.data, "co", 3))
    return parts


def curve(data: Any) -> bytes:
    """The fingerprint of a curve, a surface or a text."""
    parts: list = [values(data, 0)]
    for spline in data.splines:
        parts.append(values(spline, 0))
        parts.append(_column(spline.points, "co", 4))
        for name in ("co", "handle_left", "handle_right"):
            parts.append(_column(spline.bezier_points, name, 3))
    return digest(*parts)


def geometry(data: Any) -> bytes:
    """The fingerprint of any object data that has a shape or settings."""
    if isinstance(data, bpy.types.Mesh):
        return mesh(data)
    if isinstance(data, bpy.types.Curve):
        return curve(data)
    return digest(values(data), _nodes(getattr(data, "node_tree", None)))


def shaded(data: Any) -> bytes:
    """The fingerprint of a material or a world: its settings and its nodes."""
    return digest(values(data, 1), _nodes(data.node_tree))


def stacked(entry: Any) -> list:
    """A modifier or a constraint: its settings and, for geometry nodes, their inputs and nodes."""
    try:
        inputs = [(name, _named(_nested(value))) for name, value in entry.items()]
    except TypeError:  # no properties of its own
        inputs = []
    return [values(entry), inputs, _nodes(getattr(entry, "node_group", None))]


def _nodes(tree: Any, depth: int = 4) -> list:
    if tree is None or depth == 0:
        return []
    out: list = []
    for node in tree.nodes:
        inputs = [_nested(getattr(socket, "default_value", None)) for socket in node.inputs]
        out.append((node.bl_idname, node.name, node.mute, values(node), [_named(value) for value in inputs]))
        outputs = [_nested(getattr(socket, "default_value", None)) for socket in node.outputs]
        out.append([_named(value) for value in outputs])
        if getattr(node, "node_tree", None) is not None:
            out.append(_nodes(node.node_tree, depth - 1))
    for link in tree.links:
        from_, to = link.from_socket, link.to_socket
        out.append((link.from_node.name, from_.identifier, link.to_node.name, to.identifier))
    return out


def _named(value: Any) -> Any:
    return value.name if isinstance(value, bpy.types.ID) else value
