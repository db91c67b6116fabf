# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

import bpy
import zain_bridge
from client import Client, Failure, eventually

from .harness import NUMPY

RUN = os.path.join(os.path.dirname(zain_bridge.__file__), "run.py")


def command(directory: str, *more: str, file: str | None = None) -> list[str]:
    opened = [file] if file else []
    arguments = ["-b", "--factory-startup", *opened, "--python", RUN, "--", "--info-dir", directory, *more]
    return [bpy.app.binary_path, *arguments]


def gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


class Run(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def start(self, *more: str, file: str | None = None) -> subprocess.Popen:
        process = subprocess.Popen(
            command(self.directory, *more, file=file),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stderr.close)
        return process

    def ready(self, process: subprocess.Popen) -> dict:
        for line in process.stdout:
            if line.startswith(b"zain-bridge "):
                return json.loads(line[len(b"zain-bridge ") :])
        self.fail(process.stderr.read().decode())

    def test_reports_that_it_listens_and_ends_with_0_on_sigterm_with_nothing_more_on_stdout(self) -> None:
        process = self.start("--files", self.directory, "--recovery", os.path.join(self.directory, "recovery.blend"))
        ready = self.ready(process)
        self.assertEqual((ready["pid"], set(ready)), (process.pid, {"pid", "port", "version"}))
        with open(os.path.join(self.directory, f"{process.pid}.json"), encoding="utf-8") as file:
            info = json.load(file)
        with Client(ready["port"], info["token"]) as client:
            client.call("preview.render", width=16, height=16, samples=1)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(20), 0)
            self.assertTrue(client.closed())
        self.assertEqual(process.stdout.read(), b"")
        self.assertEqual(os.listdir(self.directory), [])

    def test_clients_connect_and_are_answered_while_code_runs(self) -> None:
        process = self.start("--code", "on")
        port = self.ready(process)["port"]
        with open(os.path.join(self.directory, f"{process.pid}.json"), encoding="utf-8") as file:
            token = json.load(file)["token"]
        with Client(port, token) as runner:
            code = runner.send("code.run", {"code": "while True: pass", "timeoutMs": 60_000})
            running = lambda: (runner.call("health")["running"] or {}).get("id") == code  # noqa: E731
            eventually(running)
            with Client(port, token) as other:
                self.assertEqual(other.call("health")["running"]["method"], "code.run")
            self.assertTrue(running())
            runner.call("cancel", id=code)
            self.assertRaisesRegex(Failure, "OPERATION_TIMEOUT", runner.wait, code)

    def test_code_has_numpy_and_none_of_its_files(self) -> None:
        with self.connect(self.start("--code", "on")) as client:
            self.assertEqual(client.call("code.run", code=NUMPY)["value"], 2)
            save = "import numpy\nnumpy.ones(3).tofile('x')"
            self.assertRaisesRegex(Failure, "DANGEROUS_OPERATION", client.call, "code.run", code=save)

    def test_ends_with_0_when_stdin_ends_and_saves_what_is_unsaved_to_the_recovery_file(self) -> None:
        recovery = os.path.join(self.directory, "recovery.blend")
        process = self.start("--exit-with-parent", "--recovery", recovery)
        ready = self.ready(process)
        with open(os.path.join(self.directory, f"{process.pid}.json"), encoding="utf-8") as file:
            info = json.load(file)
        with Client(ready["port"], info["token"]) as client:
            client.call("steps.apply", steps=[{"create": {"primitive": "cube"}}])
        process.stdin.close()
        self.assertEqual(process.wait(20), 0)
        self.assertIn(f"saved the unsaved scene to {recovery}".encode(), process.stderr.read())
        self.assertEqual(os.listdir(self.directory), ["recovery.blend"])

    def connect(self, process: subprocess.Popen) -> Client:
        ready = self.ready(process)
        with open(os.path.join(self.directory, f"{process.pid}.json"), encoding="utf-8") as file:
            return Client(ready["port"], json.load(file)["token"])

    def test_a_killed_one_starts_again_from_the_private_copy_that_it_saved_while_idle(self) -> None:
        recovery = os.path.join(self.directory, "recovery.blend")
        killed = self.start("--recovery", recovery)
        with self.connect(killed) as client:
            client.call("steps.apply", steps=[{"create": {"primitive": "cube", "name": "箱"}}])
            digest = client.call("scene.read", fields=["digest"])["digest"]
            eventually(lambda: os.path.exists(recovery))
            self.assertEqual(os.stat(recovery).st_mode & 0o777, 0o600)
            killed.kill()
            killed.wait()
        scene = os.path.join(self.directory, "scene.blend")
        options = ["--recovery", recovery, "--restored-from", scene, "--files", self.directory, "--exit-with-parent"]
        again = self.start(*options, file=recovery)
        with self.connect(again) as client:
            found = client.call("scene.read", fields=["digest", "file", "isDirty"])
            self.assertEqual(found, {"digest": digest, "file": scene, "isDirty": True})
            self.assertEqual(client.call("health")["file"], scene)
            again.stdin.close()
            self.assertEqual(again.wait(20), 0)
        self.assertEqual(os.listdir(self.directory), ["recovery.blend"])
        saved = self.start(*options, file=recovery)
        with self.connect(saved) as client:
            self.assertEqual(client.call("file.save")["file"], os.path.realpath(scene))
            self.assertEqual(client.call("scene.read", fields=["isDirty"]), {"isDirty": False})
            saved.stdin.close()
            self.assertEqual(saved.wait(20), 0)
        self.assertEqual(os.listdir(self.directory), ["scene.blend"])

    def test_a_copy_that_cannot_be_saved_fails_code_before_it_runs_and_ends_nothing_else(self) -> None:
        copies = os.path.join(self.directory, "copies")
        os.mkdir(copies)
        process = self.start("--code", "on", "--exit-with-parent", "--recovery", os.path.join(copies, "scene.blend"))
        with self.connect(process) as client:
            os.rmdir(copies)
            client.call("steps.apply", steps=[{"create": {"primitive": "cube", "name": "A"}}])
            with self.assertRaises(Failure) as failed:
                client.call("code.run", code="1")
            self.assertEqual(failed.exception.data["code"], "OPERATION_FAILED")
            self.assertIn("recovery copy", failed.exception.error["message"])
            self.assertIn(b"recovery copy", next(line for line in process.stderr if line.startswith(b"zain-bridge")))
            self.assertEqual(len(client.call("object.read", fields=["name"], names=["A"])["objects"]), 1)
            process.stdin.close()
            self.assertEqual(process.wait(20), 1)
        self.assertIn(b"zain-bridge: the recovery copy", process.stderr.read())

    def test_the_copy_is_of_a_file_as_soon_as_that_is_open_also_while_requests_follow_each_other(self) -> None:
        recovery = os.path.join(self.directory, "recovery.blend")
        process = self.start("--recovery", recovery, "--files", self.directory)
        with self.connect(process) as client:
            client.call("file.save", path="other.blend")
            self.assertFalse(os.path.exists(recovery))
            client.call("file.open", path="other.blend")
            eventually(lambda: client.call("scene.read", fields=["selected"]) and os.path.exists(recovery))

    def test_ends_with_a_parent_that_was_killed_even_within_code_in_c(self) -> None:
        busy = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(RUN))!r}); import os, threading; "
        busy += "from zain_bridge.parent import end_with_parent; end_with_parent(threading.Event(), 0.5); "
        busy += "print('busy', os.getpid(), flush=True); sum(range(10**13))"
        script = "import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE); p.wait()"
        python = sys.executable if "python" in os.path.basename(sys.executable) else "python3"
        blender = [bpy.app.binary_path, "-b", "--factory-startup", "--python-expr", busy]
        parent = subprocess.Popen([python, "-c", script, *blender], stdout=subprocess.PIPE)
        self.addCleanup(parent.stdout.close)
        pid = next(int(line.split()[1]) for line in parent.stdout if line.startswith(b"busy "))
        parent.kill()
        parent.wait()
        eventually(lambda: gone(pid))

    def test_a_start_that_fails_ends_with_1_and_names_the_option(self) -> None:
        process = self.start("--files", os.path.join(self.directory, "missing"))
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1)
        self.assertNotIn(b"zain-bridge {", out)
        self.assertIn(b"--files", err)
