# SPDX-License-Identifier: MIT
"""Renders the scene to a PNG and leaves it as it was."""

from __future__ import annotations

import base64
import itertools
import math
import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import Any, Iterator

import bpy
from mathutils import Euler, Vector

from . import bounds, context, denoising, file_outputs, modal, png
from .errors import BridgeError
from .params import PREVIEW
from .watch import quiet

# Where each view looks from, as the rotation of its camera.
_TURNS = {
    "front": (math.pi / 2, 0.0, 0.0),
    "back": (math.pi / 2, 0.0, math.pi),
    "left": (math.pi / 2, 0.0, -math.pi / 2),
    "right": (math.pi / 2, 0.0, math.pi / 2),
    "top": (0.0, 0.0, 0.0),
    "bottom": (math.pi, 0.0, 0.0),
    "perspective": (math.radians(65), 0.0, math.radians(40)),
}
_MARGIN = 1.1


def preview_render(params: dict, _hold: object) -> dict:
    """The method ``preview.render``."""
    checked = PREVIEW(params, [])
    modal.require_none()  # a camera comes and goes
    return render(checked)


def render(params: dict) -> dict:
    """Renders by checked params; returns the picture as the protocol has it."""
    width, height = params.get("width", 512), params.get("height", 512)
    view = params.get("view", "perspective")
    scene = context.scene()
    if view == "viewport":
        _require_view(params)
    if view == "camera" and scene.camera is None:
        raise BridgeError(
            "RESOURCE_NOT_FOUND",
            "the scene has no active camera",
            path=["view"],
            suggestions=["Use the view perspective", "Add a camera with the step camera"],
        )
    directory = tempfile.mkdtemp(prefix="zain-preview-")
    try:
        with quiet(), _settings() as put:
            if view not in ("camera", "viewport"):
                _aim(scene, view, width / height, put)
            samples = None if view == "viewport" else params.get("samples", 4)
            _prepare(scene, width, height, samples, put, params.get("denoise", False))
            put(scene.render, "filepath", os.path.join(directory, "preview.png"))
            with context.window(in_view=view == "viewport"):
                if view == "viewport":
                    bpy.ops.render.opengl(write_still=True, view_context=True)
                else:
                    bpy.ops.render.render(write_still=True, scene=scene.name)
        with open(os.path.join(directory, "preview.png"), "rb") as file:
            picture = png.bare(file.read())
    except (RuntimeError, OSError, ValueError) as error:
        raise BridgeError("OPERATION_FAILED", f"the render failed: {error}") from None
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    text = base64.b64encode(picture).decode("ascii")
    return {"mediaType": "image/png", "width": width, "height": height, "base64": text}


def _require_view(params: dict) -> None:
    """What the 3D view shows is drawn by the view's own settings, in a Blender with a window."""
    for name in ("samples", "denoise"):
        if params.get(name):
            message = f"the view viewport takes no {name}: it is drawn as it is shown"
            raise BridgeError("VALIDATION_ERROR", message, path=[name])
    if bpy.app.background or context.view_3d() is None:
        raise BridgeError(
            "OPERATION_UNSUPPORTED",
            "this Blender has no window with a 3D view",
            path=["view"],
            suggestions=["Use the view perspective or camera"],
        )


class _Put:
    """Sets attributes and sets them back in reverse order; calls what else restores the scene."""

    def __init__(self) -> None:
        self._back: list = []

    def __call__(self, owner: Any, name: str, value: Any) -> None:
        if not hasattr(owner, name):  # a setting of another version of Blender
            return
        old = getattr(owner, name)
        setattr(owner, name, value)
        self.after(lambda: setattr(owner, name, old))

    def keep(self, owner: Any, name: str) -> None:
        """Has the value of now set back, after all that is set later."""
        old = getattr(owner, name)
        self.after(lambda: setattr(owner, name, old))

    def after(self, action: Any) -> None:
        """Has ``action`` called when the settings are set back."""
        self._back.append(action)

    def restore(self) -> None:
        """Sets all back, also where one fails."""
        while self._back:
            try:
                self._back.pop()()
            except (TypeError, ReferenceError, RuntimeError):
                continue


@contextmanager
def _settings() -> Iterator[_Put]:
    put = _Put()
    try:
        yield put
    finally:
        put.restore()


def _prepare(scene: Any, width: int, height: int, samples: int | None, put: _Put, denoise: bool = False) -> None:
    settings = scene.render
    if samples is not None:
        _engine(scene, samples, put, denoise)
    put(settings, "resolution_x", width)
    put(settings, "resolution_y", height)
    put(settings, "resolution_percentage", 100)
    put(settings, "pixel_aspect_x", 1.0)
    put(settings, "pixel_aspect_y", 1.0)
    for name in ("use_border", "use_stamp", "use_multiview", "use_compositing", "use_sequencer", "use_placeholder"):
        put(settings, name, False)
    put(settings, "dither_intensity", 0.0)
    for layer in file_outputs.scripted(scene):
        put(layer, "use_freestyle", False)
    put(settings, "use_file_extension", True)
    put(settings, "use_overwrite", True)
    for name in ("color_depth", "color_mode", "file_format"):  # each fits those after it alone, and follows them
        put.keep(settings.image_settings, name)
    put(settings.image_settings, "media_type", "IMAGE")
    put(settings.image_settings, "file_format", "PNG")
    put(settings.image_settings, "color_mode", "RGB")
    put(settings.image_settings, "color_depth", "8")
    put(settings.image_settings, "compression", 90)


def _engine(scene: Any, samples: int, put: _Put, denoise: bool = False) -> None:
    if not bpy.app.background and not denoise:
        for name in ("BLENDER_EEVEE_NEXT", "BLENDER_EEVEE"):
            try:
                put(scene.render, "engine", name)
            except TypeError:  # an engine of another version
                continue
            return put(scene.eevee, "taa_render_samples", samples)
    try:  # the others draw with a window's graphics
        put(scene.render, "engine", "CYCLES")
    except TypeError:
        raise BridgeError(
            "OPERATION_UNSUPPORTED",
            "the render engine Cycles is not enabled, and no other renders without a window",
            suggestions=["Enable the add-on Cycles Render Engine"],
        ) from None
    put(scene.cycles, "samples", samples)
    if denoise:
        denoising.require(scene)
    denoising.apply(scene, denoise, put)
    put(scene.cycles, "use_adaptive_sampling", False)


def _aim(scene: Any, view: str, aspect: float, put: _Put) -> None:
    """Makes a camera that sees all that is rendered, and makes it the scene's until ``put`` restores."""
    context.layer().update()
    lows, highs = bounds.around(context.layer().objects)
    centre = Vector([(low + high) / 2 for low, high in zip(lows, highs)])
    data = bpy.data.cameras.new("Zain preview")
    put.after(lambda: bpy.data.cameras.remove(data))
    camera = bpy.data.objects.new("Zain preview", data)
    put.after(lambda: bpy.data.objects.remove(camera, do_unlink=True))
    scene.collection.objects.link(camera)
    rotation = Euler(_TURNS[view]).to_matrix()
    # The corners as the camera sees them: x to the right, y up, z towards it.
    corners = [rotation.transposed() @ (Vector(corner) - centre) for corner in itertools.product(*zip(lows, highs))]
    right = max(0.01, *(abs(corner.x) for corner in corners))
    up = max(0.01, *(abs(corner.y) for corner in corners))
    depth = max(0.01, *(abs(corner.z) for corner in corners))
    if view == "perspective":
        data.sensor_fit = "AUTO"
        tangent = data.sensor_width / 2 / data.lens
        across, along = (tangent, tangent / aspect) if aspect >= 1 else (tangent * aspect, tangent)
        distance = max(
            corner.z + _MARGIN * max(abs(corner.x) / across, abs(corner.y) / along, 0.02) for corner in corners
        )
    else:
        data.type = "ORTHO"
        # The scale is that of the picture's longer side.
        data.ortho_scale = 2 * _MARGIN * (max(right, up * aspect) if aspect >= 1 else max(right / aspect, up))
        distance = 2 * depth + 1
    data.clip_start = max(1e-3, (distance - depth) * 0.1)
    data.clip_end = (distance + depth) * 4
    camera.rotation_euler = _TURNS[view]
    camera.location = centre + rotation @ Vector((0, 0, distance))
    put(scene, "camera", camera)
