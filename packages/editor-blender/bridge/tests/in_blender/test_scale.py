# SPDX-License-Identifier: MIT
from __future__ import annotations

import sys
import time

import bpy

from zain_bridge.work import Hold

from . import harness
from .harness import SceneTest, cube, xyz


def many(count: int) -> None:
    mesh = bpy.data.meshes.new("Shared")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    for index in range(count):
        entry = bpy.data.objects.new(f"O{index:05}", mesh)
        entry.location = (index % 100, index // 100, 0)
        bpy.context.scene.collection.objects.link(entry)
    bpy.context.view_layer.update()


def resident_kib() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Scale(SceneTest):
    def best_ms(self, method: str, params: dict) -> float:
        """Processor time of Blender's main thread, the least of five."""

        def once() -> float:
            started = time.thread_time()
            harness.bridge.work.methods[method](params, Hold())
            return (time.thread_time() - started) * 1000

        return self.on_main(lambda: min(once() for _ in range(5)))

    def test_reading_grows_linearly_up_to_10000_objects(self) -> None:
        calls: dict[str, tuple[str, dict]] = {
            "objectCount": ("scene.read", {"fields": ["objectCount"]}),
            "digest": ("scene.read", {"fields": ["digest"]}),
            "location": ("object.read", {"fields": ["name", "location"]}),
            "boundingBox": ("object.read", {"fields": ["name", "boundingBox"]}),
        }
        self.on_main(lambda: many(2500))
        few = {name: self.best_ms(method, params) for name, (method, params) in calls.items()}
        self.on_main(lambda: many(7500))
        all_ = {name: self.best_ms(method, params) for name, (method, params) in calls.items()}
        for name in calls:
            print(f"{name}: {few[name]:.1f} ms for 2,500 and {all_[name]:.1f} ms for 10,000 objects", file=sys.stderr)
            # Four times as many; quadratic would be sixteen times.
            self.assertLess(all_[name], max(few[name] * 9, 10), name)
        self.assertEqual(len(self.names()), 10_000)
        changes = self.apply({"transform": {"object": "O00042", "location": xyz(0, 0, 9)}})["changes"]
        self.assertEqual(changes["changed"], [{"name": "O00042", "aspects": ["transform"]}])

    def test_1000_rounds_leave_memory_flat(self) -> None:
        def rounds(count: int) -> None:
            for _ in range(count):
                self.apply(cube("A"), {"material": {"object": "A", "name": "M", "metallic": 1}})
                self.call("object.read", fields=["name", "location"])
                self.apply({"delete": {"objects": ["A"]}})

        started = time.monotonic()
        rounds(300)
        before = self.on_main(resident_kib)
        rounds(700)
        after = self.on_main(resident_kib)
        seconds = time.monotonic() - started
        print(f"{before} KiB after 300 rounds, {after} KiB after 1,000, {seconds:.1f} s", file=sys.stderr)
        self.assertLess(after - before, 4096)
