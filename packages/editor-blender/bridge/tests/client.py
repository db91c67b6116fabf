# SPDX-License-Identifier: MIT
"""A client of the bridge for tests."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any, Callable


class Failure(Exception):
    """An error answer."""

    def __init__(self, error: dict) -> None:
        super().__init__(json.dumps(error, ensure_ascii=False))
        self.error = error
        self.code = error["code"]
        self.data = error.get("data", {})


def eventually(condition: Callable[[], Any], seconds: float = 20) -> None:
    """Returns when ``condition`` holds; the limit only ends what hangs."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s")
        time.sleep(0.001)


def frame(message: Any) -> bytes:
    body = json.dumps(message, ensure_ascii=False).encode()
    return struct.pack(">i", len(body)) + body


class Client:
    """One connection. Answers are kept by id, notices counted."""

    def __init__(self, port: int, token: str | None = None, timeout: float = 60.0) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.answers: dict[Any, dict] = {}
        self.notices: list[str] = []
        self._next = 0
        self.hello: dict = {}
        if token is not None:
            self.hello = self.call("hello", token=token)

    def send(self, method: str, params: Any = None, id: Any = None) -> Any:
        if id is None:
            self._next += 1
            id = self._next
        self.socket.sendall(frame({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}))
        return id

    def read(self) -> dict | None:
        """One message, or None at the end of the stream."""
        header = self._exactly(4)
        if header is None:
            return None
        body = self._exactly(struct.unpack(">i", header)[0])
        return None if body is None else json.loads(body)

    def wait(self, id: Any) -> Any:
        while id not in self.answers:
            message = self.read()
            if message is None:
                raise ConnectionError("the connection was closed")
            if "method" in message:
                self.notices.append(message["method"])
            else:
                self.answers[message["id"]] = message
        answer = self.answers.pop(id)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer["result"]

    def call(self, method: str, **params: Any) -> Any:
        return self.wait(self.send(method, params))

    def closed(self) -> bool:
        """Reads until the end of the stream; whatever comes before it is dropped."""
        try:
            while self.read() is not None:
                pass
        except ConnectionError:
            pass
        return True

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _exactly(self, count: int) -> bytes | None:
        data = b""
        while len(data) < count:
            chunk = self.socket.recv(count - len(data))
            if not chunk:
                return None
            data += chunk
        return data
