# SPDX-License-Identifier: MIT
"""Checks of params. A check takes a value and its path and returns the value to use, or raises ``ParamsError``."""

from __future__ import annotations

import difflib
import itertools
import math
from typing import Any, Callable, Iterable

from .errors import INVALID_PARAMS, BridgeError

Path = list  # of texts and indices
Check = Callable[[Any, Path], Any]

MOST_COMPARED = 1000

#: The largest Python code. Python compiles in time quadratic in the functions: 64 KiB of them take about a second.
MAX_CODE = 64 * 1024


class ParamsError(BridgeError):
    """Params of the wrong shape. Blender was not touched."""

    def to_error(self) -> dict:
        """As of every failure, but -32602 and with the path in the message."""
        error = super().to_error()
        where = ".".join(str(part) for part in self.path) or "params"
        return {**error, "code": INVALID_PARAMS, "message": f"{where}: {self.message}"}


def near(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """The ``names`` that look like ``name``, best first, whatever their case."""
    asked = name.casefold()
    folded = {other.casefold(): other for other in names}
    if len(folded) > MOST_COMPARED:  # comparing 10,000 names takes a second
        alike = (other for other in folded if other[0] == asked[:1])
        folded = {other: folded[other] for other in itertools.islice(alike, MOST_COMPARED)}
    return [folded[found] for found in difflib.get_close_matches(asked, folded, count, 0.5)]


def _invalid(
    message: str, path: Path, code: str = "INVALID_INPUT", suggestions: list[str] | None = None
) -> ParamsError:
    return ParamsError(code, message, path=path, suggestions=suggestions)


def text(longest: int = 255, shortest: int = 1) -> Check:
    """A text of ``shortest`` to ``longest`` characters without NUL and lone surrogates."""

    def check(value: Any, path: Path) -> str:
        if not isinstance(value, str):
            raise _invalid("expected a text", path)
        if not shortest <= len(value) <= longest:
            raise _invalid(f"expected {shortest} to {longest} characters, got {len(value)}", path, "INVALID_VALUE")
        if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
            raise _invalid("NUL and lone surrogates are not allowed", path, "INVALID_VALUE")
        return value

    return check


def number(least: float = -1e9, most: float = 1e9) -> Check:
    """A finite number from ``least`` to ``most``."""

    def check(value: Any, path: Path) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise _invalid("expected a number", path)
        if not least <= value <= most or not math.isfinite(value):
            raise _invalid(f"expected {least:g} to {most:g}", path, "INVALID_VALUE")
        return float(value)

    return check


def integer(least: int, most: int) -> Check:
    """A whole number from ``least`` to ``most``."""

    def check(value: Any, path: Path) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
            raise _invalid("expected a whole number", path)
        if not least <= value <= most:
            raise _invalid(f"expected {least} to {most}", path, "INVALID_VALUE")
        return int(value)

    return check


def boolean(value: Any, path: Path) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise _invalid("expected true or false", path)
    return value


def one_of(*names: str) -> Check:
    """One of ``names``."""

    def check(value: Any, path: Path) -> str:
        if not isinstance(value, str):
            raise _invalid("expected a text", path)
        if value not in names:
            raise _invalid(
                f"unknown {value[:100]!r}; expected {', '.join(names)}", path, "INVALID_VALUE", near(value[:100], names)
            )
        return value

    return check


def array(item: Check, least: int, most: int) -> Check:
    """An array of ``least`` to ``most`` items."""

    def check(value: Any, path: Path) -> list:
        if not isinstance(value, list):
            raise _invalid("expected an array", path)
        if not least <= len(value) <= most:
            raise _invalid(f"expected {least} to {most} items, got {len(value)}", path, "INVALID_VALUE")
        return [item(entry, [*path, index]) for index, entry in enumerate(value)]

    return check


def record(required: dict[str, Check] | None = None, optional: dict[str, Check] | None = None) -> Check:
    """An object with these members and no other. Optional members that are absent or null are left out."""
    required = required or {}
    members = {**required, **(optional or {})}

    def check(value: Any, path: Path) -> dict:
        if not isinstance(value, dict):
            raise _invalid("expected an object", path)
        for name in value:
            if name not in members:
                raise _invalid(f"unknown member {name[:100]!r}", path, "INVALID_INPUT", near(name[:100], members))
        for name in required:
            if name not in value:
                raise _invalid("missing", [*path, name], "MISSING_FIELD")
        return {
            name: members[name](entry, [*path, name])
            for name, entry in value.items()
            if name in required or entry is not None
        }

    return check


def or_null(inner: Check) -> Check:
    """``inner``, or null."""
    return lambda value, path: None if value is None else inner(value, path)


def either(*checks: Check) -> Check:
    """What the first check takes that takes it; fails as the last."""

    def check(value: Any, path: Path) -> Any:
        for inner in checks[:-1]:
            try:
                return inner(value, path)
            except ParamsError:
                continue
        return checks[-1](value, path)

    return check


_LENGTH = number(-1e6, 1e6)
_VECTOR = record({"x": _LENGTH, "y": _LENGTH, "z": _LENGTH})
_COLOR = record({name: number(0, 1) for name in "rgb"}, {"a": number(0, 1)})

NAME = text()


def vector(value: Any, path: Path) -> tuple[float, float, float]:
    """``{x, y, z}`` as a tuple."""
    checked = _VECTOR(value, path)
    return checked["x"], checked["y"], checked["z"]


def color(value: Any, path: Path) -> tuple[float, float, float, float]:
    """``{r, g, b, a}`` as a tuple; ``a`` is 1 by default."""
    checked = _COLOR(value, path)
    return checked["r"], checked["g"], checked["b"], checked.get("a", 1.0)


VIEWS = ("camera", "front", "back", "left", "right", "top", "bottom", "perspective", "viewport")
PREVIEW = record(
    optional={
        "width": integer(16, 2048),
        "height": integer(16, 2048),
        "view": one_of(*VIEWS),
        "samples": integer(1, 256),
        "denoise": boolean,
    }
)
TIMEOUT = integer(1, 600_000)

#: The params of ``code.run``.
CODE = record({"code": text(MAX_CODE)}, {"dryRun": boolean, "preview": PREVIEW, "timeoutMs": TIMEOUT})
