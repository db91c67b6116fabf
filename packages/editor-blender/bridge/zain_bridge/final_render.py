# SPDX-License-Identifier: MIT
"""The method ``render.frames``: frames of the scene as files, as its render settings have them.

A process of its own renders a copy of the scene, so that a render can be ended at any time and changes nothing here.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from typing import Any

import bpy

from . import context, denoising, files, modal, scene_file
from .errors import BridgeError
from .params import ParamsError, boolean, integer, record, text
from .recovery import Recovery
from .watch import state
from .work import Hold

MOST_FRAMES = 10_000
DEFAULT_MS = 600_000
DONE = "zain-render done "
FAILED = "zain-render failed "

#: Blender's names of the formats, by the ends of the files' names.
FORMATS = {
    ".png": "PNG",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".exr": "OPEN_EXR",
    ".tif": "TIFF",
    ".tiff": "TIFF",
    ".webp": "WEBP",
}
_FRAME = integer(-1_000_000, 1_000_000)
_RENDER = record(
    {"path": text(4096)},
    {
        "frame": _FRAME,
        "lastFrame": _FRAME,
        "denoise": boolean,
        "overwrite": boolean,
        "timeoutMs": integer(1, 86_400_000),
    },
)


def render_frames(params: dict, hold: Hold) -> dict:
    """The method ``render.frames``. Each frame is moved to its path when it is whole."""
    checked = _RENDER(params, [])
    modal.require_none()
    scene = context.scene()
    first = checked.get("frame", scene.frame_current)
    frames = range(first, checked.get("lastFrame", first) + 1)
    if not 1 <= len(frames) <= MOST_FRAMES:
        message = f"expected lastFrame from {first} to {first + MOST_FRAMES - 1}"
        raise ParamsError("INVALID_VALUE", message, path=["lastFrame"])
    _require_renderable(scene, checked.get("denoise", False))
    overwrite = checked.get("overwrite", False)
    path = files.target(checked["path"], tuple(FORMATS), overwrite or "lastFrame" in checked)
    stem, ending = os.path.splitext(path)
    targets = {frame: f"{stem}{frame:04}{ending}" if "lastFrame" in checked else path for frame in frames}
    for target in targets.values():
        files.require_free(target, overwrite)
    with files.private() as directory:
        copy = os.path.join(directory, "scene.blend")
        is_dirty = scene_file.is_dirty()
        Recovery(copy).save()
        state.hidden = state.hidden or is_dirty
        given = {"scene": scene.name, "frames": [frames[0], frames[-1]], "directory": directory, "ending": ending}
        given.update(format=FORMATS[ending.lower()], denoise=checked.get("denoise"))
        deadline = time.monotonic() + checked.get("timeoutMs", DEFAULT_MS) / 1000
        return {"files": _follow(_start(copy, given), directory, targets, overwrite, deadline, hold)}


def _require_renderable(scene: Any, denoise: bool) -> None:
    if denoise:
        denoising.require(scene)
    if bpy.app.background and scene.render.engine != "CYCLES":
        raise BridgeError(
            "OPERATION_UNSUPPORTED",
            f"the render engine {scene.render.engine} does not render without a window",
            suggestions=["Apply the step render with the engine cycles first"],
        )
    if scene.camera is None:
        suggestions = ["Add a camera with the step camera"]
        raise BridgeError("RESOURCE_NOT_FOUND", "the scene has no active camera", suggestions=suggestions)


def _start(copy: str, given: dict) -> subprocess.Popen:
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "render_process.py")
    own = ["--factory-startup"] if bpy.app.background else []  # with a window, the user's devices and add-ons
    return subprocess.Popen(
        [bpy.app.binary_path, "-b", *own, "-Y", copy, "--python", script, "--", json.dumps(given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    )


def _follow(
    child: subprocess.Popen, directory: str, targets: dict, overwrite: bool, deadline: float, hold: Hold
) -> list[str]:
    """Moves the frames of ``child`` to their ``targets`` until it has ended, or must."""
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(child.stdout, lines), name="zain-bridge-render", daemon=True)
    reader.start()
    hold.on_cancel = child.kill
    if hold.cancelled.is_set():
        child.kill()
    written: list[str] = []
    code, problem, size = "OPERATION_FAILED", "Blender ended", 0
    try:
        for frame, target in targets.items():
            hold.progress = {"done": len(written), "total": len(targets)}
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
            if line != f"{DONE}{frame}":
                problem = problem if line is None else line.removeprefix(FAILED)[:300]
                break
            draft = os.path.join(directory, f"{frame}{os.path.splitext(target)[1]}")
            size += files.require_small(draft, size)
            files.require_free(target, overwrite)
            files.move_in(draft, target)
            written.append(target)
    except queue.Empty:
        code, problem = "OPERATION_TIMEOUT", "the time is over"
    except (OSError, BridgeError) as error:
        problem = str(error)
    finally:
        hold.on_cancel = None
        child.kill()
        reader.join()
        with child:  # its streams close
            pass
    if len(written) == len(targets):
        return written
    if hold.cancelled.is_set():
        code, problem = "OPERATION_TIMEOUT", "it was cancelled"
    raise BridgeError(
        code,
        f"the render ended early: {problem}; of {len(targets)} frames {len(written)} are written",
        suggestions=["Go on with the next frame: give frame", "Raise timeoutMs", "Lower the samples or the size"],
    )


def _read(stream: Any, lines: queue.Queue) -> None:
    for line in stream:
        if line.startswith((DONE, FAILED)):
            lines.put(line.rstrip("\n"))
    lines.put(None)
