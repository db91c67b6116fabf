# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import subprocess

import bpy

from . import harness
from .harness import SceneTest, cube


class Files(SceneTest):
    def test_a_saved_scene_has_the_same_digest_when_it_is_opened_again_and_in_another_process(self) -> None:
        self.apply(
            cube("箱", material={"name": "M", "color": {"r": 1, "g": 0, "b": 0}}),
            cube("B", transform={"rotationEuler": {"x": 1, "y": 2, "z": 3}}),
            {"parent": {"object": "B", "parent": "箱"}},
            {"modifier": {"object": "B", "type": "SUBSURF"}},
            {"light": {"name": "L", "type": "spot"}},
            {"camera": {"name": "C", "lookAt": "箱", "transform": {"location": {"x": 5, "y": 5, "z": 5}}}},
            {"world": {"color": {"r": 0, "g": 0.5, "b": 0}}},
            {"create": {"primitive": "text", "name": "T", "geometry": {"text": "字"}}},
        )
        digest = self.digest()
        path = self.call("file.save", path="a.blend")["file"]
        self.assertEqual(os.path.dirname(path), os.path.realpath(harness.root))
        self.assertEqual(self.call("health")["file"], path)
        with open(os.path.join(harness.bridge._info.directory, f"{os.getpid()}.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["file"], path)
        self.apply(cube("X"))
        self.assertNotEqual(self.digest(), digest)
        self.assertEqual(self.call("file.open", path=path, discard=True)["file"], path)
        self.assertEqual(self.digest(), digest)
        script = "import sys; sys.path.insert(0, sys.argv[-1]); from zain_bridge import changes; "
        script += "print('digest', changes.digest(changes.snapshot()))"
        parent = os.path.dirname(os.path.dirname(harness.__file__))
        done = subprocess.run(
            [
                bpy.app.binary_path,
                "-b",
                "--factory-startup",
                path,
                "--python-expr",
                script,
                "--",
                os.path.dirname(parent),
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertIn(f"digest {digest}", done.stdout)

    def test_a_scene_is_dirty_from_a_change_until_it_is_saved_or_another_is_opened(self) -> None:
        dirty = lambda: self.call("scene.read", fields=["isDirty", "digest"])["isDirty"]  # noqa: E731
        self.apply(cube("A"))
        self.assertTrue(dirty())
        self.call("file.save", path="dirty.blend")
        self.assertFalse(dirty())
        self.apply(cube("B"), dryRun=True)
        self.call("preview.render", width=16, height=16, samples=1)
        self.assertFalse(dirty())
        self.call("undo")
        self.assertTrue(dirty())
        digest = self.digest()
        self.fails("OPERATION_FAILED", "file.open", path="dirty.blend")
        self.assertEqual(self.digest(), digest)
        self.call("file.open", path="dirty.blend", discard=True)
        self.call("object.read", fields=["dimensions", "boundingBox"])
        self.digest()
        self.assertFalse(dirty())

    def test_undo_ends_at_the_opened_file(self) -> None:
        self.apply(cube("A"))
        self.call("file.save", path="undo.blend")
        self.call("file.open", path="undo.blend")
        digest = self.digest()
        self.apply(cube("B"))
        self.assertEqual(self.call("undo")["digest"], digest)
        self.assertEqual(self.call("undo")["done"], False)
        self.assertEqual(self.digest(), digest)

    def test_refuses_what_is_not_below_the_root(self) -> None:
        with open(os.path.join(harness.outside, "secret.blend"), "wb") as file:
            file.write(b"BLENDER")
        os.symlink(harness.outside, os.path.join(harness.root, "link"))
        os.symlink(os.path.join(harness.outside, "secret.blend"), os.path.join(harness.root, "file.blend"))
        paths = [
            "../outside/secret.blend",
            "link/secret.blend",
            "file.blend",
            "/tmp/x.blend",
            "link/../../x.blend",
            ".",
        ]
        paths.append(os.path.join(harness.outside, "secret.blend"))
        paths.append(harness.root + "2/x.blend")
        for path in paths:
            for method in ("file.open", "file.save"):
                self.fails("PERMISSION_DENIED", method, path=path)
        self.assertEqual(os.listdir(harness.outside), ["secret.blend"])

    def test_does_not_save_through_a_link_that_stands_where_blender_writes_first(self) -> None:
        kept = os.path.join(harness.outside, "kept")
        with open(kept, "wb") as file:
            file.write(b"kept")
        self.addCleanup(os.unlink, kept)
        os.symlink(kept, os.path.join(harness.root, "linked.blend@"))
        os.mkfifo(os.path.join(harness.root, "piped.blend@"))
        for path in ("linked.blend", "piped.blend"):
            self.fails("PERMISSION_DENIED", "file.save", path=path)
        with open(kept, "rb") as file:
            self.assertEqual(file.read(), b"kept")

    def test_refuses_what_is_no_blend_file(self) -> None:
        self.fails("INVALID_VALUE", "file.save", path="x.py")
        self.fails("RESOURCE_NOT_FOUND", "file.open", path="missing.blend")
        self.fails("RESOURCE_NOT_FOUND", "file.save", path="missing/x.blend")
        self.fails("MISSING_FIELD", "file.save")
        with open(os.path.join(harness.root, "bad.blend"), "wb") as file:
            file.write(b"no blend file")
        self.apply(cube("A"))
        self.fails("OPERATION_FAILED", "file.open", path="bad.blend")
        self.assertEqual(self.names(), ["A"])

    def test_scripts_in_an_opened_file_do_not_run(self) -> None:
        ran = os.path.join(harness.outside, "ran")

        def scripted() -> None:
            text = bpy.data.texts.new("startup.py")
            text.write(f"open({ran + '-module'!r}, 'w').close()")
            text.use_module = True
            act = f"__import__('os').mknod({ran + '-driver'!r}) or 1"
            bpy.data.objects["A"].driver_add("location", 0).driver.expression = act

        self.apply(cube("A"))
        self.on_main(scripted)
        self.call("file.save", path="scripted.blend")
        self.call("file.open", path="scripted.blend")
        self.apply(cube("B"), preview={"width": 16, "height": 16, "samples": 1})
        self.on_main(lambda: bpy.context.scene.frame_set(2))
        self.assertEqual([name for name in os.listdir(harness.outside) if name.startswith("ran")], [])
