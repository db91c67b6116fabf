# SPDX-License-Identifier: MIT
"""Each attempt acts with the guard off and does not with it on; ordinary programs do their work."""

from __future__ import annotations

import builtins
import contextlib
import io
import random
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import bpy
from attempts import ATTEMPTS, Attempt
from programs import PROGRAMS

from zain_bridge import audit, code_run, file_outputs, judge
from zain_bridge.errors import BridgeError

STL = """solid t
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid t
"""


def run(code: str, timeout_ms: int = 20_000) -> dict:
    return code_run.run({"code": code, "timeoutMs": timeout_ms}, time.monotonic)


def reset() -> None:
    """Blender as it starts."""
    bpy.ops.wm.read_homefile(load_ui=False, use_factory_startup=True)
    bpy.context.preferences.filepaths.script_directory = ""
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 16
    area = next(area for area in bpy.context.screen.areas if area.type == "DOPESHEET_EDITOR")
    area.type = "TEXT_EDITOR"
    area.spaces.active.text = bpy.data.texts.new("note")


def unguarded(code: str) -> None:
    """Runs code as Python does."""
    exec(compile(code, "<code>", "exec", dont_inherit=True), {"__name__": "__main__", "bpy": bpy})


def without_judge() -> contextlib.ExitStack:
    """The guard with its audit hook alone."""
    stack = contextlib.ExitStack()
    stack.enter_context(
        mock.patch.object(judge, "compile_judged", lambda code: compile(code, "<code>", "exec", dont_inherit=True))
    )
    stack.enter_context(mock.patch.object(code_run, "_builtins", lambda printed: dict(vars(builtins))))
    return stack


class Attacks(unittest.TestCase):
    """The attempts of the table, in one Blender."""

    def setUp(self) -> None:
        self.root = tempfile.TemporaryDirectory()
        self.addCleanup(self.root.cleanup)
        self.addCleanup(reset)
        self.count = 0
        self.blend = Path(self.root.name) / "lib.blend"
        reset()
        bpy.data.libraries.write(str(self.blend), {bpy.data.meshes.new("Lib")}, fake_user=True)
        self.picture = Path(self.root.name) / "pic.png"
        bpy.data.images.new("p", 8, 8).save(filepath=str(self.picture))
        bpy.context.scene["seen"] = 1
        self.seen = Path(self.root.name) / "seen.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(self.seen), copy=True)

    def directory(self) -> Path:
        """A new directory with the files that attempts read."""
        self.count += 1
        directory = Path(self.root.name) / str(self.count)
        (directory / "scripts" / "startup").mkdir(parents=True)
        act = f"open({str(directory / 'x')!r}, 'w').close()\n"
        (directory / "script.py").write_text(act)
        (directory / "scripts" / "startup" / "evil.py").write_text(act + "def register(): pass\n")
        (directory / "tri.stl").write_text(STL)
        for source in (self.blend, self.picture, self.seen):
            (directory / source.name).write_bytes(source.read_bytes())
        return directory

    def act(self, attempt: Attempt, runs) -> tuple[bool, BaseException | None]:
        """Whether the attempt acted, and its failure."""
        directory = self.directory()
        reset()
        failure = None
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                runs(attempt.code.replace("$D", str(directory)))
            except BaseException as error:
                failure = error
        return attempt.acted(directory), failure

    def test_each_attempt_acts_with_the_guard_off_and_is_refused_with_it_on(self) -> None:
        layers: dict[str, int] = {}
        for attempt in ATTEMPTS:
            with self.subTest(attempt.name):
                acted, failure = self.act(attempt, unguarded)
                self.assertTrue(acted, f"does not act with the guard off: {failure!r}")
            for layer in attempt.layers:
                with self.subTest(attempt.name, layer=layer), contextlib.ExitStack() as stack:
                    if layer == "audit":
                        stack.enter_context(without_judge())
                    acted, failure = self.act(attempt, run)
                    layers[layer] = layers.get(layer, 0) + 1
                    if layer in ("removed", "filtered"):
                        self.assertIsNone(failure)
                    elif not (layer == "audit" and attempt.quiet):
                        self.assertIsInstance(failure, BridgeError)
                        expected = "EXECUTION_ERROR" if layer == "error" else "DANGEROUS_OPERATION"
                        self.assertEqual(failure.code, expected, failure.message)
                    if layer == "judge":
                        self.assertIsNotNone(failure.line)
                    if layer != "left":
                        self.assertFalse(acted, f"acts with the guard on: {failure!r}")
        self.assertEqual(len({attempt.name for attempt in ATTEMPTS}), len(ATTEMPTS))
        print(f"{len(ATTEMPTS)} attempts, all act with the guard off; refused by {layers}")

    def test_code_that_ends_blender_does_so_with_the_guard_off_and_is_refused_with_it_on(self) -> None:
        for code in ("import os; os._exit(0)", "import ctypes; ctypes.string_at(0)"):
            with self.subTest(code):
                script = f"exec({code!r}); print('SUR' + 'VIVED')"
                command = [bpy.app.binary_path, "-b", "--factory-startup", "--python-expr", script]
                ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
                self.assertNotIn("SURVIVED", ended.stdout)
                for stack in (contextlib.ExitStack(), without_judge() if "ctypes" in code else contextlib.ExitStack()):
                    with stack, self.assertRaises(BridgeError) as caught:
                        run(code)
                    self.assertEqual(caught.exception.code, "DANGEROUS_OPERATION")

    def test_files_are_written_again_after_the_code_and_read_during_it(self) -> None:
        directory = self.directory()
        audit.arm()
        try:
            with self.assertRaises(PermissionError):
                open(directory / "x", "w")
            self.assertTrue((directory / "script.py").read_text())
        finally:
            refusals = audit.disarm()
        self.assertEqual(len(refusals), 1)
        (directory / "x").write_text("")

    def test_file_output_nodes_that_were_there_are_no_refusal(self) -> None:
        reset()
        bpy.context.scene.use_nodes = True
        bpy.context.scene.node_tree.nodes.new("CompositorNodeOutputFile")
        self.assertEqual(len(file_outputs.found()), 1)
        self.assertEqual(run("1 + 1")["value"], 2)


class Limits(unittest.TestCase):
    """Loops that call Blender end at their limit, and Blender works on."""

    def test_loops_that_call_blender_end_whatever_they_catch(self) -> None:
        for code in (
            "while True:\n    bpy.context.view_layer.update()",
            "while True:\n    try:\n        bpy.ops.mesh.primitive_torus_add()\n    except:\n        pass",
            "while True:\n    try:\n        bpy.context.scene.frame_set(3)\n    finally:\n        continue",
            "import bmesh\nwhile True:\n    try:\n        b = bmesh.new()\n        bmesh.ops.create_cube(b)\n"
            "    except BaseException:\n        pass\n    finally:\n        b.free()",
        ):
            with self.subTest(code):
                reset()
                with self.assertRaises(BridgeError) as caught:
                    run(code, 200)
                self.assertEqual(caught.exception.code, "OPERATION_TIMEOUT")
                self.assertEqual(run("len(bpy.data.scenes)")["value"], 1)

    def test_an_array_of_100_gb_fails_as_an_ordinary_error_and_blender_works_on(self) -> None:
        for array in (
            "np.zeros(10**11, np.uint8)",
            "np.empty((10**6, 10**5), np.int8)",
            "np.ones(shape=10**11)",
            "np.full(10**11, 1)",
            "np.zeros_like([1], shape=(10**11,))",
            "np.arange(10**11)",
            "np.linspace(0, 1, 10**11)",
            "np.eye(10**6)",
            "np.tile([1], (10**6, 10**5))",
            "np.repeat([1], 10**11)",
            "np.zeros((10**8, 1)) + np.zeros(10**8)",
            "np.random.rand(10**16)",
        ):
            with self.subTest(array), self.assertRaises(BridgeError) as caught:
                run(f"import numpy as np\n{array}")
            self.assertEqual(caught.exception.code, "EXECUTION_ERROR")
            self.assertRegex(caught.exception.message, "MemoryError|too big")
            self.assertEqual(run("len(bpy.data.scenes)")["value"], 1)

    def test_what_code_gets_of_numpy_cannot_be_changed_for_later_code(self) -> None:
        for change in ("np.add.reduce = print", "f = np.add\nf.reduce = print", "t = np.float32\ndel t.dtype"):
            with self.subTest(change), self.assertRaises(BridgeError) as caught:
                run(f"import numpy as np\n{change}")
            self.assertEqual(caught.exception.code, "DANGEROUS_OPERATION")
        self.assertEqual(
            run("import numpy as np\n[np.add.reduce([1, 2]), np.float32.dtype.name]")["value"], [3, "float32"]
        )


class Programs(unittest.TestCase):
    """Programs as agents write them."""

    def test_ordinary_programs_are_allowed_and_do_their_work(self) -> None:
        for name, (code, value) in PROGRAMS.items():
            with self.subTest(name):
                reset()
                random.seed(1)
                self.assertEqual(run(code)["value"], value)
        print(f"{len(PROGRAMS)} programs")


if __name__ == "__main__":
    unittest.main()
