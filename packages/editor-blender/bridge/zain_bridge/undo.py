# SPDX-License-Identifier: MIT
"""Undo steps around what a request does, so that a failure leaves the scene as it was."""

from __future__ import annotations

from typing import Callable

import bpy

from . import changes, context, modal, preview, recovery, watch
from .errors import BridgeError
from .params import record
from .watch import quiet, state

NO_PARAMS = record()


def with_undo(action: Callable[[], dict | None], dry_run: bool = False, preview_params: dict | None = None) -> dict:
    """Runs ``action`` and returns its result with ``changes``, ``digest`` and, where asked for, ``preview``.

    An exception of ``action`` is raised again after the scene is as it was. ``dry_run`` undoes a success too; then
    ``digest`` is that of the scene as it is again.
    """
    modal.require_none()
    context.require_object_mode()
    _require_undo()
    if not dry_run:
        recovery.before_change()
    with quiet():
        if not state.clean:
            _push("Before Zain")
        before = changes.snapshot()
        pictures = {}
        if preview_params is not None:
            pictures["before"] = preview.render(preview_params)
        try:
            result = action() or {}
            context.leave_mode()
            after = changes.snapshot()
            if preview_params is not None:
                pictures["after"] = preview.render(preview_params)
        except BaseException:
            _take_back(before)
            raise
        differences = changes.between(before, after)
        if dry_run:
            _take_back(before)
        else:
            _push("Zain")
            watch.changed()
    merged = {**result, "changes": differences, "digest": changes.digest(before if dry_run else after)}
    if pictures:
        merged["preview"] = pictures
    return merged


def unhide() -> None:
    """An undo step makes Blender take the scene for unsaved again, which a copy has hidden."""
    if state.hidden and not modal.is_running():
        with quiet():
            _push("Before Zain")


def undo(params: dict, _hold: object) -> dict:
    """The method ``undo``: takes the newest undo step back."""
    NO_PARAMS(params, [])
    if bpy.app.background and state.undoable <= 0:  # below are the steps of the file that was open before
        return _nothing()
    return _step(bpy.ops.ed.undo, +1)


def redo(params: dict, _hold: object) -> dict:
    """The method ``redo``: only what was undone on request, never what a failure took back."""
    NO_PARAMS(params, [])
    if state.redoable <= 0:
        return _nothing()
    return _step(bpy.ops.ed.redo, -1)


def _nothing() -> dict:
    now = changes.snapshot()
    return {"done": False, "changes": changes.between(now, now), "digest": changes.digest(now)}


def _step(operator: Callable[[], set], direction: int) -> dict:
    modal.require_none()
    context.require_object_mode()
    with quiet():
        before = changes.snapshot()
        done = _call(operator)
        changes.forget()
        after = changes.snapshot()
        if done:
            state.clean = True
            watch.changed()
            state.redoable = max(0, state.redoable + direction)
            state.undoable -= direction
    return {"done": done, "changes": changes.between(before, after), "digest": changes.digest(after)}


def _call(operator: Callable[[], set]) -> bool:
    try:
        with context.window():
            return "FINISHED" in operator()
    except RuntimeError:  # there is no such step
        return False


def _push(message: str) -> None:
    with context.window():
        bpy.ops.ed.undo_push(message=message)
    state.clean = True
    state.hidden = False
    state.undoable += 1
    state.redoable = 0


def _take_back(before: changes.Snapshot) -> None:
    context.leave_mode()  # an undo in Edit Mode takes back edits of its mesh alone
    _push("Zain, taken back")
    done = _call(bpy.ops.ed.undo)
    state.undoable -= 1
    changes.forget()
    if not done or changes.digest(changes.snapshot()) != changes.digest(before):
        state.clean = False
        watch.changed()
        raise BridgeError(
            "OPERATION_FAILED",
            "the operation failed and Blender could not undo it: the scene may have changed",
            suggestions=["Read the scene again before the next change"],
        )


def _require_undo() -> None:
    edit = bpy.context.preferences.edit
    if not edit.use_global_undo or edit.undo_steps < 3:
        raise BridgeError(
            "OPERATION_UNSUPPORTED",
            "Blender's Global Undo is off, and without it a failed operation cannot be undone",
            suggestions=["Turn on Preferences > System > Global Undo with at least 3 Undo Steps"],
        )
