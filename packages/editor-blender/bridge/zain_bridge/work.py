# SPDX-License-Identifier: MIT
"""The queue of requests that Blender's main thread alone serves, in the order of their arrival."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections import deque
from typing import Any, Callable

from . import errors

MAX_WAITING = 64
MAX_WAITING_BYTES = 128 * 1024 * 1024

#: The methods that can be ended while they run.
ENDABLE = frozenset({"code.run", "render.frames"})


class Later(Exception):
    """The request is served again, as the first, when Blender's own loop has run."""


Method = Callable[[dict, "Hold"], dict]


class Hold:
    """What other threads may do with the request that runs: ``cancel`` it, where its method set ``on_cancel``; and its
    ``progress``, where its method sets that.
    """

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self.on_cancel: Callable[[], object] | None = None
        self.progress: dict = {}  # what `health` says of it

    def cancel(self) -> None:
        """Ends the request as soon as it can be ended. Any thread may call it."""
        self.cancelled.set()
        end = self.on_cancel
        if end is not None:
            end()


class Request:
    """A request that waits or runs. ``answer`` receives ``{"result": …}`` or ``{"error": …}`` once, in any thread."""

    def __init__(
        self, owner: object, id: str | int | float, method: str, params: dict, size: int, answer: Callable[[dict], None]
    ) -> None:
        self.owner = owner
        self.id = id
        self.method = method
        self.params = params
        self.size = size
        self.answer = answer
        self.hold = Hold()
        self.started = 0.0
        self.is_dropped = False

    def has_id(self, owner: object, id: Any) -> bool:
        """Whether this is the request ``id`` of ``owner``; 1 and "1" differ."""
        return self.owner is owner and self.id == id and isinstance(self.id, str) == isinstance(id, str)


class Work:
    """Requests in order. ``submit``, ``cancel``, ``drop`` and ``health`` may be called in any thread."""

    def __init__(self, methods: dict[str, Method], endable: frozenset[str] = ENDABLE) -> None:
        self.methods = methods
        self._endable = endable
        self._waiting: deque[Request] = deque()
        self._bytes = 0
        self._running: Request | None = None
        self._arrived = threading.Condition()

    def submit(self, request: Request) -> bool:
        """Puts ``request`` at the end. Returns False when too many wait: it was not taken."""
        with self._arrived:
            if len(self._waiting) >= MAX_WAITING:
                return False
            if self._waiting and self._bytes + request.size > MAX_WAITING_BYTES:
                return False
            self._waiting.append(request)
            self._bytes += request.size
            self._arrived.notify()
            return True

    def cancel(self, owner: object, id: Any) -> bool:
        """Takes a waiting request back, or ends a running one that can be ended. Returns whether it did."""
        with self._arrived:
            found = next((request for request in self._waiting if request.has_id(owner, id)), None)
            if found is not None:
                self._take(found)
            elif self._running is not None and self._running.has_id(owner, id):
                if self._running.method not in self._endable:
                    return False
                self._running.hold.cancel()
                return True
        if found is None:
            return False
        found.answer({"error": {"code": errors.CANCELLED, "message": f"{found.method} was cancelled before it ran"}})
        return True

    def drop(self, owner: object) -> None:
        """Takes all requests of a connection that closed; a running one of it that can be ended ends."""
        with self._arrived:
            for request in [request for request in self._waiting if request.owner is owner]:
                self._take(request)
            if self._running is not None and self._running.owner is owner:
                self._running.is_dropped = True
                if self._running.method in self._endable:
                    self._running.hold.cancel()

    def health(self) -> dict:
        """What runs, for how long, and how many wait."""
        with self._arrived:
            request = self._running
            running = None
            if request is not None:
                ms = round((time.monotonic() - request.started) * 1000)
                running = {"id": request.id, "method": request.method, "ms": ms, **request.hold.progress}
            return {"running": running, "queued": len(self._waiting)}

    def serve_one(self, timeout: float) -> bool:
        """Carries out the next request in the calling thread. Returns False when none came within ``timeout`` s."""
        with self._arrived:
            if not self._waiting and timeout > 0:
                self._arrived.wait(timeout)
            if not self._waiting:
                return False
            request = self._waiting[0]
            self._take(request)
            request.started = time.monotonic()
            self._running = request
        try:
            answer = self._carry_out(request)
        except Later:
            with self._arrived:
                if not request.is_dropped:
                    self._waiting.appendleft(request)
                    self._bytes += request.size
            return False
        finally:
            with self._arrived:
                self._running = None
        request.answer(answer)
        return True

    def _take(self, request: Request) -> None:
        self._waiting.remove(request)
        self._bytes -= request.size

    def _carry_out(self, request: Request) -> dict:
        method = self.methods.get(request.method)
        if method is None:
            return {"error": {"code": -32601, "message": f"unknown method {request.method!r}"[:200]}}
        try:
            return {"result": method(request.params, request.hold)}
        except Later:
            raise
        except errors.BridgeError as error:
            return {"error": error.to_error()}
        except BaseException as error:  # a defect, or an exception that code.run raised too late: the loop goes on
            traceback.print_exc(file=sys.stderr)
            message = f"{request.method} failed by a defect of the bridge: {type(error).__name__}: {error}"
            return {"error": {"code": errors.INTERNAL, "message": message[:1000]}}
