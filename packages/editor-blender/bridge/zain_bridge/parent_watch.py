# SPDX-License-Identifier: MIT
"""A process beside Blender: kills it when it outlives the end of their stdin by the seconds of the first argument."""

from __future__ import annotations

import os
import select
import signal
import sys
import time


def main() -> None:
    """Ends with Blender, whatever stdin does."""
    blender = os.getppid()
    open_still = True
    while open_still and os.getppid() == blender:
        readable, _, _ = select.select([0], [], [], 1.0)
        open_still = not readable or os.read(0, 4096) != b""
    end = time.monotonic() + float(sys.argv[1])
    while os.getppid() == blender and time.monotonic() < end:
        time.sleep(0.1)
    if os.getppid() == blender:
        os.kill(blender, signal.SIGKILL)


if __name__ == "__main__":
    main()
