# SPDX-License-Identifier: MIT
"""Blender's handlers: what changed outside of a request, and when the notice ``scene.changed`` is due."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator

import bpy

from . import changes, context

NOTICE_SECONDS = 0.25


class _State:
    """Read and written by Blender's main thread alone."""

    quiet = 0
    changed = False  # the scene may differ from the last notice
    unsaved = False  # the scene may differ from its file
    hidden = False  # Blender's window takes unsaved work for saved, because of a copy
    written = False  # a file was written, which Blender's window takes up when the bridge returns
    edits = 0  # counts what may have changed the scene
    last_notice = 0.0
    clean = False  # the newest undo step is the scene as it is
    undoable = 0  # steps since the file was opened, of a Blender without a window
    redoable = 0  # steps that were undone on request
    opened = 0  # files so far
    on_file: Callable[[], None] | None = None


state = _State()


def changed() -> None:
    """The scene was changed: a notice is due, and its file is out of date."""
    state.changed = True
    state.unsaved = True
    state.edits += 1


@contextmanager
def quiet() -> Iterator[None]:
    """Updates within it are the bridge's own: no notice follows from them."""
    state.quiet += 1
    try:
        yield
        context.layer().update()  # what is pending would else be taken for the user's
    finally:
        state.quiet -= 1


def due() -> bool:
    """Whether a notice is due now; it then counts as sent."""
    now = time.monotonic()
    if not state.changed or now - state.last_notice < NOTICE_SECONDS:
        return False
    state.changed = False
    state.last_notice = now
    return True


@bpy.app.handlers.persistent
def _on_update(_scene: Any, graph: Any = None) -> None:
    if graph is None:
        graph = bpy.context.evaluated_depsgraph_get()
    changes.on_updates(graph.updates)
    if not state.quiet:
        changed()
        state.clean = False


@bpy.app.handlers.persistent
def _on_undo(*_: Any) -> None:
    changes.forget()
    if not state.quiet:
        changed()
        state.clean = True
        state.redoable += 1


@bpy.app.handlers.persistent
def _on_redo(*_: Any) -> None:
    changes.forget()
    if not state.quiet:
        changed()
        state.clean = True
        state.redoable = max(0, state.redoable - 1)


@bpy.app.handlers.persistent
def _on_load(*_: Any) -> None:
    changes.forget()
    state.changed = True
    state.clean = False
    state.hidden = False
    state.opened += 1
    state.undoable = -1  # the first step is the file itself
    state.redoable = 0
    _on_save()


@bpy.app.handlers.persistent
def _on_save(*_: Any) -> None:
    state.unsaved = False
    state.written = True
    if state.on_file is not None:
        state.on_file()


def _handlers() -> list[tuple[list, Callable]]:
    lists = bpy.app.handlers
    return [
        (lists.depsgraph_update_post, _on_update),
        (lists.undo_post, _on_undo),
        (lists.redo_post, _on_redo),
        (lists.load_post, _on_load),
        (lists.save_post, _on_save),
    ]


def start(on_file: Callable[[], None]) -> None:
    """Adds the handlers. ``on_file`` is called when another file is opened or saved."""
    changes.forget()
    state.unsaved = False
    state.clean = False
    state.undoable = -1  # the first step is the file itself
    state.redoable = 0
    state.on_file = on_file
    for handlers, handler in _handlers():
        if handler not in handlers:
            handlers.append(handler)


def stop() -> None:
    """Takes the handlers away."""
    state.on_file = None
    for handlers, handler in _handlers():
        if handler in handlers:
            handlers.remove(handler)
