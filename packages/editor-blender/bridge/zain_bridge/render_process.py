# SPDX-License-Identifier: MIT
"""Renders frames of the scene that Blender has opened, as final_render.py asks; ends with its parent."""

from __future__ import annotations

import json
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import bpy  # noqa: E402

from zain_bridge import denoising, file_outputs  # noqa: E402
from zain_bridge.errors import line_of  # noqa: E402
from zain_bridge.final_render import DONE, FAILED  # noqa: E402


def _end_with_stdin() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def main(given: dict) -> None:
    """Renders, and prints a line for each frame that is written."""
    scene = bpy.data.scenes[given["scene"]]
    settings, image = scene.render, scene.render.image_settings
    for node in file_outputs.nodes():
        node.mute = True
    for layer in file_outputs.scripted(scene):
        layer.use_freestyle = False
    settings.use_overwrite, settings.use_placeholder, settings.use_file_extension = True, False, False
    for name in dir(settings):  # their draft's path, and the date, unless they are burnt in
        if name.startswith("use_stamp_") and (name == "use_stamp_filename" or not settings.use_stamp):
            setattr(settings, name, False)
    if hasattr(image, "media_type"):
        image.media_type = "IMAGE"
    image.file_format = given["format"]
    if settings.engine == "CYCLES" and (given["denoise"] is not None or not denoising.is_there()):
        denoising.apply(scene, bool(given["denoise"]))
    first, last = given["frames"]
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        settings.filepath = os.path.join(given["directory"], f"{frame}{given['ending']}")
        bpy.ops.render.render(write_still=True, scene=scene.name)
        print(f"\n{DONE}{frame}", flush=True)  # Blender may have left its own line open


if __name__ == "__main__":
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        main(json.loads(sys.argv[-1]))
    except Exception as error:
        print(f"\n{FAILED}{line_of(error)}", flush=True)
    sys.stdout.flush()
    os._exit(0)
