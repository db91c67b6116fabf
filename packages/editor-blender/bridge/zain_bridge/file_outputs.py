# SPDX-License-Identifier: MIT
"""File Output nodes: rendering writes files where the scene has one, so code must not leave a new one behind."""

from __future__ import annotations

import sys


def found() -> frozenset[tuple[str, str]]:
    """The File Output nodes of all node trees, as (tree, node)."""
    bpy = sys.modules.get("bpy")
    if bpy is None:
        return frozenset()
    trees = [(f"scene {scene.name}", getattr(scene, "node_tree", None)) for scene in bpy.data.scenes]
    trees += [(f"group {tree.name}", tree) for tree in bpy.data.node_groups if tree.type == "COMPOSITING"]
    return frozenset(
        (name, node.name) for name, tree in trees if tree for node in tree.nodes if node.type == "OUTPUT_FILE"
    )
