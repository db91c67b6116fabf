# SPDX-License-Identifier: MIT
"""Failures of the bridge's methods, as the protocol has them."""

from __future__ import annotations

BUSY = -32000
FAILED = -32001
CANCELLED = -32800
INVALID_PARAMS = -32602
INTERNAL = -32603


def line_of(error: Exception) -> str:
    """The first line of what an exception says, as Blender's operators say it; else its name."""
    said = str(error).strip()
    return said.splitlines()[0][:300] if said else type(error).__name__


class BridgeError(Exception):
    """A request that fails. ``code`` is one of the codes of PROTOCOL.md; nothing of the scene has changed."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        path: list[str | int] | None = None,
        details: str | None = None,
        line: int | None = None,
        suggestions: list[str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path or []
        self.details = details
        self.line = line
        self.suggestions = suggestions or []

    def to_error(self) -> dict:
        """The ``error`` member of its answer."""
        data = {"code": self.code, "path": self.path, "suggestions": self.suggestions}
        if self.details is not None:
            data["details"] = self.details
        if self.line is not None:
            data["line"] = self.line
        return {"code": FAILED, "message": self.message, "data": data}
