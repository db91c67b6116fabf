# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
import zipfile

import bpy
import zain_bridge

# Installs the add-on from a zip as the preferences do, starts and stops it, and serves one request by its timer.
SCRIPT = """
import json, os, sys, threading, bpy
zip_path, tests = sys.argv[-2:]
sys.path.insert(0, tests)
bpy.ops.preferences.addon_install(filepath=zip_path)
bpy.ops.preferences.addon_enable(module="zain_bridge")
from zain_bridge import panel
from client import Client
assert panel.bridge() is None
assert bpy.ops.zain.start() == {"FINISHED"}
running = panel.bridge()
assert bpy.app.timers.is_registered(panel._serve)
with open(running._info.path) as file:
    info = json.load(file)
found, clients = [], []
def ask():
    clients.append(Client(info["port"], info["token"]))
    found.append(clients[0].call("scene.read", fields=["objectCount"]))
thread = threading.Thread(target=ask)
thread.start()
while thread.is_alive():
    assert panel._serve() > 0
    thread.join(0.01)
assert bpy.ops.zain.stop() == {"FINISHED"}
stopped = [panel.bridge(), bpy.app.timers.is_registered(panel._serve), os.path.exists(running._info.path)]
stopped += [panel.bridge() is None and clients[0].closed(), bpy.ops.zain.stop()]
drawn = []
class Recorder:
    def __init__(self):
        self.layout = self
    def prop(self, owner, name):
        drawn.append(name)
panel.ZainBridgePreferences.draw(Recorder(), bpy.context)
settings = panel._preferences(bpy.context).bl_rna.properties.keys()
settings = [name for name in settings if name not in ("rna_type", "bl_idname")]
panel._preferences(bpy.context).files = "/nothing/here"
try:
    bpy.ops.zain.start()
except RuntimeError as error:
    refused = str(error)
assert panel.bridge() is None
panel._preferences(bpy.context).files = ""
assert bpy.ops.zain.start() == {"FINISHED"}
path = panel.bridge()._info.path
bpy.ops.preferences.addon_disable(module="zain_bridge")
print("result", json.dumps({"found": found, "refused": refused, "left": os.path.exists(path),
    "stopped": [str(each) for each in stopped], "drawn": drawn, "settings": settings}))
"""


class AddOn(unittest.TestCase):
    def test_the_zip_installs_its_operators_start_and_stop_the_bridge_and_its_preferences_are_all_drawn(self) -> None:
        package = os.path.dirname(zain_bridge.__file__)
        with tempfile.TemporaryDirectory() as directory:
            zip_path = os.path.join(directory, "zain_bridge.zip")
            with zipfile.ZipFile(zip_path, "w") as archive:
                for name in sorted(os.listdir(package)):
                    if name.endswith((".py", ".toml", ".json")):
                        archive.write(os.path.join(package, name), f"zain_bridge/{name}")
            home = os.path.join(directory, "home")
            os.mkdir(home)
            environment = {**os.environ, "BLENDER_USER_RESOURCES": home, "BLENDER_USER_SCRIPTS": home, "HOME": home}
            environment["XDG_RUNTIME_DIR"] = directory
            tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            done = subprocess.run(
                [bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "3", "--python-expr", SCRIPT]
                + ["--", zip_path, tests],
                capture_output=True,
                text=True,
                timeout=60,
                env=environment,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("result "))[7:])
        self.assertEqual(result["found"], [{"objectCount": 3}])
        self.assertIn("/nothing/here", result["refused"])
        self.assertFalse(result["left"])
        self.assertEqual(result["stopped"], ["None", "False", "False", "True", "{'FINISHED'}"])
        self.assertEqual(result["drawn"], result["settings"])
