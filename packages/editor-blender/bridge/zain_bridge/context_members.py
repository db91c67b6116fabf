# SPDX-License-Identifier: MIT
"""Copies of Blender's context: dicts, whose keys the parse tree does not show as attributes."""

from __future__ import annotations

import sys
from typing import Callable

from . import allowed, audit


class Members(dict):
    """What a copy of the context has, without what no attribute may name. Those raise PermissionError."""

    def __missing__(self, key: object) -> object:
        if isinstance(key, str) and allowed.forbidden(key):
            audit.refuse(f"member {key} of the context")
        raise KeyError(key)


def checked(copy: Callable) -> Callable:
    """A method ``copy``; that of the context gives ``Members``."""
    bpy = sys.modules.get("bpy")
    if bpy is None or not isinstance(getattr(copy, "__self__", None), bpy.types.Context):
        return copy
    return lambda: Members({name: value for name, value in copy().items() if not allowed.forbidden(name)})
