# SPDX-License-Identifier: MIT
"""Refuses files for writing, processes, sockets and ctypes while code of ``code.run`` runs; files elsewhere to imports.

Python's audit events are the only source: what C code does by itself (an image that Blender saves) raises none.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import Iterator

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_PREFIXES = (
    "ctypes.",
    "ensurepip.",
    "fcntl.",
    "ftplib.",
    "http.client.",
    "imaplib.",
    "msvcrt.",
    "nntplib.",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "poplib.",
    "pty.",
    "shutil.",
    "smtplib.",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "syslog.",
    "telnetlib.",
    "tempfile.",
    "urllib.",
    "webbrowser.",
    "winreg.",
    "_winapi.",
)

_EVENTS = frozenset(
    """
    mmap.__new__ os.chdir os.chflags os.chmod os.chown os.fork os.forkpty os.kill os.killpg os.link os.lockf os.mkdir
    os.putenv os.remove os.removexattr os.rename os.rmdir os.setxattr os.symlink os.system os.truncate os.unsetenv
    os.utime resource.prlimit resource.setrlimit signal.pthread_kill sys.addaudithook sys.setprofile sys.settrace
    """.split()
)


class Refused(PermissionError):
    """An operation that the audit hook refuses. Python's import system takes it for a cache it cannot write."""


class _Thread(threading.local):
    trusted = False


_thread = _Thread()
_installed = False
_armed = False
_readable: tuple[str, ...] | None = None
_running_thread = 0
_refusals: list[str] = []


def trust_this_thread() -> None:
    """The thread that calls it is the bridge's own: nothing is refused in it."""
    _thread.trusted = True


def arm() -> None:
    """Refuses from now on, in every thread that is not trusted. Code runs on the calling thread.

    Python has no way to remove the hook itself.
    """
    global _armed
    _begin()
    _armed = True


def _begin() -> None:
    global _installed, _running_thread
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    _refusals.clear()
    _running_thread = threading.get_ident()


@contextmanager
def reads_below(*directories: str) -> Iterator[list[str]]:
    """Within it the calling thread opens files below ``directories`` alone, and none for writing.

    Gives the list of what was refused.
    """
    global _readable
    _begin()
    _readable = tuple(os.path.join(os.path.realpath(each), "") for each in directories)
    try:
        yield _refusals
    finally:
        _readable = None


def disarm() -> list[str]:
    """Refuses no more. Returns what was refused on the code's thread since ``arm``, 16 at most."""
    global _armed
    _armed = False
    return list(_refusals)


def refuse(what: str, counted: bool = True) -> None:
    """Raises ``Refused``. A counted refusal makes a failure of the code a DANGEROUS_OPERATION."""
    if counted and threading.get_ident() == _running_thread and len(_refusals) < 16:
        _refusals.append(what)
    raise Refused(f"refused while code runs: {what}")


def _hook(event: str, arguments: tuple) -> None:
    if _readable is not None and event == "open" and threading.get_ident() == _running_thread:
        if _writes(arguments) or not _is_readable(arguments[0]):
            refuse(f"open {arguments[0]!r}"[:200], counted=not _is_bytecode(event, arguments))
    if not _armed:
        return
    if event == "open":
        if not _writes(arguments):
            return
    elif event not in _EVENTS and not event.startswith(_PREFIXES):
        return
    if _thread.trusted:
        return
    what = f"{event} {arguments[0]!r}"[:200] if event == "open" else event
    refuse(what, counted=not _is_bytecode(event, arguments))


def _is_readable(path: object) -> bool:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return True  # a file that is open
    return os.path.realpath(os.fsdecode(path)).startswith(_readable or ())


def _writes(arguments: tuple) -> bool:
    _, mode, flags = arguments
    if isinstance(mode, str) and any(letter in mode for letter in "wax+"):
        return True
    return isinstance(flags, int) and bool(flags & _WRITING)


def _is_bytecode(event: str, arguments: tuple) -> bool:
    """Python's own cache: a module that Blender imports is compiled anew where it cannot be written."""
    return event == "open" and isinstance(arguments[0], str) and "__pycache__" in arguments[0]
