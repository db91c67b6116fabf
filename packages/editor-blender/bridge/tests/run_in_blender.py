# SPDX-License-Identifier: MIT
"""Runs in_blender/ within Blender: blender -b --factory-startup --python tests/run_in_blender.py [-- names of tests].

The main thread serves, as in run.py; the tests are clients in another thread.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]

from in_blender import harness  # noqa: E402


def main() -> int:
    names = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    loader = unittest.TestLoader()
    started = time.monotonic()
    results = []

    def tests() -> None:
        try:
            found = loader.loadTestsFromNames([f"in_blender.{name}" for name in names]) if names else None
            suite = found or loader.discover(os.path.join(HERE, "in_blender"), top_level_dir=HERE)
            results.append(unittest.TextTestRunner(verbosity=2).run(suite))
        finally:
            harness.finished.set()

    with tempfile.TemporaryDirectory() as directory:
        harness.start(directory)
        thread = threading.Thread(target=tests, daemon=True)
        thread.start()
        harness.serve()
        thread.join(10)
    print(f"{time.monotonic() - started:.1f} s in Blender", file=sys.stderr)
    return 0 if results and results[0].wasSuccessful() and results[0].testsRun else 1


if __name__ == "__main__":
    try:
        code = main()
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
