# SPDX-License-Identifier: MIT
"""Serves from a Blender without a window.

blender -b --factory-startup [FILE.blend] --python run.py -- --files DIR --code on|off --info-dir DIR --port N
    --recovery FILE.blend --restored-from FILE.blend --exit-with-parent

Prints one line on stdout when it listens: ``zain-bridge`` and the JSON of its file without the token. After it stdout
is /dev/null, so that Blender's progress lines never fill a pipe that is not read.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import bpy  # noqa: E402

from zain_bridge import recovery as recoveries  # noqa: E402
from zain_bridge import scene_file  # noqa: E402
from zain_bridge.bridge import VERSION, Bridge  # noqa: E402
from zain_bridge.errors import BridgeError  # noqa: E402
from zain_bridge.parent import end_with_parent  # noqa: E402
from zain_bridge.recovery import Recovery  # noqa: E402

POLL_SECONDS = 0.1


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", allow_abbrev=False)
    parser.add_argument("--files", metavar="DIR", help="directory that files are read and written below")
    parser.add_argument("--code", choices=("on", "off"), default="off", help="whether code.run is allowed")
    parser.add_argument("--info-dir", metavar="DIR", help="directory of the file by which the bridge is found")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; any free one by default")
    parser.add_argument(
        "--recovery", metavar="FILE", help="a copy of the scene: saved before code runs, and at the end what is unsaved"
    )
    parser.add_argument(
        "--restored-from",
        metavar="FILE",
        help="the file of the scene that was opened from the copy; empty if it has none",
    )
    parser.add_argument("--exit-with-parent", action="store_true", help="end when stdin or the parent process ends")
    return parser.parse_args(argv)


def main() -> int:
    """Serves until SIGTERM, SIGINT or, with ``--exit-with-parent``, the end of stdin or of the parent."""
    argv = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    arguments = _arguments(argv)
    stop = threading.Event()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stop.set())
    if arguments.exit_with_parent:
        end_with_parent(stop)
    recovery = Recovery(arguments.recovery) if arguments.recovery else None
    recoveries.use(recovery)
    if arguments.restored_from is not None:
        scene_file.restore(bpy.data.filepath, arguments.restored_from)
    bridge = Bridge(
        files_root=arguments.files,
        code=arguments.code == "on",
        info_dir=arguments.info_dir,
        port=arguments.port,
        before_code=recovery.save if recovery else lambda: None,
    )
    try:
        ready = {"pid": os.getpid(), "port": bridge.server.port, "version": VERSION}
        print(f"zain-bridge {json.dumps(ready)}", flush=True)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)
        while not stop.is_set():
            served = bridge.serve(POLL_SECONDS)
            if recovery:
                recovery.keep_up(served, bridge.changes)
    finally:
        bridge.close()
    try:
        if recovery and recovery.end():
            print(f"zain-bridge saved the unsaved scene to {recovery.path}", file=sys.stderr)
    except BridgeError as error:
        print(f"zain-bridge: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except Exception as error:  # Blender would go on and exit with 0
        print(f"zain-bridge could not start: {error}", file=sys.stderr)
        if not isinstance(error, (OSError, ImportError, ValueError)):
            traceback.print_exc(file=sys.stderr)
        code = 1
    sys.stderr.flush()
    sys.exit(code)
