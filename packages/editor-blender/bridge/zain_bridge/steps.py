# SPDX-License-Identifier: MIT
"""The method ``steps.apply``: steps in order, undone together when one fails."""

from __future__ import annotations

import time
from typing import Any, Callable

from . import context, step_looks, step_modifier, step_objects
from .errors import BridgeError
from .step_shapes import APPLY
from .undo import with_undo

DEFAULT_MS = 30_000

# Each takes checked members and their path, and returns the objects that it made or changed.
STEPS: dict[str, Callable[[dict, list], list[Any]]] = {
    "create": step_objects.create,
    "transform": step_objects.transform,
    "delete": step_objects.delete,
    "duplicate": step_objects.duplicate,
    "select": step_objects.select,
    "parent": step_objects.parent,
    "material": step_looks.material,
    "light": step_looks.light,
    "camera": step_looks.camera,
    "world": step_looks.world,
    "render": step_looks.render,
    "modifier": step_modifier.modifier,
}


def apply(params: dict, _hold: object) -> dict:
    """The method ``steps.apply``."""
    checked = APPLY(params, [])
    limit = checked.get("timeoutMs", DEFAULT_MS)

    def action() -> dict:
        deadline = time.monotonic() + limit / 1000
        outcomes = []
        for index, (kind, members) in enumerate(checked["steps"]):
            if time.monotonic() > deadline:
                raise BridgeError(
                    "OPERATION_TIMEOUT",
                    f"{index} of {len(checked['steps'])} steps took {limit} ms; all were undone",
                    path=["steps", index],
                    suggestions=["Send fewer steps at a time", "Raise timeoutMs"],
                )
            outcomes.append({"names": _run(kind, members, ["steps", index, kind])})
        return {"outcomes": outcomes}

    return with_undo(action, checked.get("dryRun", False), checked.get("preview"))


def _run(kind: str, members: dict, path: list) -> list[str]:
    try:
        found = STEPS[kind](members, path)
        return [entry if isinstance(entry, str) else entry.name for entry in found]
    except (RuntimeError, TypeError, ValueError, AttributeError, MemoryError) as error:
        lines = str(error).strip().splitlines()
        message = f"Blender refused the step {kind}: {lines[-1][:300] if lines else type(error).__name__}"
        raise BridgeError("OPERATION_FAILED", message, path=path) from error
    finally:
        context.outdate()
