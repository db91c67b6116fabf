# SPDX-License-Identifier: MIT
from __future__ import annotations

import socket
import struct
import threading
import time
from typing import Iterator

import pytest
from client import Client, Failure, eventually, frame
from zain_bridge import outbound, server, work
from zain_bridge.errors import BridgeError
from zain_bridge.server import Server
from zain_bridge.work import Hold, Work

TOKEN = "0123456789abcdef" * 4


class Bridge:
    """A server whose main thread is a thread of the test."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.runs = threading.Event()
        self.seen: list[dict] = []
        self.work = Work({"echo": self.echo, "code.run": self.code, "fail": self.fail, "large": self.large})
        self.server = Server(self.work, TOKEN, lambda: {"file": "/a.blend"}, hello_seconds=0.3)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self._stop.is_set():
            self.work.serve_one(0.02)

    def echo(self, params: dict, hold: Hold) -> dict:
        self.runs.set()
        if not self.gate.wait(20):
            self.gate.set()  # a test that hangs does so once
        self.seen.append(params)
        return params

    def code(self, params: dict, hold: Hold) -> dict:
        self.runs.set()
        assert hold.cancelled.wait(20)
        return {"ended": True}

    def fail(self, params: dict, hold: Hold) -> dict:
        raise BridgeError("INVALID_VALUE", "no", path=["a", 0], line=3, suggestions=["b"])

    def large(self, params: dict, hold: Hold) -> dict:
        return {"text": "x" * params["count"]}

    def connect(self) -> Client:
        return Client(self.server.port, TOKEN, 20)

    def close(self) -> None:
        self.gate.set()
        self._stop.set()
        self._thread.join(20)
        self.server.close()


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    made = Bridge()
    yield made
    made.close()


def test_answers_keep_the_type_of_their_ids(bridge: Bridge) -> None:
    with bridge.connect() as client:
        for id in (0, "", "箱", 1.5, -1):
            assert client.wait(client.send("echo", {"n": 1}, id)) == {"n": 1}


def test_a_failure_has_its_code_path_line_and_suggestions(bridge: Bridge) -> None:
    with bridge.connect() as client:
        with pytest.raises(Failure) as caught:
            client.call("fail")
    expected = {"code": "INVALID_VALUE", "path": ["a", 0], "line": 3, "suggestions": ["b"]}
    assert caught.value.error == {"code": -32001, "message": "no", "data": expected}


def test_messages_that_are_no_requests_fail_and_the_connection_goes_on(bridge: Bridge) -> None:
    with bridge.connect() as client:
        deep: list = []
        for _ in range(70):
            deep = [deep]
        for message, id, code in (
            ([], None, -32600),
            (1, None, -32600),
            ({"id": 7, "method": "echo"}, 7, -32600),
            ({"jsonrpc": "2.0", "id": None, "method": "echo"}, None, -32600),
            ({"jsonrpc": "2.0", "id": True, "method": "echo"}, None, -32600),
            ({"jsonrpc": "2.0", "id": "x" * 257, "method": "echo"}, None, -32600),
            ({"jsonrpc": "2.0", "id": 10**400, "method": "echo"}, None, -32600),
            ({"jsonrpc": "2.0", "id": 8, "method": "echo", "params": {"a": deep}}, 8, -32600),
            ({"jsonrpc": "2.0", "id": 8, "method": "echo", "params": [1]}, 8, -32602),
            ({"jsonrpc": "2.0", "id": 9, "method": "nothing"}, 9, -32601),
        ):
            client.socket.sendall(frame(message))
            answer = client.read()
            assert answer is not None and (answer["id"], answer["error"]["code"]) == (id, code), message
        client.socket.sendall(frame({"jsonrpc": "2.0", "method": "echo", "params": {}}))
        assert client.call("echo") == {}


@pytest.mark.parametrize("id", [10**400, [], None, "x" * 257])
def test_a_hello_whose_id_is_none_closes_the_connection(bridge: Bridge, id: object) -> None:
    with Client(bridge.server.port, timeout=20) as client:
        client.socket.sendall(frame({"jsonrpc": "2.0", "id": id, "method": "hello", "params": {"token": TOKEN}}))
        assert client.read() is None
    eventually(lambda: bridge.server.connected() == 0)


def test_a_defect_in_a_connection_s_thread_closes_the_connection(bridge: Bridge, monkeypatch) -> None:
    with bridge.connect() as client:
        monkeypatch.setattr(bridge.server, "hello", lambda: {}["file"])
        client.send("health")
        assert client.closed()
    eventually(lambda: bridge.server.connected() == 0)


def test_a_connection_without_hello_is_closed_at_the_limit_however_slowly_it_sends(bridge: Bridge) -> None:
    started = time.monotonic()
    with Client(bridge.server.port) as client:
        try:
            for byte in struct.pack(">i", 4000) + b"{" * 100:
                client.socket.sendall(bytes([byte]))
                time.sleep(0.02)
        except OSError:
            pass
        assert client.closed()
    assert 0.2 < time.monotonic() - started < 10


@pytest.mark.parametrize("token", ["", TOKEN[:-1], TOKEN + "0", TOKEN.upper(), None, "é" * 64, [TOKEN]])
def test_a_wrong_token_closes_the_connection_without_an_answer(bridge: Bridge, token: object) -> None:
    with Client(bridge.server.port) as client:
        client.send("hello", {"token": token})
        assert client.read() is None


def test_requests_are_served_in_the_order_of_their_arrival_over_all_connections(bridge: Bridge) -> None:
    bridge.gate.clear()
    clients = [bridge.connect() for _ in range(4)]
    for n in range(40):
        clients[n % 4].send("echo", {"n": n}, n)
        assert bridge.runs.wait(20)
        eventually(lambda: bridge.work.health()["queued"] == n)
    bridge.gate.set()
    for n in range(40):
        assert clients[n % 4].wait(n) == {"n": n}
    assert [params["n"] for params in bridge.seen] == list(range(40))
    for client in clients:
        client.close()


def test_the_request_over_64_waiting_is_busy_and_so_are_too_many_bytes(bridge: Bridge, monkeypatch) -> None:
    bridge.gate.clear()
    with bridge.connect() as client:
        first = client.send("echo")
        assert bridge.runs.wait(20)
        ids = [client.send("echo") for _ in range(65)]
        with pytest.raises(Failure) as caught:
            client.wait(ids[-1])
        assert caught.value.code == -32000
        assert client.call("cancel", id=ids[5]) == {"cancelled": True}
        monkeypatch.setattr(work, "MAX_WAITING_BYTES", 1000)
        over = client.send("echo", {"text": "x" * 1000})
        with pytest.raises(Failure) as caught:
            client.wait(over)
        assert caught.value.code == -32000
        bridge.gate.set()
        for id in [first, *ids[:5], *ids[6:-1]]:
            client.wait(id)


def test_cancel_takes_a_waiting_request_back_and_ends_code_that_runs(bridge: Bridge) -> None:
    with bridge.connect() as client, bridge.connect() as other:
        running = client.send("code.run")
        assert bridge.runs.wait(20)
        waiting = client.send("echo", {"late": True})
        health = client.call("health")
        assert (health["running"]["id"], health["running"]["method"]) == (running, "code.run")
        assert (health["queued"], health["file"]) == (1, "/a.blend")
        assert other.call("cancel", id=waiting) == {"cancelled": False}
        assert other.call("cancel", id=running) == {"cancelled": False}
        assert client.call("cancel", id=str(waiting)) == {"cancelled": False}
        assert client.call("cancel", id=waiting) == {"cancelled": True}
        with pytest.raises(Failure) as caught:
            client.wait(waiting)
        assert caught.value.code == -32800
        assert client.call("cancel", id=running) == {"cancelled": True}
        assert client.wait(running) == {"ended": True}
        assert client.call("cancel", id=running) == {"cancelled": False}
        with pytest.raises(Failure) as caught:
            client.call("cancel")
        assert caught.value.code == -32602
        assert client.call("health")["running"] is None
    assert bridge.seen == []


def test_cancel_lets_other_running_requests_go_on(bridge: Bridge) -> None:
    bridge.gate.clear()
    with bridge.connect() as client:
        id = client.send("echo")
        assert bridge.runs.wait(20)
        assert client.call("cancel", id=id) == {"cancelled": False}
        bridge.gate.set()
        assert client.wait(id) == {}


def test_code_of_a_connection_that_closes_ends(bridge: Bridge) -> None:
    client = bridge.connect()
    client.send("code.run")
    assert bridge.runs.wait(20)
    client.close()
    with bridge.connect() as other:
        assert other.call("echo") == {}


def test_the_17th_connection_is_closed_and_a_place_is_free_again_after_one_closes(bridge: Bridge) -> None:
    clients = [bridge.connect() for _ in range(server.MAX_CONNECTIONS)]
    with socket.create_connection(("127.0.0.1", bridge.server.port), 20) as over:
        assert over.recv(1) == b""
    clients.pop().close()
    eventually(lambda: bridge.server.connected() < server.MAX_CONNECTIONS)
    clients.append(bridge.connect())
    for client in clients:
        client.close()


def test_connections_without_hello_make_room_for_new_ones_and_those_with_it_do_not(bridge: Bridge) -> None:
    bridge.server.hello_seconds = 20.0
    with bridge.connect() as first:
        silent = [Client(bridge.server.port, timeout=20) for _ in range(3 * server.MAX_CONNECTIONS)]
        with bridge.connect() as last:
            assert first.call("echo", n=1) == last.call("echo", n=1) == {"n": 1}
        assert silent[0].closed()
        for client in silent:
            client.close()


def test_a_connection_that_cannot_be_served_is_closed_and_the_next_one_is_served(bridge: Bridge, monkeypatch) -> None:
    def fail(*_: object) -> None:
        monkeypatch.undo()
        raise OSError("reset by the peer")

    monkeypatch.setattr(server.Connection, "__init__", fail)
    with socket.create_connection(("127.0.0.1", bridge.server.port), 20) as lost:
        assert lost.recv(1) == b""
    with bridge.connect() as client:
        assert client.call("echo", n=1) == {"n": 1}


def test_a_client_that_does_not_read_loses_its_connection_and_delays_no_other(bridge: Bridge, monkeypatch) -> None:
    monkeypatch.setattr(outbound.Outbound.__init__, "__defaults__", (1_000_000,))
    lazy = bridge.connect()
    for n in range(60):
        lazy.send("large", {"count": 900_000}, n)
    with bridge.connect() as other:
        assert other.call("echo", n=1) == {"n": 1}
        eventually(lambda: bridge.server.connected() == 1)
    assert lazy.closed()


def test_a_result_over_the_limit_fails_and_the_connection_goes_on(bridge: Bridge, monkeypatch) -> None:
    monkeypatch.setattr(server.frames, "MAX_FRAME", 100_000)
    with bridge.connect() as client:
        with pytest.raises(Failure) as caught:
            client.call("large", count=200_000)
        assert caught.value.data["code"] == "OPERATION_FAILED"
        assert client.call("echo") == {}


def test_the_notice_goes_to_connections_that_said_hello(bridge: Bridge) -> None:
    with bridge.connect() as client, Client(bridge.server.port, timeout=20) as silent:
        eventually(lambda: bridge.server.connected() == 2)
        client.call("echo")
        bridge.server.notify_changed()
        assert client.read() == {"jsonrpc": "2.0", "method": "scene.changed", "params": {}}
        assert silent.read() is None


def test_a_change_that_follows_a_notice_on_its_way_is_noticed_again() -> None:
    written, goes_on = threading.Event(), threading.Event()
    sent: list[bytes] = []

    class Slow:
        def sendall(self, data: bytes) -> None:
            sent.append(data)
            written.set()
            assert goes_on.wait(20)

    out = outbound.Outbound(Slow(), lambda: None)
    out.send_if_idle(server.CHANGED)
    assert written.wait(20)
    out.send_if_idle(server.CHANGED)
    out.send_if_idle(server.CHANGED)
    goes_on.set()
    eventually(lambda: len(sent) == 2)
    out.send(b"the end")
    eventually(lambda: sent[2:] == [b"the end"])
    out.end()


def test_close_ends_connections_and_frees_the_port(bridge: Bridge) -> None:
    with bridge.connect() as client:
        bridge.server.close()
        assert client.closed()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", bridge.server.port), 1)
