# SPDX-License-Identifier: MIT
"""Runs the tests of `attacks`, or those that are named after `--`, within Blender.

    blender -b --factory-startup -y --python run_attacks.py [-- test_attacks.Programs]

`-y` lets drivers run Python, which an attempt does. The exit code is 0 when all passed, else 1.
"""

import sys
import traceback
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Loads and runs the tests."""
    sys.path[:0] = [str(HERE.parent), str(HERE / "attacks")]
    names = "\n".join(sys.argv).partition("\n--\n")[2].split()
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE / "attacks"))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


try:
    code = main()
except BaseException:
    traceback.print_exc()
    code = 1
sys.exit(code)
