# SPDX-License-Identifier: MIT
"""The method ``code.run``: judges code, runs it on the calling thread, ends it at its limit."""

from __future__ import annotations

import builtins
import sys
import traceback
from types import CodeType
from typing import Callable

from . import allowed, audit, context_members, file_outputs, instrument, judge, numpy_facade, overrides, property_paths
from .errors import BridgeError
from .json_value import TooLarge, to_json
from .params import MAX_CODE
from .printed import Printed
from .time_limit import Ended, TimeLimit

DEFAULT_MS = 30_000
_FRAMES = 20
_MESSAGE = 2_000

_running: TimeLimit | None = None


def run(params: dict, now: Callable[[], float]) -> dict:
    """Runs ``params["code"]`` and returns ``output`` and ``value``. ``params`` fit ``params.CODE``.

    ``params["timeoutMs"]`` is its limit in milliseconds. ``now`` gives seconds that only grow. Call it on Blender's
    main thread, with undo around it: what failed code changed before its failure is not taken back here.
    """
    global _running
    code = params["code"]
    if len(code.encode("utf-8", "surrogatepass")) > MAX_CODE:
        raise BridgeError("INVALID_VALUE", f"`code` is over {MAX_CODE // 1024} KiB", path=["code"])
    program = judge.compile_judged(code)
    printed, limit, began = Printed(), TimeLimit(params.get("timeoutMs", DEFAULT_MS) / 1000), now()
    namespace = {
        "__name__": "__main__",
        "__builtins__": _builtins(printed),
        instrument.CHECK: limit.check,
        instrument.CHECKED_METHOD: property_paths.checked,
        instrument.CHECKED_COPY: context_members.checked,
        instrument.CHECKED_PATH: property_paths.check,
        instrument.CHECKED_OVERRIDE: overrides.checked,
        instrument.CHECKED_OWNER: numpy_facade.checked_owner,
        instrument.CHECKED_HOLDER: numpy_facade.checked_holder,
        judge.TYPE: type,
        judge.HASATTR: hasattr,
    }
    if "bpy" in sys.modules:
        namespace["bpy"] = sys.modules["bpy"]
    outputs = file_outputs.found()
    failure: BaseException | None = None
    value = None
    audit.arm()
    _running = limit
    try:
        value = limit.run(lambda: _execute(program, namespace))
    except BaseException as error:
        failure = error
    finally:
        _running = None
        refusals = audit.disarm()
    if failure is not None:
        raise _failed(failure, code, limit, refusals, now() - began) from None
    if not file_outputs.found() <= outputs:
        raise BridgeError(
            "DANGEROUS_OPERATION", "The code added a File Output node, which writes files when rendered", path=["code"]
        )
    if value is TooLarge:
        printed.write("The value of the last expression is left out: it is over 1 MiB as JSON.\n")
        value = None
    return {"output": printed.text(), "value": value}


def cancel_running() -> bool:
    """Ends the code that runs, as at its time limit. Any thread may call it. Returns whether code was running."""
    limit = _running
    if limit is None:
        return False
    limit.cancel()
    return True


def _execute(program: CodeType, namespace: dict) -> object:
    """Runs within the limit, as do the ends of generators that the namespace holds."""
    try:
        exec(program, namespace)
        return to_json(namespace.get(instrument.VALUE))
    except TooLarge:
        return TooLarge
    finally:
        namespace.clear()


def _builtins(printed: Printed) -> dict:
    given = {name: getattr(builtins, name) for name in allowed.BUILTINS}
    given["print"] = printed.print
    given["__import__"] = _import
    return given


def _import(name: str, global_names=None, local_names=None, members=(), level: int = 0) -> object:
    if name.startswith("numpy.") and name not in allowed.IMPORTABLE:
        __import__(name)  # by NumPy's C code, which takes it from `sys.modules` itself
        return None
    if name not in allowed.IMPORTABLE or level:
        raise ImportError(f"module {name} is not allowed")
    if name.partition(".")[0] == "numpy":
        return numpy_facade.module(name if members else "numpy")
    return __import__(name, None, None, members, 0)


def _failed(error: BaseException, code: str, limit: TimeLimit, refusals: list[str], took: float) -> BridgeError:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == judge.FILENAME]
    lines = code.splitlines()
    details = [f"line {at.lineno}, in {at.name}: {_line(lines, at.lineno)}" for at in frames[-_FRAMES:]]
    place = {"path": ["code"], "line": frames[-1].lineno if frames else None, "details": "\n".join(details)}
    error.__traceback__ = None
    if limit.reason == "cancelled":
        return BridgeError("OPERATION_TIMEOUT", f"The code was cancelled after {took:.1f} s", **place)
    if limit.reason or isinstance(error, Ended):
        return BridgeError(
            "OPERATION_TIMEOUT",
            f"The code did not end within {limit.seconds:g} s",
            suggestions=["Raise `timeoutMs` (at most 600000), or do the work in parts."],
            **place,
        )
    if refusals:
        return BridgeError("DANGEROUS_OPERATION", f"The code did what is refused: {refusals[0]}", **place)
    return BridgeError("EXECUTION_ERROR", _message(error), **place)


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    name = type(error).__name__
    return f"{name}: {text}"[:_MESSAGE] if text else name


def _line(lines: list[str], number: int | None) -> str:
    return lines[number - 1].strip()[:200] if number and number <= len(lines) else ""
