# SPDX-License-Identifier: MIT
"""One bridge for all tests in Blender, and a scene made anew for each."""

from __future__ import annotations

import json
import os
import threading
import unittest
from typing import Any, Callable

import bpy
from client import Client, Failure, eventually
from zain_bridge.bridge import Bridge

finished = threading.Event()
bridge: Bridge
root: str
outside: str
info: dict


def start(directory: str) -> None:
    global bridge, root, outside, info
    root = os.path.join(directory, "files")
    outside = os.path.join(directory, "outside")
    os.mkdir(root)
    os.mkdir(outside)
    info_dir = os.path.join(directory, "info")
    bridge = Bridge(files_root=root, info_dir=info_dir, code=not bpy.app.background)

    bridge.work.methods["test.call"] = lambda params, hold: {"value": _calls.pop(params["key"])()}
    with open(os.path.join(info_dir, f"{os.getpid()}.json"), encoding="utf-8") as file:
        info = json.load(file)


def serve() -> None:
    while not finished.is_set():
        bridge.serve(0.05)
    bridge.close()


_calls: dict[str, Callable[[], Any]] = {}


def connect() -> Client:
    return Client(info["port"], info["token"])


def _empty() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


class SceneTest(unittest.TestCase):
    """A test that begins with an empty scene and a connection of its own."""

    client: Client

    def setUp(self) -> None:
        # The bridge learns of a closed connection later than its client: those of the test before may fill its places.
        eventually(lambda: bridge.server.connected() == 0)
        self.client = connect()
        self.addCleanup(self.client.close)
        self.on_main(_empty)

    def on_main(self, function: Callable[[], Any]) -> Any:
        """Calls ``function`` in Blender's main thread."""
        _calls[str(id(function))] = function
        return self.client.call("test.call", key=str(id(function)))["value"]

    def call(self, method: str, **params: Any) -> Any:
        return self.client.call(method, **params)

    def apply(self, *steps: dict, **params: Any) -> dict:
        return self.client.call("steps.apply", steps=list(steps), **params)

    def digest(self) -> str:
        return self.call("scene.read", fields=["digest"])["digest"]

    def names(self) -> list[str]:
        return [entry["name"] for entry in self.call("object.read", fields=["name"])["objects"]]

    def fails(self, code: str, method: str, /, **params: Any) -> Failure:
        """The failure of a call, which must have this code in its data."""
        with self.assertRaises(Failure) as caught:
            self.client.call(method, **params)
        self.assertEqual(caught.exception.data.get("code"), code, str(caught.exception))
        return caught.exception


NUMPY = "import numpy as np\nheights = np.empty(3 * 8, np.float32)\nmesh = bpy.data.meshes.new('M')\n"
NUMPY += "mesh.vertices.add(8)\nmesh.vertices.foreach_get('co', heights)\nnp.mean(heights + 2)"


def cube(name: str, **more: Any) -> dict:
    return {"create": {"primitive": "cube", "name": name, **more}}


def xyz(x: float, y: float, z: float) -> dict:
    return {"x": x, "y": y, "z": z}
