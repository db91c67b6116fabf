# SPDX-License-Identifier: MIT
"""The method ``code.run``: judged code between an undo step and the detection of changes."""

from __future__ import annotations

import time
from typing import Callable

from . import changes
from .errors import BridgeError
from .params import CODE
from .undo import with_undo
from .work import Hold, Method


def refuse(_params: dict, _hold: Hold) -> dict:
    """The method where code is off."""
    raise BridgeError(
        "PERMISSION_DENIED",
        "code.run is off in this bridge",
        suggestions=["Use steps.apply", "Start the bridge with --code on, or allow code in its panel"],
    )


def allowed(before: Callable[[], None]) -> Method:
    """The method where code is on; ``before`` is called when code is about to run.

    Raises ``ImportError`` where the judge of code is missing.
    """
    from . import code_run, judge

    def run(params: dict, hold: Hold) -> dict:
        checked = CODE(params, [])
        judge.compile_judged(checked["code"])  # what is refused needs no undo
        before()

        def action() -> dict:
            hold.on_cancel = code_run.cancel_running
            try:
                if hold.cancelled.is_set():
                    raise BridgeError("OPERATION_TIMEOUT", "The code was cancelled before it ran", path=["code"])
                return code_run.run(checked, time.monotonic)
            finally:
                hold.on_cancel = None
                changes.forget()  # code may change what no dependency graph sees

        return with_undo(action, checked.get("dryRun", False), checked.get("preview"))

    return run
