# SPDX-License-Identifier: MIT
"""NumPy as code of ``code.run`` sees it: the functions and types on the lists, each behind a check.

Arrays keep to their own memory. Closed are files, pickles, ctypes, views of memory that belongs to others or that is
not written yet, and the attributes of arrays that lead there.
"""

from __future__ import annotations

import math
import sys
from types import ModuleType
from typing import Any, Callable

from . import allowed, audit

#: How many elements a function makes by a count, at most: 2 GiB of 64-bit numbers.
MAX_ELEMENTS = 2**28

_numpy: Any = None
_modules: dict[str, ModuleType] = {}

#: How many elements a call makes, as the factors of their count, with the parameters' names of NumPy.
_COUNTS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("full", "ones", "zeros"), lambda shape, *_, **__: shape),
    **dict.fromkeys(("full_like", "ones_like", "zeros_like"), lambda *_, shape=0, **__: shape or 0),
    **dict.fromkeys(("linspace", "logspace"), lambda start, stop, num=50, *_, **__: num),
    "arange": lambda start=0, stop=None, step=1, *_, **__: (start if stop is None else stop - start) / step,
    "eye": lambda N, M=None, *_, **__: (N, M or N),
    "identity": lambda n, *_, **__: (n, n),
    "indices": lambda dimensions, *_, **__: dimensions,
    "repeat": lambda a, repeats, *_, **__: (_numpy.size(a), _numpy.max(repeats)),
    "tile": lambda A, reps: (_numpy.size(A), *_numpy.ravel(reps)),
}


class Function:
    """A function of NumPy. Code calls it, keeps it and passes it on, and cannot change it."""

    __slots__ = ("_call", "_count", "_skips")

    def __init__(self, call: Callable, count: Callable | None = None, skips: bool = False) -> None:
        self._call = call
        self._count = count
        #: Whether `where` without `out` gives memory that nothing has written.
        self._skips = skips

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._count is not None:
            factors = _numpy.ravel(self._count(*arguments, **named)).tolist()
            if math.prod(factors) > MAX_ELEMENTS:
                raise MemoryError(f"over {MAX_ELEMENTS} elements: compute in parts")
        if self._skips and "where" in named and not isinstance(named.get("out"), _numpy.ndarray):
            raise ValueError("`where` requires `out=`, which holds the elements that are left out")
        return self._call(*map(_own, arguments), **{name: _own(value) for name, value in named.items()})


class Ufunc(Function):
    """A ufunc with its methods."""

    __slots__ = ("accumulate", "at", "outer", "reduce", "reduceat")

    def __init__(self, ufunc: Any) -> None:
        super().__init__(ufunc, skips=True)
        for name in self.__slots__:
            setattr(self, name, Function(getattr(ufunc, name), skips=name == "outer"))


class Type(Function):
    """A type: the second argument of `isinstance`, and a dtype. No class of NumPy is given as a value."""

    __slots__ = ("_type", "dtype")

    def __init__(self, kind: type) -> None:
        super().__init__(kind if issubclass(kind, _numpy.generic) else _no_call)
        self._type = kind
        if kind.__name__ not in ("ndarray", "number", "integer", "floating"):
            self.dtype = _numpy.dtype(kind)

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, self._type)


def prepare() -> None:
    """Imports NumPy where it is installed. Call it before the audit hook is armed, which refuses what that does."""
    global _numpy
    if _numpy is None:
        try:
            import numpy
        except ImportError:
            return
        _numpy = numpy
        for name in ("numpy", "numpy.linalg", "numpy.random"):
            _modules[name] = _facade(name)
        _modules["numpy"].linalg = _modules["numpy.linalg"]
        _modules["numpy"].random = _modules["numpy.random"]


def module(name: str) -> ModuleType:
    """The module that code gets for NumPy or a part of it. Raises ``ImportError`` where NumPy is not installed."""
    if name not in _modules:
        raise ImportError("NumPy is not installed in the Python of this Blender")
    return _modules[name]


def is_numpys(value: object) -> bool:
    """Whether the value, or the class that it is, is one of NumPy's or of the functions for them."""
    kind = type(value)
    owner = value if issubclass(kind, type) else kind
    return isinstance(value, Function) or str(getattr(owner, "__module__", "")).partition(".")[0] == "numpy"


def checked_owner(value: object, name: str) -> object:
    """The value, of which code wants an attribute ``name`` that no value of NumPy may give."""
    if is_numpys(value):
        audit.refuse(f"attribute {name} of a value of NumPy")
    if name == "update" and type(value).__name__ == "IDPropertyGroup":
        audit.refuse("update of a group of properties: set its items")
    return value


class _Holder:
    """What holds custom properties: Blender 3.4 ends by an array whose memory has gaps, or holds what is no number."""

    __slots__ = ("_holder",)

    def __init__(self, holder: Any) -> None:
        self._holder = holder

    def __getitem__(self, key: Any) -> Any:
        return self._holder[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._holder[key] = _plain(value)


def checked_holder(holder: Any) -> Any:
    """What sets an item of ``holder``, a container."""
    bpy = sys.modules.get("bpy")
    is_blenders = bpy is not None and isinstance(holder, bpy.types.bpy_struct)
    return _Holder(holder) if is_blenders or type(holder).__name__ == "IDPropertyGroup" else holder


def _plain(value: Any) -> Any:
    if isinstance(value, (_numpy.ndarray, _numpy.generic)):
        return _plain(value.ravel().tolist() if value.ndim else value.tolist())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _facade(name: str) -> ModuleType:
    real = _numpy if name == "numpy" else getattr(_numpy, name.partition(".")[2])
    given = ModuleType(name)
    for member in allowed.MEMBERS[name]:
        if hasattr(real, member):
            setattr(given, member, _given(member, real))
    return given


def _given(name: str, real: Any) -> Any:
    value = getattr(real, name)
    if real is _numpy and name in allowed.UFUNCS:
        return Ufunc(value)
    if real is _numpy and name in allowed.NUMPY_TYPES:
        return Type(value)
    if name in allowed.NUMPY_CONSTANTS or name == "LinAlgError":
        return value
    name = name.replace("empty", "zeros")
    if name == "errstate":
        return Function(_errstate)
    return Function(getattr(real, name), _COUNTS.get(name), skips=name == "clip")


def _own(value: Any) -> Any:
    """The value, or a copy of the memory that it shares: Blender frees that of a property's array with the property."""
    if isinstance(value, (_numpy.ndarray, _numpy.generic, str, bytes, list, tuple, int, float)):
        return value
    try:
        memoryview(value).release()
    except TypeError:
        return value
    return _numpy.array(value)


def _errstate(**kinds: str) -> Any:
    if not set(kinds) <= {"all", "divide", "over", "under", "invalid"} or not set(kinds.values()) <= {
        "ignore",
        "warn",
        "raise",
    }:
        raise ValueError("errstate takes all, divide, over, under and invalid: 'ignore', 'warn' or 'raise'")
    return _numpy.errstate(**kinds)


def _no_call(*_: Any, **__: Any) -> Any:
    raise TypeError("this type of NumPy is not called: use np.zeros or np.array")
