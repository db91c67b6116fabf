# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import time

import bpy
from in_blender import harness
from in_blender.harness import SceneTest, cube
from zain_bridge import context, modal, recovery
from zain_bridge.work import Later

from client import eventually


def grab() -> None:
    """What the key G does."""
    with context.window():
        bpy.ops.transform.translate("INVOKE_DEFAULT")


def escape() -> None:
    window = bpy.context.window_manager.windows[0]
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type="ESC", value=value)


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

    def test_operators_of_the_3d_view_work_and_wrong_overrides_do_not_crash(self) -> None:
        self.apply(cube("A"))
        self.call("code.run", code="bpy.ops.view3d.view_all()")
        wrong = "screen = next(each for each in bpy.data.screens if each != bpy.context.window.screen)\n"
        wrong += "with bpy.context.temp_override(area=screen.areas[0]):\n    bpy.ops.view3d.view_all()"
        for _ in range(50):
            self.assertIn("none of the areas", str(self.fails("EXECUTION_ERROR", "code.run", code=wrong)))
        right = "with bpy.context.temp_override(area=bpy.context.area, region=bpy.context.region):\n"
        self.call("code.run", code=right + "    bpy.ops.view3d.view_axis()")

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
