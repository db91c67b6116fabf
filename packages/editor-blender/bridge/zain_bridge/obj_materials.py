# SPDX-License-Identifier: MIT
"""The materials of an OBJ, in a copy from which Blender, which reads them by itself, reaches no file elsewhere.

What Blender would read is not predicted: its copy names no materials but one file, which is written anew here.
"""

from __future__ import annotations

import os
import re

from . import files

_CONTINUED = re.compile(rb"\\[\0-\x09\x0b-\x20]*\n")
_WORD = re.compile(rb"(?<![^\0-\x20])mtllib")
_NAMES = re.compile(_WORD.pattern + rb"[\0-\x20]([^\r\n]*)")
_SPACE = bytes(range(33))
_PLAIN = frozenset(b"newmtl Ka Kd Ks Ke Ns Ni d Tr Tf illum Pr Pm Ps Pc Pcr aniso anisor".split())
_MAP = re.compile(rb"(map_|bump|disp|refl|norm)")
_OPTIONS = re.compile(
    rb"(-(bm|mm|[ost])( +[-+]?[.\d]\S*)+ +|-(blendu|blendv|boost|cc|clamp|imfchan|texres|type) +\S+ +)*"
)


def copy(path: str, directory: str) -> tuple[str, list[str]]:
    """Copies the OBJ into the private ``directory``. Returns its path there, and the images that it may not have."""
    with open(path, "rb") as file:
        content = _CONTINUED.sub(b" ", file.read())
    stem, missing, materials = os.path.splitext(path)[0], [], []
    names = [os.fsdecode(match[1].strip(_SPACE).strip(b'"')) for match in _NAMES.finditer(content)]
    places = [os.path.join(os.path.dirname(path), name) for name in names if "\0" not in name]
    for place in places:
        files.require_file_below(place, place)
    for place in dict.fromkeys((*places, f"{stem}.mtl")):
        if files.is_below(place) and os.path.isfile(place):
            files.require_small(place)
            materials += _lines(place, missing)
    to = os.path.join(directory, os.path.basename(path))
    with open(to, "wb") as file:
        file.write(_WORD.sub(b"#", content))
    with open(f"{os.path.splitext(to)[0]}.mtl", "wb") as file:
        file.write(b"\n".join((*materials, b"")))
    return to, missing


def _lines(place: str, missing: list[str]) -> list[bytes]:
    """The lines of a file of materials that Blender may read: known ones, and images by their real paths."""
    with open(place, "rb") as file:
        content = _CONTINUED.sub(b" ", file.read())
    lines = []
    for line in content.split(b"\n"):
        word, _, rest = re.sub(rb"[\0-\x1f]", b" ", line).strip().partition(b" ")
        rest = rest.rstrip(b" \\").lstrip()
        if _MAP.match(word) and rest:
            options = _OPTIONS.match(rest)[0]
            image = _image(os.path.dirname(place), rest[len(options) :])
            if image is None:
                missing.append(rest.decode("utf-8", "replace"))
            else:
                lines.append(word + b" " + options + os.fsencode(image))
        elif word in _PLAIN:
            lines.append(word + b" " + rest)
    return lines


def _image(directory: str, name: bytes) -> str | None:
    """The real path of the image that ``name`` means, if it is below the bridge's directory."""
    plain = os.fsdecode(name.strip(b' "')).replace("\\", "/")
    for each in (plain, plain.replace("_", " "), os.path.basename(plain)):
        place = os.path.realpath(os.path.join(directory, each)) if files.is_below(os.path.join(directory, each)) else ""
        if files.is_image(place) and not re.search(r"[\0-\x1f]|\\$", place):
            return place
    return None
