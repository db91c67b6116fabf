# SPDX-License-Identifier: MIT
"""The step ``modifier``."""

from __future__ import annotations

from typing import Any

import bpy

from . import context
from .errors import BridgeError
from .params import near

_FILES = {"FILE_PATH", "DIR_PATH", "FILE_NAME"}


def _types() -> list[str]:
    return [item.identifier for item in bpy.types.Modifier.bl_rna.properties["type"].enum_items]


def modifier(members: dict, path: list) -> list[Any]:
    """Adds a modifier, changes the one of that name, or removes it."""
    entry = context.find(members["object"], [*path, "object"])
    kind = members["type"].upper() if "type" in members else None
    if kind is not None and kind not in _types():
        raise BridgeError(
            "INVALID_VALUE",
            f"Blender has no modifier of the type {members['type']!r}",
            path=[*path, "type"],
            suggestions=near(kind, _types()),
        )
    found = _find(entry, members.get("name"), kind)
    if members.get("remove"):
        if found is None:
            raise _not_found(entry, members, path)
        entry.modifiers.remove(found)
        return [entry]
    if found is None or "name" not in members:
        if kind is None:
            raise _not_found(entry, members, path)
        name = members.get("name") or kind.replace("_", " ").title()
        try:
            found = entry.modifiers.new(name, kind)
        except (RuntimeError, TypeError):
            found = None
        if found is None:
            message = f"an object of the type {entry.type} takes no modifier of the type {kind}"
            raise BridgeError("OPERATION_UNSUPPORTED", message, path=[*path, "type"])
    elif kind is not None and found.type != kind:
        message = f"the modifier {found.name!r} has the type {found.type}"
        raise BridgeError("INVALID_VALUE", message, path=[*path, "type"], suggestions=["Give another name"])
    for name, value in members.get("settings", {}).items():
        _put(found, name, value, [*path, "settings", name])
    return [entry]


def _find(entry: Any, name: str | None, kind: str | None) -> Any:
    if name is not None:
        return entry.modifiers.get(name)
    return next((each for each in entry.modifiers if each.type == kind), None)


def _not_found(entry: Any, members: dict, path: list) -> BridgeError:
    by_name = "name" in members
    asked = members["name"] if by_name else members["type"]
    return BridgeError(
        "MODIFIER_NOT_FOUND",
        f"{entry.name!r} has no modifier {asked!r}",
        path=[*path, "name" if by_name else "type"],
        suggestions=near(asked, [each.name if by_name else each.type for each in entry.modifiers]),
    )


def _is_file(prop: Any) -> bool:
    return prop.type == "STRING" and getattr(prop, "subtype", "NONE") in _FILES


def settable(found: Any) -> list[Any]:
    """The properties of a modifier that ``settings`` can have."""
    return [
        prop
        for prop in found.bl_rna.properties
        if not prop.is_readonly
        and prop.identifier not in ("rna_type", "name")
        and prop.type != "COLLECTION"
        and not _is_file(prop)
        and (prop.type != "POINTER" or prop.fixed_type.identifier == "Object")
    ]


def _put(found: Any, name: str, value: Any, path: list) -> None:
    properties = found.bl_rna.properties
    prop = properties.get(name)
    if prop is None or prop.is_readonly or prop.type == "COLLECTION" or name == "rna_type":
        free = [each.identifier for each in properties if not each.is_readonly]
        message = f"a modifier of the type {found.type} has no setting {name!r}"
        raise BridgeError("INVALID_VALUE", message, path=path, suggestions=near(name, free))
    if _is_file(prop):
        raise BridgeError("PERMISSION_DENIED", f"{name} names a file, which this step does not set", path=path)
    if name == "fluid_type" and value == "DOMAIN":
        message = "a fluid domain writes its cache to files, which this step does not do"
        raise BridgeError("PERMISSION_DENIED", message, path=path)
    if prop.type == "POINTER":
        value = _reference(prop, value, path)
    elif prop.type == "ENUM" and prop.is_enum_flag:
        value = {value} if isinstance(value, str) else value
    elif prop.type == "INT" and isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        setattr(found, name, value)
    except (TypeError, ValueError, AttributeError) as error:
        lines = str(error).strip().splitlines()
        suggestions = [item.identifier for item in prop.enum_items][:20] if prop.type == "ENUM" else []
        message = f"{name} does not take this value: {lines[-1][:300] if lines else type(error).__name__}"
        raise BridgeError("INVALID_VALUE", message, path=path, suggestions=suggestions) from None


def _reference(prop: Any, value: Any, path: list) -> Any:
    if value is None:
        return None
    if prop.fixed_type.identifier != "Object" or not isinstance(value, str):
        message = f"{prop.identifier} is set by the name of an object, or null"
        raise BridgeError("OPERATION_UNSUPPORTED", message, path=path)
    return context.find(value, path)
