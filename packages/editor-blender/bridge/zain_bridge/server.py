# SPDX-License-Identifier: MIT
"""The socket's side: connections, ``hello``, and what a socket's thread answers without Blender's main thread."""

from __future__ import annotations

import hmac
import socket
import sys
import threading
import time
import traceback
from typing import Any, Callable

from . import audit, errors, frames
from .outbound import Outbound
from .work import Request, Work

MAX_CONNECTIONS = 16
HELLO_SECONDS = 5.0
HELLO_BYTES = 4096
MAX_ID = 256

CHANGED = frames.encode({"jsonrpc": "2.0", "method": "scene.changed", "params": {}})


class Server:
    """Listens on 127.0.0.1. ``hello()`` gives the result of ``hello``; it is called in the sockets' threads."""

    def __init__(
        self, work: Work, token: str, hello: Callable[[], dict], *, port: int = 0, hello_seconds: float = HELLO_SECONDS
    ) -> None:
        self.work = work
        self.hello = hello
        self.hello_seconds = hello_seconds
        self._token = token.encode()
        self._lock = threading.Lock()
        self._connections: dict[Connection, None] = {}  # in the order of their arrival
        self._listener = socket.create_server(("127.0.0.1", port), backlog=MAX_CONNECTIONS)
        self._listener.settimeout(1.0)  # closing a listener wakes its thread on Linux alone
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="zain-bridge-accept", daemon=True).start()

    def right_token(self, token: Any) -> bool:
        """Compares in a time that does not depend on how much of the token is right."""
        return isinstance(token, str) and hmac.compare_digest(token.encode("utf-8", "replace"), self._token)

    def connected(self) -> int:
        """How many connections there are, with those that sent no ``hello`` yet."""
        with self._lock:
            return len(self._connections)

    def notify_changed(self) -> None:
        """Sends ``scene.changed`` to every connection that said ``hello``."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            if connection.welcome:
                connection.outbound.send_if_idle(CHANGED)

    def close(self) -> None:
        """Closes the listener and all connections."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        except OSError:
            pass
        self._listener.close()
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            connection.close()

    def forget(self, connection: Connection) -> None:
        """Takes a closed connection off the list."""
        with self._lock:
            self._connections.pop(connection, None)

    def _accept(self) -> None:
        audit.trust_this_thread()
        while True:
            try:
                accepted, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                if self._listener.fileno() < 0:
                    return
                time.sleep(0.05)  # out of file descriptors, for instance
                continue
            try:
                if not self._make_room():
                    accepted.close()
                    continue
                with self._lock:
                    self._connections[Connection(self, accepted)] = None
            except (OSError, RuntimeError):  # reset before it was served, or no thread is left for it
                accepted.close()

    def _make_room(self) -> bool:
        """Whether one more connection may be served. It may take the place of the oldest that sent no ``hello``.

        Else users without the token could keep those with it away.
        """
        with self._lock:
            if len(self._connections) < MAX_CONNECTIONS:
                return True
            silent = next((each for each in self._connections if not each.welcome), None)
        if silent is not None:
            silent.close()
        return silent is not None


class Connection:
    """One client. Its thread reads; ``outbound`` writes."""

    def __init__(self, server: Server, accepted: socket.socket) -> None:
        self._server = server
        self._socket = accepted
        self._closed = False
        self.welcome = False
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self.outbound = Outbound(accepted, self.close)
        threading.Thread(target=self._run, name="zain-bridge-in", daemon=True).start()

    def close(self) -> None:
        """Closes the socket; what waits for it is dropped, and what waits of it is not carried out."""
        if self._closed:
            return
        self._closed = True
        self.outbound.end()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()
        self._server.forget(self)
        self._server.work.drop(self)

    def _run(self) -> None:
        audit.trust_this_thread()
        try:
            if not self._greet():
                self.close()
                return
            while True:
                body = frames.read(self._socket.recv)
                if body is None:
                    break
                self._take(frames.decode(body), len(body))
        except frames.BadFrame as error:
            if self.welcome:
                self._send({"id": None, "error": {"code": -32700, "message": str(error)}})
                self.outbound.end_after_sent()
                return
        except OSError:
            pass
        except Exception:  # a defect: it ends this connection alone
            traceback.print_exc(file=sys.stderr)
        self.close()

    def _greet(self) -> bool:
        deadline = time.monotonic() + self._server.hello_seconds

        def receive(count: int) -> bytes:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            return self._socket.recv(count)

        body = frames.read(receive, HELLO_BYTES)
        if body is None:
            return False
        message = frames.decode(body)
        if not isinstance(message, dict) or message.get("method") != "hello" or not _is_id(message.get("id")):
            return False
        params = message.get("params")
        if not isinstance(params, dict) or not self._server.right_token(params.get("token")):
            return False
        self._socket.settimeout(None)
        self._send({"id": message["id"], "result": self._server.hello()})
        self.welcome = True
        return True

    def _send(self, message: dict) -> None:
        try:
            frame = frames.encode({"jsonrpc": "2.0", **message})
        except (ValueError, RecursionError) as error:
            text = f"the result cannot be sent: {error}"
            failure = errors.BridgeError("OPERATION_FAILED", text, suggestions=["Ask for less at a time"]).to_error()
            frame = frames.encode({"jsonrpc": "2.0", "id": message.get("id"), "error": failure})
        self.outbound.send(frame)

    def _fail(self, id: Any, code: int, message: str) -> None:
        self._send({"id": id, "error": {"code": code, "message": message}})

    def _take(self, message: Any, size: int) -> None:
        if not isinstance(message, dict):
            return self._fail(None, -32600, "a message is an object; batches are not supported")
        id = message.get("id")
        method = message.get("method")
        known_id = id if _is_id(id) else None
        if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
            return self._fail(known_id, -32600, "a request has jsonrpc 2.0 and a method")
        if "id" in message and known_id is None:
            return self._fail(None, -32600, f"an id is a text of at most {MAX_ID} characters or a number")
        if frames.too_deep(message):
            return self._fail(known_id, -32600, f"the message has over {frames.MAX_DEPTH} levels")
        params = message.get("params", {})
        if params is None:
            params = {}
        if not isinstance(params, dict):
            return self._fail(known_id, errors.INVALID_PARAMS, "params must be an object")
        if method == "cancel":
            return self._cancel(known_id, params)
        if known_id is None:
            return  # a notice; this protocol has none but cancel
        if method == "health":
            return self._send(
                {"id": id, "result": {**self._server.work.health(), "file": self._server.hello()["file"]}}
            )
        if method == "hello":
            return self._hello_again(known_id, params)
        if method not in self._server.work.methods:
            return self._fail(known_id, -32601, f"unknown method {method[:100]!r}")
        request = Request(self, id, method, params, size, lambda answer: self._send({"id": id, **answer}))
        if not self._server.work.submit(request):
            self._fail(id, errors.BUSY, "too many requests wait for Blender; ask again when some are answered")

    def _cancel(self, id: Any, params: dict) -> None:
        if not _is_id(params.get("id")):
            if id is not None:
                self._fail(id, errors.INVALID_PARAMS, "id: expected the id of a request of this connection")
            return
        cancelled = self._server.work.cancel(self, params["id"])
        if id is not None:
            self._send({"id": id, "result": {"cancelled": cancelled}})

    def _hello_again(self, id: Any, params: dict) -> None:
        if not self._server.right_token(params.get("token")):
            return self.close()
        self._send({"id": id, "result": self._server.hello()})


def _is_id(id: Any) -> bool:
    if isinstance(id, str):
        return len(id) <= MAX_ID
    # Compared, not converted: an integer of JSON may be too large for a float.
    return isinstance(id, (int, float)) and not isinstance(id, bool) and abs(id) <= sys.float_info.max
