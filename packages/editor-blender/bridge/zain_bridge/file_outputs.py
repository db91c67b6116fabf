# SPDX-License-Identifier: MIT
"""What rendering does unasked: File Output nodes write files, and Freestyle runs scripts of the scene.

Code must not leave a new such node behind.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator


def _named() -> Iterator[tuple[str, Any]]:
    bpy = sys.modules.get("bpy")
    if bpy is None:
        return
    trees = [(f"scene {scene.name}", getattr(scene, "node_tree", None)) for scene in bpy.data.scenes]
    trees += [(f"group {tree.name}", tree) for tree in bpy.data.node_groups if tree.type == "COMPOSITING"]
    for name, tree in trees:
        yield from ((name, node) for node in (tree.nodes if tree else ()) if node.type == "OUTPUT_FILE")


def nodes() -> list[Any]:
    """The File Output nodes of all node trees."""
    return [node for _, node in _named()]


def found() -> frozenset[tuple[str, str]]:
    """The same, as (tree, node)."""
    return frozenset((name, node.name) for name, node in _named())


def scripted(scene: Any) -> list[Any]:
    """The view layers whose Freestyle runs scripts of the file when they are rendered."""
    settings = [(layer, getattr(layer, "freestyle_settings", None)) for layer in scene.view_layers]
    return [layer for layer, freestyle in settings if freestyle is not None and freestyle.mode == "SCRIPT"]
