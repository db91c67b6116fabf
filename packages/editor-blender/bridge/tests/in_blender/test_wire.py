# SPDX-License-Identifier: MIT
from __future__ import annotations

import struct
import threading
import time

import bpy
from client import Client, Failure, eventually, frame
from zain_bridge import watch

from . import harness
from .harness import SceneTest, connect, cube


def no_notice_due() -> None:
    watch.state.changed = False
    watch.state.last_notice = 0.0


class Wire(SceneTest):
    def blocked(self) -> threading.Event:
        """Keeps Blender's main thread busy until the event is set."""
        release, runs = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def block() -> None:
            runs.set()
            release.wait(30)

        harness._calls["block"] = block
        blocker = connect()
        self.addCleanup(blocker.close)
        blocker.send("test.call", {"key": "block"}, "blocking")
        runs.wait(30)
        return release

    def test_a_wrong_token_and_another_first_message_close_the_connection(self) -> None:
        for first in (
            {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"token": "0" * 64}},
            {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"token": 1}},
            {"jsonrpc": "2.0", "id": 1, "method": "health", "params": {"token": harness.info["token"]}},
            [],
        ):
            with Client(harness.info["port"]) as client:
                client.socket.sendall(frame(first))
                self.assertIsNone(client.read())
        self.assertEqual(self.names(), [])

    def test_bad_lengths_and_what_is_no_json_close_the_connection_and_the_bridge_goes_on(self) -> None:
        for garbage in (
            struct.pack(">i", -1),
            struct.pack(">i", 0),
            struct.pack(">i", 2**31 - 1),
            b"GET / HTTP/1.1\r\n\r\n",
            struct.pack(">i", 5) + b"hello",
            struct.pack(">i", 2) + b"\xff\xfe",
            struct.pack(">i", 3) + b"NaN",
            struct.pack(">i", 100_000) + b"[" * 100_000,
        ):
            with connect() as client:
                client.socket.sendall(garbage)
                self.assertTrue(client.closed())
        self.assertEqual(self.names(), [])

    def test_hello_says_what_is_allowed(self) -> None:
        hello = connect()
        self.addCleanup(hello.close)
        self.assertEqual(set(hello.hello), {"blender", "bridge", "pid", "file", "background", "files", "code"})
        self.assertEqual((hello.hello["background"], hello.hello["code"]), (True, False))
        error = self.fails("PERMISSION_DENIED", "code.run", code="1")
        self.assertEqual(error.code, -32001)

    def test_what_waits_for_a_closed_connection_is_not_carried_out(self) -> None:
        release = self.blocked()
        gone = connect()
        gone.send("steps.apply", {"steps": [cube("A")]})
        eventually(lambda: self.call("health")["queued"] == 1)
        gone.close()
        eventually(lambda: self.call("health")["queued"] == 0)
        release.set()
        self.assertEqual(self.names(), [])

    def test_a_change_is_noticed_on_every_connection_once_in_250_ms(self) -> None:
        other = connect()
        self.addCleanup(other.close)
        self.on_main(no_notice_due)
        other.call("health")
        before = len(other.notices)
        started = time.monotonic()
        for index in range(20):
            self.apply(cube(f"A{index}"))
        most = (time.monotonic() - started) / 0.25 + 1
        other.socket.settimeout(2)
        self.assertEqual(other.read(), {"jsonrpc": "2.0", "method": "scene.changed", "params": {}})
        other.call("health")
        self.assertLessEqual(len(other.notices) - before + 1, most + 1)

    def test_reads_previews_and_dry_runs_send_no_notice(self) -> None:
        self.apply(cube("A"))
        self.on_main(no_notice_due)
        self.digest()
        self.apply(cube("B"), dryRun=True)
        self.call("preview.render", width=16, height=16, samples=1)
        self.fails("OBJECT_NOT_FOUND", "steps.apply", steps=[cube("B"), {"delete": {"objects": ["C"]}}])
        self.assertFalse(self.on_main(lambda: watch.state.changed))
        self.apply(cube("B"))
        self.assertTrue(self.on_main(lambda: watch.state.changed or watch.state.last_notice > 0))

    def test_a_change_outside_of_requests_is_noticed(self) -> None:
        self.apply(cube("A"))
        self.on_main(no_notice_due)

        def move() -> None:
            bpy.data.objects["A"].location.x = 5
            bpy.context.view_layer.update()

        self.on_main(move)
        eventually(lambda: self.call("health") and self.client.notices)

    def test_a_defect_of_a_method_is_an_internal_error_and_the_bridge_goes_on(self) -> None:
        def fail() -> None:
            raise ZeroDivisionError("by zero")

        with self.assertRaises(Failure) as caught:
            self.on_main(fail)
        self.assertEqual(caught.exception.code, -32603)
        self.assertEqual(self.names(), [])
