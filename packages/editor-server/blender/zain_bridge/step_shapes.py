# SPDX-License-Identifier: MIT
"""The shapes of all steps: what is judged before Blender is touched. No bpy here."""

from __future__ import annotations

from typing import Any

from .params import (
    NAME,
    NAMES,
    PREVIEW,
    TIMEOUT,
    TRANSFORM,
    TRANSFORM_MEMBERS,
    Check,
    ParamsError,
    Path,
    array,
    boolean,
    color,
    either,
    integer,
    near,
    number,
    one_of,
    or_null,
    record,
    text,
    vector,
)

MAX_STEPS = 1000

_NUMBER = number(-1e300, 1e300)
_LENGTH = number(1e-4, 1e5)
_SEGMENTS = integer(3, 1000)

# What each primitive takes of ``geometry``.
GEOMETRY: dict[str, dict[str, Check]] = {
    "cube": {"size": _LENGTH},
    "sphere": {"radius": _LENGTH, "segments": _SEGMENTS, "rings": _SEGMENTS},
    "icosphere": {"radius": _LENGTH, "segments": integer(1, 8)},
    "cylinder": {"radius": _LENGTH, "depth": _LENGTH, "segments": _SEGMENTS},
    "cone": {"radius": _LENGTH, "depth": _LENGTH, "segments": _SEGMENTS},
    "torus": {"radius": _LENGTH, "minorRadius": _LENGTH, "segments": _SEGMENTS, "rings": _SEGMENTS},
    "plane": {"size": _LENGTH},
    "circle": {"radius": _LENGTH, "segments": _SEGMENTS},
    "grid": {"size": _LENGTH, "segments": integer(1, 1000)},
    "monkey": {"size": _LENGTH},
    "empty": {"size": _LENGTH},
    "text": {"text": text(10_000), "size": _LENGTH, "depth": number(0, 1e5)},
}
_ALL_GEOMETRY = {name for members in GEOMETRY.values() for name in members}

_STRENGTH = number(0, 1e9)
_MATERIAL: dict[str, Check] = {
    "name": NAME,
    "color": color,
    "metallic": number(0, 1),
    "roughness": number(0, 1),
    "emission": color,
    "emissionStrength": _STRENGTH,
}
_CREATE = record(
    {"primitive": one_of(*GEOMETRY)},
    {
        "name": NAME,
        "transform": TRANSFORM,
        "geometry": lambda value, path: value,
        "material": record(optional=_MATERIAL),
    },
)


def _create(value: Any, path: Path) -> dict:
    checked = _CREATE(value, path)
    members = GEOMETRY[checked["primitive"]]
    given = checked.get("geometry", {})
    if isinstance(given, dict):
        for name in given:
            if name in _ALL_GEOMETRY and name not in members:
                takes = ", ".join(members)
                raise ParamsError(
                    "VALIDATION_ERROR",
                    f"{checked['primitive']} has no {name}; it takes {takes}",
                    path=[*path, "geometry", name],
                    suggestions=[f"Give {takes} instead"],
                )
    return {**checked, "geometry": record(optional=members)(given, [*path, "geometry"])}


def _setting(value: Any, path: Path) -> Any:
    if isinstance(value, dict):
        return vector(value, path) if "x" in value else color(value, path)
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        _NUMBER(value, path)
        return value  # an integer stays one
    if isinstance(value, list):
        return array(either(boolean, number()), 1, 64)(value, path)
    return or_null(text(1000, 0))(value, path)


def _settings(value: Any, path: Path) -> dict:
    if not isinstance(value, dict) or len(value) > 100:
        raise ParamsError("INVALID_INPUT", "expected an object of at most 100 settings", path=path)
    return {NAME(name, path): _setting(entry, [*path, name]) for name, entry in value.items()}


_MODIFIER = record({"object": NAME}, {"type": text(64), "name": NAME, "settings": _settings, "remove": boolean})


def _modifier(value: Any, path: Path) -> dict:
    checked = _MODIFIER(value, path)
    if "type" not in checked and "name" not in checked:
        raise ParamsError("MISSING_FIELD", "type or name is needed", path=[*path, "type"])
    if checked.get("remove") and "settings" in checked:
        raise ParamsError("VALIDATION_ERROR", "settings and remove exclude each other", path=[*path, "settings"])
    return checked


SHAPES: dict[str, Check] = {
    "create": _create,
    "transform": record({"object": NAME}, {"relative": boolean, **TRANSFORM_MEMBERS}),
    "material": record({"object": NAME}, _MATERIAL),
    "delete": record({"objects": NAMES}),
    "duplicate": record({"object": NAME}, {"count": integer(1, 1000), "name": NAME, "offset": vector}),
    "select": record({"objects": array(NAME, 0, 10_000)}, {"mode": one_of("set", "add", "remove")}),
    "parent": record({"object": NAME, "parent": or_null(NAME)}, {"keepTransform": boolean}),
    "modifier": _modifier,
    "light": record(
        optional={
            "name": NAME,
            "type": one_of("point", "sun", "spot", "area"),
            "transform": TRANSFORM,
            "energy": _STRENGTH,
            "color": color,
            "size": number(0, 1e5),
        }
    ),
    "camera": record(
        optional={
            "name": NAME,
            "transform": TRANSFORM,
            "lookAt": either(NAME, vector),
            "lens": number(1, 5000),
            "active": boolean,
        }
    ),
    "world": record(optional={"color": color, "strength": _STRENGTH}),
    "render": record(
        optional={
            "engine": one_of("cycles", "eevee", "workbench"),
            "width": integer(4, 16_384),
            "height": integer(4, 16_384),
            "samples": integer(1, 65_536),
        }
    ),
}


def _step(value: Any, path: Path) -> tuple[str, dict]:
    if not isinstance(value, dict) or len(value) != 1:
        raise ParamsError(
            "VALIDATION_ERROR", "a step is an object with one member", path=path, suggestions=list(SHAPES)
        )
    (kind,) = value
    if kind not in SHAPES:
        raise ParamsError(
            "INVALID_VALUE",
            f"unknown step {kind[:100]!r}; expected one of {', '.join(SHAPES)}",
            path=[*path, kind[:100]],
            suggestions=near(kind[:100], SHAPES),
        )
    return kind, SHAPES[kind](value[kind], [*path, kind])


APPLY = record({"steps": array(_step, 1, MAX_STEPS)}, {"dryRun": boolean, "preview": PREVIEW, "timeoutMs": TIMEOUT})
