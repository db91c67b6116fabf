# SPDX-License-Identifier: MIT
"""Paths of properties in texts: animation sets a property by its path, past what the parse tree shows."""

from __future__ import annotations

import re
from typing import Callable

from . import audit, numpy_facade

#: Methods that take the path or the name of a property, or the type of a node. Code gets them wrapped.
METHODS = frozenset(
    """
    add ensure fcurve_ensure_for_datablock foreach_get foreach_set keyframe_delete keyframe_insert new new_from_fcurve
    """.split()
)

#: Properties that can be animated, and make Blender write or read files; and nodes that read any file.
_REFUSED = re.compile(
    r"\b(use_disk_cache|use_external|use_library_path|use_autopack|use_module|use_proxy\w*|proxy_\w+|save_as_render"
    r"|read_data|GeometryNodeImport\w+)\b"
)


def check(value: object) -> object:
    """The value; raises PermissionError for a text that has a refused property, or for an array of several axes.

    Blender takes the length of the first axis for that of the memory.
    """
    if getattr(value, "ndim", 1) > 1 and numpy_facade.is_numpys(value):
        raise ValueError("the array has several axes: give `array.ravel()`")
    found = _REFUSED.search(value) if isinstance(value, str) else None
    if found:
        audit.refuse(found.group())
    return value


def checked(method: Callable) -> Callable:
    """A method that checks its arguments first."""
    if isinstance(method, numpy_facade.Function):
        return method

    def call(*arguments: object, **named: object) -> object:
        for value in arguments:
            check(value)
        for value in named.values():
            check(value)
        return method(*arguments, **named)

    return call
