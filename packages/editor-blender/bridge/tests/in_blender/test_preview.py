# SPDX-License-Identifier: MIT
from __future__ import annotations

import base64
import os
import struct
from typing import Any

import bpy

from . import harness
from .harness import SceneTest, cube, xyz


def size_of(picture: dict) -> tuple[int, int]:
    png = base64.b64decode(picture["base64"])
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def settings() -> Any:
    """All that a preview sets, and what it could leave behind."""
    scene = bpy.context.scene
    found: list = [scene.camera and scene.camera.name, len(bpy.data.cameras), len(bpy.data.objects)]
    for owner in (scene.render, scene.render.image_settings, scene.cycles):
        for prop in owner.bl_rna.properties:
            if prop.type not in ("POINTER", "COLLECTION"):
                found.append((prop.identifier, str(getattr(owner, prop.identifier, None))))
    return found


class Preview(SceneTest):
    def test_a_preview_has_the_size_that_was_asked_for_and_leaves_scene_and_settings_as_they_were(self) -> None:
        self.apply(cube("A"), {"light": {"name": "L", "type": "sun"}}, {"render": {"width": 99, "samples": 77}})
        before, digest = self.on_main(lambda: str(settings())), self.digest()
        for view in ("perspective", "front", "back", "left", "right", "top", "bottom"):
            picture = self.call("preview.render", width=64, height=40, view=view, samples=1)
            self.assertEqual((picture["mediaType"], picture["width"], picture["height"]), ("image/png", 64, 40))
            self.assertEqual(size_of(picture), (64, 40))
            self.assertNotIn(b"tEXt", base64.b64decode(picture["base64"]))  # metadata: times, paths
        self.assertEqual(self.on_main(lambda: str(settings())), before)
        self.assertEqual(self.digest(), digest)

    def test_a_preview_leaves_the_depth_of_colours_that_fits_other_file_formats_alone(self) -> None:
        self.apply(cube("A"))
        for format, mode, depth in (("OPEN_EXR", "RGBA", "32"), ("DPX", "RGB", "12"), ("JPEG", "BW", "8")):

            def give() -> None:
                image = bpy.context.scene.render.image_settings
                image.file_format, image.color_mode, image.color_depth = format, mode, depth

            self.on_main(give)
            before = self.on_main(lambda: str(settings()))
            self.call("preview.render", width=16, height=16, samples=1)
            self.assertEqual(self.on_main(lambda: str(settings())), before, format)

    def test_previews_before_and_after_differ_when_the_scene_does(self) -> None:
        self.apply(cube("A"), {"light": {"name": "L", "type": "sun"}})
        preview = {"width": 32, "height": 32, "view": "front", "samples": 1}
        red = {"material": {"object": "A", "emission": {"r": 1, "g": 0, "b": 0}, "emissionStrength": 1}}
        for dry in (True, False):
            result = self.apply(red, preview=preview, dryRun=dry)["preview"]
            self.assertEqual(size_of(result["before"]), (32, 32))
            self.assertNotEqual(result["before"]["base64"], result["after"]["base64"])
        same = self.apply({"select": {"objects": ["A"]}}, preview=preview)["preview"]
        self.assertEqual(same["before"]["base64"], same["after"]["base64"])

    def test_a_picture_of_one_colour_is_not_dithered_and_thus_small(self) -> None:
        self.apply({"world": {"color": {"r": 0.31, "g": 0.22, "b": 0.13}, "strength": 1}})
        picture = self.call("preview.render", width=128, height=128, samples=1)
        self.assertLess(len(base64.b64decode(picture["base64"])), 1000)

    def test_the_view_camera_needs_an_active_camera(self) -> None:
        self.fails("RESOURCE_NOT_FOUND", "preview.render", width=16, height=16, view="camera")
        self.apply({"camera": {"transform": {"location": xyz(0, -5, 0)}, "lookAt": xyz(0, 0, 0)}})
        self.assertEqual(size_of(self.call("preview.render", width=16, height=16, view="camera", samples=1)), (16, 16))

    def test_an_undo_after_a_preview_takes_the_step_before_it_back(self) -> None:
        before = self.digest()
        self.apply(cube("A"), preview={"width": 16, "height": 16, "samples": 1})
        self.call("preview.render", width=16, height=16, samples=1)
        self.assertEqual(self.call("undo")["digest"], before)

    def test_a_preview_runs_no_scripts_of_freestyle_and_leaves_them_in_the_scene(self) -> None:
        self.apply(
            cube("A"),
            {"camera": {"transform": {"location": xyz(0, -5, 0)}, "lookAt": "A"}},
            {"render": {"engine": "cycles", "width": 16, "height": 16, "samples": 1}},
        )
        ran = os.path.join(harness.outside, "ran")

        def scripted() -> None:
            text = bpy.data.texts.new("style.py")
            text.write(f"open({ran!r}, 'w').close()")
            bpy.context.scene.cycles.use_denoising = False
            bpy.context.scene.render.use_freestyle = True
            settings = bpy.context.view_layer.freestyle_settings
            settings.mode = "SCRIPT"
            settings.modules.new().script = text

        self.on_main(scripted)
        self.call("preview.render", width=16, height=16, samples=1)
        self.assertFalse(os.path.exists(ran))
        self.assertTrue(self.on_main(lambda: bpy.context.view_layer.use_freestyle))
        self.on_main(lambda: bpy.ops.render.render() and None)
        self.assertTrue(os.path.exists(ran))

    def test_every_view_sees_all_objects(self) -> None:
        glow = {"emission": {"r": 1, "g": 1, "b": 1}, "emissionStrength": 5, "color": {"r": 0, "g": 0, "b": 0}}
        ends = [xyz(*[4 * sign if axis == index else 0 for axis in range(3)]) for index in range(3) for sign in (1, -1)]
        self.apply(
            {"world": {"strength": 0}},
            *[
                cube(f"E{i}", transform={"location": end, "scale": xyz(0.2, 0.2, 0.2)}, material=glow)
                for i, end in enumerate(ends)
            ],
        )
        for view, spots in (("front", 5), ("right", 5), ("top", 5), ("perspective", 6)):
            picture = self.call("preview.render", width=96, height=96, view=view, samples=1)["base64"]
            self.assertEqual(self.on_main(lambda: bright_spots(picture)), spots, view)


def bright_spots(picture: str) -> int:
    """How many separate bright areas a picture has that do not touch its edge."""
    path = os.path.join(bpy.app.tempdir, "spots.png")
    with open(path, "wb") as file:
        file.write(base64.b64decode(picture))
    image = bpy.data.images.load(path, check_existing=False)
    width, height = image.size
    pixels = image.pixels[:]
    bpy.data.images.remove(image)
    bright = {(i % width, i // width) for i in range(width * height) if pixels[4 * i] > 0.5}
    spots = 0
    while bright:
        todo, edge = [bright.pop()], False
        while todo:
            x, y = todo.pop()
            edge = edge or x in (0, width - 1) or y in (0, height - 1)
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if (x + dx, y + dy) in bright:
                        bright.remove((x + dx, y + dy))
                        todo.append((x + dx, y + dy))
        spots += not edge
    return spots
