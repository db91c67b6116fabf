# SPDX-License-Identifier: MIT
"""The shapes of all steps: what is judged before Blender is touched. No bpy here.

``steps.schema.json`` has them: the server gives it to clients, and judges by it too. Here are Blender's own bounds.
"""

from __future__ import annotations

import json
import os
from typing import Any

from .params import (
    NAME,
    PREVIEW,
    TIMEOUT,
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

with open(os.path.join(os.path.dirname(__file__), "steps.schema.json"), encoding="utf-8") as _file:
    SCHEMA: dict = json.load(_file)
_DEFINITIONS = SCHEMA["$defs"]

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


_STRENGTH = number(0, 1e9)
_SIDE = integer(4, 16_384)

# What is judged otherwise than the schema says, by the path in a step or in a definition.
_OWN: dict[str, Check] = {
    "name": NAME,
    "vector": vector,
    "color": color,
    "image": text(4096),
    "geometry": lambda value, path: value,
    "material.emissionStrength": _STRENGTH,
    "parent.parent": or_null(NAME),
    "modifier.type": text(64),
    "modifier.settings": _settings,
    "light.energy": _STRENGTH,
    "light.size": number(0, 1e5),
    "camera.lookAt": either(NAME, vector),
    "camera.lens": number(1, 5000),
    "world.strength": _STRENGTH,
    "render.width": _SIDE,
    "render.height": _SIDE,
}


def _check(place: str, schema: dict) -> Check:
    """The check of a schema."""
    if place in _OWN:
        return _OWN[place]
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _check(name, _DEFINITIONS[name])
    if "enum" in schema:
        return one_of(*schema["enum"])
    if schema["type"] == "array":
        return array(_check(f"{place}[]", schema["items"]), schema["minItems"], schema["maxItems"])
    if schema["type"] == "object":
        members = {name: _check(f"{place}.{name}", member) for name, member in schema["properties"].items()}
        required = {name: members.pop(name) for name in schema.get("required", ())}
        return record(required, members)
    if schema["type"] == "boolean":
        return boolean
    return (integer if schema["type"] == "integer" else number)(schema["minimum"], schema["maximum"])


SHAPES: dict[str, Check] = {kind: _check(kind, shape) for kind, shape in _DEFINITIONS["step"]["properties"].items()}
_CREATE, _MODIFIER = SHAPES["create"], SHAPES["modifier"]


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


def _modifier(value: Any, path: Path) -> dict:
    checked = _MODIFIER(value, path)
    if "type" not in checked and "name" not in checked:
        raise ParamsError("MISSING_FIELD", "type or name is needed", path=[*path, "type"])
    if checked.get("remove") and "settings" in checked:
        raise ParamsError("VALIDATION_ERROR", "settings and remove exclude each other", path=[*path, "settings"])
    return checked


SHAPES.update(create=_create, modifier=_modifier)


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


APPLY = record(
    {"steps": array(_step, SCHEMA["minItems"], SCHEMA["maxItems"])},
    {"dryRun": boolean, "preview": PREVIEW, "timeoutMs": TIMEOUT},
)
