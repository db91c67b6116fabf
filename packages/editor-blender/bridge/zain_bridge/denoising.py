# SPDX-License-Identifier: MIT
"""Denoising of what Cycles renders, where this Blender was built with a denoiser."""

from __future__ import annotations

from typing import Any, Callable

from .errors import BridgeError


def is_there() -> bool:
    """Whether this Blender has OpenImageDenoise."""
    try:
        import _cycles
    except ImportError:
        return False
    return bool(getattr(_cycles, "with_openimagedenoise", True))


def require(scene: Any) -> None:
    """Fails where ``scene`` cannot be denoised."""
    if scene.render.engine != "CYCLES":
        problem = f"the render engine {scene.render.engine} does not denoise"
    elif not is_there():
        problem = "this Blender was built without the denoiser OpenImageDenoise"
    else:
        return
    raise BridgeError("OPERATION_UNSUPPORTED", problem, path=["denoise"], suggestions=["Raise samples instead"])


def apply(scene: Any, denoise: bool, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Turns it on or off for ``scene``, whose engine is Cycles if it is on. ``put`` sets an attribute."""
    put(scene.cycles, "use_denoising", denoise)
    if denoise:
        put(scene.cycles, "denoiser", "OPENIMAGEDENOISE")
