# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import re
import time
from typing import Any

import bpy
from in_blender import harness
from in_blender.harness import NUMPY, SceneTest, cube, xyz
from mathutils import Euler
from zain_bridge import context, modal, panel, recovery
from zain_bridge.work import Hold, Later

from client import eventually


def grab() -> None:
    """What the key G does."""
    with context.window():
        bpy.ops.transform.translate("INVOKE_DEFAULT")


def escape() -> None:
    window = bpy.context.window_manager.windows[0]
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type="ESC", value=value)


def view_3d() -> Any:
    areas = bpy.context.window_manager.windows[0].screen.areas
    return next(area for area in areas if area.type == "VIEW_3D")


def redraw() -> None:
    with context.window():
        for region in view_3d().regions:
            region.tag_redraw()
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)


def copied() -> None:
    """A request that ends between its copy and its change."""
    try:
        recovery.before_change()
    except Later:
        pass


class Window(SceneTest):
    def busy(self) -> bool:
        return self.on_main(modal.is_running)

    def test_nothing_changes_below_a_user_who_moves_an_object(self) -> None:
        self.apply(cube("A"), {"select": {"objects": ["A"]}})
        before = self.digest()
        for _ in range(3):
            self.on_main(grab)
            self.assertTrue(self.busy())
            for method, params in (
                ("undo", {}),
                ("steps.apply", {"steps": [{"delete": {"objects": ["A"]}}]}),
            ):
                failure = self.fails("OPERATION_FAILED", method, **params)
                self.assertIn("the user is in the middle of", str(failure))
            self.assertEqual(self.names(), ["A"])
            self.on_main(escape)
            eventually(lambda: not self.busy())
        self.assertEqual(self.digest(), before)
        self.assertTrue(self.call("undo")["done"])
        self.assertEqual(self.names(), [])

    def test_code_that_overrides_the_context_and_fails_does_not_end_blender(self) -> None:
        self.apply(cube("A"), {"select": {"objects": ["A"]}})
        area = "area = bpy.context.window.screen.areas[0]\n"
        area += "with bpy.context.temp_override(area=area, region=area.regions[-1]):\n    1/0"
        mesh = "entry = bpy.data.objects['A']\n"
        mesh += "with bpy.context.temp_override(active_object=entry, selected_objects=[entry]):\n"
        mesh += "    bpy.ops.object.shade_smooth()\n    1/0"
        for _ in range(50):
            for code in (area, mesh):
                self.assertIn("temp_override", str(self.fails("DANGEROUS_OPERATION", "code.run", code=code)))
            self.apply(cube("B"))
            self.call("undo")
        self.assertEqual(self.names(), ["A"])

    def test_the_viewport_is_that_of_the_3d_view_and_absent_without_one(self) -> None:
        def look(x: float, perspective: str, shading: str) -> None:
            space = view_3d().spaces.active
            space.shading.type = shading
            view = space.region_3d
            view.view_perspective = perspective
            view.view_location = (x, 2, 3)
            view.view_rotation = Euler((x / 10, 0, 0)).to_quaternion()

        for x, perspective, shading in ((11, "PERSP", "SOLID"), (4, "ORTHO", "WIREFRAME")):
            self.on_main(lambda: look(x, perspective, shading))
            seen = self.call("scene.read", fields=["viewport"])["viewport"]
            self.assertAlmostEqual(seen["rotation"].pop("x"), x / 10, 5)
            self.assertEqual((seen.pop("location"), seen.pop("rotation")), (xyz(x, 2, 3), {"y": 0, "z": 0}))
            self.assertEqual(seen, {"perspective": perspective, "shading": shading})

        def without() -> Any:
            area = view_3d()
            area.type = "INFO"
            try:
                return harness.bridge.work.methods["scene.read"]({"fields": ["viewport"]}, Hold())
            finally:
                area.type = "VIEW_3D"

        self.assertEqual(self.on_main(without), {"viewport": None})

    def test_the_view_viewport_is_what_the_3d_view_shows(self) -> None:
        def look(location: float) -> None:
            view_3d().spaces.active.region_3d.view_location = (location, 0, 0)

        self.apply(cube("A"))
        pictures = []
        for location in (0, 100, 0):
            self.on_main(lambda: look(location))
            self.on_main(redraw)
            picture = self.call("preview.render", view="viewport", width=64, height=48)
            self.assertEqual((picture["width"], picture["height"]), (64, 48))
            pictures.append(picture["base64"])
        self.assertEqual(pictures[0], pictures[2])
        self.assertNotEqual(pictures[0], pictures[1])
        self.fails("VALIDATION_ERROR", "preview.render", view="viewport", samples=8)

    def test_a_final_render_leaves_unsaved_work_unsaved(self) -> None:
        camera = {"camera": {"transform": {"location": xyz(0, -5, 0)}, "lookAt": xyz(0, 0, 0)}}
        self.apply(cube("A"), camera, {"render": {"engine": "cycles", "width": 16, "height": 16, "samples": 1}})
        (path,) = self.call("render.frames", path="window.png")["files"]
        self.assertTrue(os.path.isfile(path))
        for _ in range(3):  # turns of Blender's loop
            self.on_main(redraw)
            self.assertTrue(self.call("scene.read", fields=["isDirty"])["isDirty"])

    def test_the_panel_draws_what_runs_and_what_can_be_started(self) -> None:
        drawn: list[str] = []
        draw, category = panel.ZAIN_PT_bridge.draw, panel.ZAIN_PT_bridge.bl_category

        def recorded(self: Any, given: Any) -> None:
            draw(self, given)
            drawn.append(str(self.layout.introspect()))

        def begin() -> None:
            panel.ZAIN_PT_bridge.draw, panel.ZAIN_PT_bridge.bl_category = recorded, "Tool"  # the tab that is open
            bpy.context.preferences.addons.new().module = "zain_bridge"
            panel.register()
            bpy.app.timers.unregister(panel._start_with_blender)
            view_3d().spaces.active.show_region_ui = True

        def end() -> None:
            view_3d().spaces.active.show_region_ui = False
            for each in reversed(panel._CLASSES):
                bpy.utils.unregister_class(each)
            panel.ZAIN_PT_bridge.draw, panel.ZAIN_PT_bridge.bl_category = draw, category

        def stopped() -> str:
            running = list(panel._running)
            panel._running.clear()
            try:
                redraw()
                return drawn[-1]
            finally:
                panel._running[:] = running

        self.on_main(begin)
        self.addCleanup(self.on_main, end)
        eventually(lambda: bool(drawn))
        labels = [
            f"Listens on 127.0.0.1:{harness.bridge.server.port}",
            "Connections: 1",
            f"Files: {harness.bridge.files}",
            "Python code: on",
            f"Copies: {os.path.dirname(recovery.used().path)}",
            "Stop",
        ]
        self.assertEqual(re.findall("'draw_string': '(.*?)'", drawn[-1]), labels)
        self.assertEqual(re.findall("bpy.ops.zain.*?'", drawn[-1]), ["bpy.ops.zain.stop()'"])
        settings = self.on_main(stopped)
        self.assertEqual(re.findall(r"ZainBridgePreferences\.(\w+)", settings), ["files", "code", "port"])
        self.assertEqual(re.findall("bpy.ops.zain.*?'", settings), ["bpy.ops.zain.start()'"])

    def test_code_has_numpy_and_none_of_its_files(self) -> None:
        self.assertEqual(self.call("code.run", code=NUMPY)["value"], 2)
        self.fails("DANGEROUS_OPERATION", "code.run", code="import numpy\nnumpy.ones(3).tofile('x')")

    def test_changes_name_the_engine_and_the_scenes_and_no_object_of_another_scene(self) -> None:
        self.apply(cube("A"))
        first = self.on_main(lambda: bpy.context.window_manager.windows[0].scene.name)
        code = "scene = bpy.data.scenes.new('Second')\nbpy.context.window.scene = scene\n"
        code += "scene.render.engine = 'BLENDER_WORKBENCH'\n"
        code += "bpy.context.collection.objects.link(bpy.data.objects.new('E', None))"
        self.assertEqual(
            self.call("code.run", code=code)["changes"],
            {"created": ["E"], "changed": [], "deleted": [], "engine": "BLENDER_WORKBENCH"}
            | {"scene": "Second", "scenesCreated": ["Second"]},
        )
        back = (
            f"bpy.context.window.scene = bpy.data.scenes[{first!r}]\nbpy.data.scenes.remove(bpy.data.scenes['Second'])"
        )
        changes = self.call("code.run", code=back)["changes"]
        self.assertEqual((changes["created"], changes["deleted"]), ([], ["E"]))
        self.assertEqual((changes["scene"], changes["scenesDeleted"]), (first, ["Second"]))

    def test_a_file_is_not_opened_below_a_user_who_moves_an_object(self) -> None:
        self.apply(cube("A"), {"select": {"objects": ["A"]}})
        self.call("file.save", path="moved.blend")
        self.on_main(grab)
        self.fails("OPERATION_FAILED", "file.open", path="moved.blend")
        self.on_main(escape)
        eventually(lambda: not self.busy())
        self.assertIn("moved.blend", self.call("file.open", path="moved.blend")["file"])

    def test_the_scene_is_copied_before_each_change(self) -> None:
        copies = recovery.used()
        assert copies is not None
        self.apply(cube("A"))
        self.on_main(lambda: setattr(copies, "_again", 0))
        self.apply({"delete": {"objects": ["A"]}})
        self.assertEqual(os.stat(copies.path).st_mode & 0o777, 0o600)
        self.call("file.save", path="other.blend")

        def names() -> list[str]:
            with bpy.data.libraries.load(copies.path) as (found, _):
                return list(found.objects)

        self.assertEqual(self.on_main(names), ["A"])

    def test_a_file_that_cannot_be_opened_leaves_the_scene_unsaved(self) -> None:
        self.call("file.save", path="before.blend")
        self.apply(cube("A"))
        with open(os.path.join(harness.root, "junk.blend"), "w") as junk:
            junk.write("no scene")
        self.fails("OPERATION_FAILED", "file.open", path="junk.blend", discard=True)
        for _ in range(3):
            self.assertTrue(self.call("scene.read", fields=["isDirty"])["isDirty"])
            time.sleep(0.1)
        self.assertEqual(self.names(), ["A"])

    def test_the_copies_that_were_written_longest_ago_go_first(self) -> None:
        copies = recovery.used()
        assert copies is not None
        directory = os.path.dirname(copies.path)
        self.apply(cube("A"))
        self.on_main(lambda: setattr(copies, "_again", 0))
        self.apply(cube("B"))
        names = [f"29991231T2359{number:02}-01234567.blend" for number in range(20)]
        for number, name in enumerate([*names, "mine.blend"]):
            path = os.path.join(directory, name)
            with open(path, "w") as file:
                file.write(name)
            os.utime(path, (1_000_000 + number, 1_000_000 + number))
        self.on_main(lambda: setattr(copies, "_again", 0))
        self.apply(cube("C"))
        left = set(os.listdir(directory))
        self.assertEqual(len(left), 17)
        self.assertTrue({os.path.basename(copies.path), "mine.blend", names[19]} <= left)
        self.assertFalse(names[0] in left)
        for name in left & set(names):
            os.unlink(os.path.join(directory, name))

    def test_a_change_after_a_save_or_a_copy_counts_as_unsaved(self) -> None:
        copies = recovery.used()
        assert copies is not None
        self.call("file.save", path="marked.blend")
        copy = lambda: setattr(copies, "_again", 0)  # noqa: E731
        for change in (lambda: self.apply(cube("A")), lambda: self.apply(cube("B")), lambda: self.on_main(copied)):
            self.on_main(copy)
            change()
            for _ in range(3):  # turns of Blender's loop
                self.assertTrue(self.call("scene.read", fields=["isDirty"])["isDirty"])
                time.sleep(0.1)

    def test_unsaved_work_is_opened_over_only_on_request_and_its_copy_is_named(self) -> None:
        self.call("file.save", path="own.blend")
        self.apply(cube("A"))
        self.fails("OPERATION_FAILED", "file.open", path="own.blend")
        self.assertEqual(self.names(), ["A"])
        opened = self.call("file.open", path="own.blend", discard=True)
        self.assertEqual(opened["file"], os.path.join(os.path.realpath(harness.root), "own.blend"))
        self.assertEqual(self.names(), [])
        self.assertTrue(os.path.isfile(opened["discarded"]))
        self.assertEqual(self.call("file.open", path="own.blend"), {"file": opened["file"]})
