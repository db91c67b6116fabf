# SPDX-License-Identifier: MIT
"""The guard without Blender: judgments of parse trees, limits, outputs and values. Run by pytest."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from zain_bridge import audit, code_run, property_paths  # noqa: E402
from zain_bridge.errors import BridgeError  # noqa: E402
from zain_bridge.params import CODE, MAX_CODE  # noqa: E402


def run(code: str, timeout_ms: int = 20_000) -> dict:
    return code_run.run({"code": code, "timeoutMs": timeout_ms}, time.monotonic)


def failure(code: str, timeout_ms: int = 20_000) -> BridgeError:
    with pytest.raises(BridgeError) as caught:
        run(code, timeout_ms)
    return caught.value


LOOPS = {
    "a loop": "while True: pass",
    "except": "while True:\n    try:\n        while True: pass\n    except: pass",
    "except BaseException": "while True:\n    try:\n        while True: pass\n    except BaseException as e: x = e",
    "except BaseException in a loop": "while True:\n    try: pass\n    except BaseException: pass",
    "finally that continues": "while True:\n    try:\n        while True: pass\n    finally: continue",
    "finally that loops": "try:\n    while True: pass\nfinally:\n    while True: pass",
    "except that loops": "try:\n    while True: pass\nexcept:\n    while True: pass",
    "finally that returns": "def f():\n    try:\n        while True: pass\n    finally: return\nwhile True: f()",
    "break in finally": "while True:\n    while True:\n        try:\n            while True: 0\n        finally: break",
    "a generator": """
def g():
    while True:
        try:
            yield 1
            while True: pass
        except: pass
for x in g(): pass
""",
    "a deep nest": "while True:\n"
    + "".join("    " * n + "try:\n" for n in range(1, 15))
    + "    " * 15
    + "while True: pass\n"
    + "".join("    " * n + "except: pass\n" for n in range(14, 0, -1)),
    "recursion": "def f():\n    while True:\n        try: f()\n        except: pass\nf()",
    "a lambda": "f = lambda n: all(True for _ in iter(int, 1))\nwhile True:\n    try: f(1)\n    except: pass",
    "a key": "def k(x):\n    while True:\n        try:\n            while True: pass\n        except: pass\n"
    "while True:\n    try: sorted([1, 2], key=k)\n    except: pass",
}
if sys.version_info >= (3, 11):
    LOOPS["except*"] = "while True:\n    try:\n        while True: pass\n    except* BaseException: pass"


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_ends_at_its_limit_whatever_it_catches_and_loops_on_without_it(name: str) -> None:
    began = time.monotonic()
    error = failure(LOOPS[name], 100)
    assert error.code == "OPERATION_TIMEOUT"
    assert error.line is not None
    assert time.monotonic() - began < 10
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", LOOPS[name]], timeout=0.3)
    assert run("1 + 1") == {"output": "", "value": 2}


def test_no_exception_of_a_limit_arrives_after_the_code() -> None:
    for _ in range(50):
        with pytest.raises(BridgeError):
            run("while True:\n    try:\n        while True: pass\n    except: pass", 1)
        sum(range(20_000))


def test_code_that_ends_about_at_its_limit_ends_or_is_ended_and_nothing_else() -> None:
    outcomes = set()
    for _ in range(200):
        try:
            outcomes.add(run("for i in range(20000): pass\n7", 1)["value"])
        except BridgeError as error:
            outcomes.add(error.code)
    assert outcomes <= {7, "OPERATION_TIMEOUT"}


@pytest.mark.parametrize("end", ["", "del x", "x.append(x)\ndel x"])
def test_a_generator_that_loops_in_finally_does_not_outlive_the_code(end: str, recwarn) -> None:
    code = "def g():\n    try: yield\n    finally:\n        while True: pass\nx = [g()]\nnext(x[0])\n" + end
    try:
        run(code, 200)
    except BridgeError as error:
        assert error.code == "OPERATION_TIMEOUT"
    import gc

    gc.collect()


def test_a_function_of_the_code_does_not_run_after_it() -> None:
    kept: list = []
    limit = code_run.TimeLimit(5)
    program = code_run.judge.compile_judged(
        "def f(): done.append(1)\nkeep.append(f)\nkeep.append(lambda: done.append(1))"
    )
    done: list = []
    space = {"keep": kept, "done": done, code_run.instrument.CHECK: limit.check}
    limit.run(lambda: exec(program, space))
    for function in kept:
        with pytest.raises(code_run.Ended):
            function()
    assert len(kept) == 2 and done == []


def test_cancel_running_ends_the_code_from_another_thread() -> None:
    assert code_run.cancel_running() is False

    def cancel() -> None:
        while not code_run.cancel_running():
            time.sleep(0.001)

    thread = threading.Thread(target=cancel)
    thread.start()
    error = failure("while True:\n    try: pass\n    except: pass")
    thread.join()
    assert error.code == "OPERATION_TIMEOUT"
    assert "cancelled" in error.message


def test_the_output_is_the_last_64_kib() -> None:
    printed = run("for i in range(20000): print('line', i)\nprint('end', end='!')")["output"]
    assert printed.startswith("[")
    assert printed.endswith("line 19999\nend!")
    assert run("for i in range(5000): print(i % 10, end='')")["output"] == "0123456789" * 500
    assert run("print('a', 1, sep='-')\nprint('\\ud800')")["output"] == "a-1\n?\n"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("x = 1", None),
        ("", None),
        ("None", None),
        ("[1, 2.5, True, 'é', None]", [1, 2.5, True, "é", None]),
        ("{1: (1, 2), 'b': {3}}", {"1": [1, 2], "b": [3]}),
        ("2 ** 60", "1152921504606846976"),
        ("float('nan')", "nan"),
        ("[float('inf')]", ["inf"]),
        ("range(3)", [0, 1, 2]),
        ("1 << 100000", "an integer of 100001 bits"),
        ("'\\ud800'", "?"),
        ("len", "<built-in function len>"),
    ],
)
def test_the_value_is_the_last_expression_as_json(code: str, value: object) -> None:
    assert run(code)["value"] == value


def test_a_value_over_the_limit_is_left_out_and_the_output_says_so() -> None:
    for code in ("list(range(1000000))", "'a' * 2000000"):
        result = run(code)
        assert result["value"] is None
        assert "over 1 MiB" in result["output"]
    assert run("x = []\nx.append(x)\nx")["value"] is not None


@pytest.mark.parametrize(
    "code", ["x = (", "def", "x\0y", "\ud800", "-" * 50_000 + "1", "(" * 5000, "  x = 1", "x = 1\n\ty = 2", "'"]
)
def test_code_that_is_no_python_is_invalid(code: str) -> None:
    assert failure(code).code == "CODE_VALIDATION_FAILED"


def test_the_line_of_invalid_code_and_of_a_refusal_is_given() -> None:
    assert failure("x = 1\ny = (\n").line == 2
    error = failure("x = 1\n\nimport os\nopen('x')")
    assert (error.code, error.line, error.path) == ("DANGEROUS_OPERATION", 3, ["code"])
    assert "Line 3: module `os` is not allowed" == error.message


def test_a_failure_has_its_line_and_the_lines_within_the_code() -> None:
    error = failure("def half(x):\n    return x / 0\n\nprint(1)\nhalf(4)")
    assert (error.code, error.line) == ("EXECUTION_ERROR", 2)
    assert error.message == "ZeroDivisionError: division by zero"
    assert error.details == "line 5, in <module>: half(4)\nline 2, in half: return x / 0"
    assert failure("raise BaseException").code == "EXECUTION_ERROR"
    assert failure("def f(): f()\nf()").details.count("\n") < 20
    assert len(failure("raise ValueError('a' * 100000)").message) <= 2000


@pytest.mark.parametrize(
    ("params", "code", "path"),
    [
        ({}, "MISSING_FIELD", ["code"]),
        ({"code": 1}, "INVALID_INPUT", ["code"]),
        ({"code": "#" * (MAX_CODE + 1)}, "INVALID_VALUE", ["code"]),
        ({"code": "1", "timeoutMs": "1"}, "INVALID_INPUT", ["timeoutMs"]),
        ({"code": "1", "timeoutMs": True}, "INVALID_INPUT", ["timeoutMs"]),
        ({"code": "1", "timeoutMs": 0}, "INVALID_VALUE", ["timeoutMs"]),
        ({"code": "1", "timeoutMs": 600_001}, "INVALID_VALUE", ["timeoutMs"]),
        ({"code": "1", "timeoutMs": float("nan")}, "INVALID_INPUT", ["timeoutMs"]),
        ({"code": "あ" * (MAX_CODE // 2)}, "INVALID_VALUE", ["code"]),
    ],
)
def test_params_that_do_not_fit_fail_with_their_path(params: dict, code: str, path: list) -> None:
    with pytest.raises(BridgeError) as caught:
        code_run.run(CODE(params, []), time.monotonic)
    assert (caught.value.code, caught.value.path) == (code, path)


REFUSED = [
    "import os",
    "import bpy.utils as u",
    "from bpy import ops",
    "from bpy import *",
    "from . import x",
    "import math as bpy",
    "import math as __x",
    "from math import sin as __x",
    "from math import sin as print\nprint(type(1))",
    "bpy.ops.object.delete('EXEC_DEFAULT', True)",
    "bpy.ops.object.delete(True)",
    "bpy.ops.object.delete(x)",
    "bpy.ops.object.delete(*x)",
    "bpy.ops.object.delete.poll(x)",
    "bpy.ops.object.geometry_node_bake_delete_single()",
    "x.select_end_line",
    "bpy = 1",
    "def bpy(): pass",
    "def f(bpy): pass",
    "for bpy in []: pass",
    "try: pass\nexcept Exception as bpy: pass",
    "match 1:\n    case bpy: pass",
    "match 1:\n    case {**bpy}: pass",
    "[bpy := 1]",
    "x = bpy",
    "f'{bpy}'",
    "bpy.ops.wm.quit_blender()",
    "bpy.ops.wm.url_open(url='x')",
    "bpy.ops.render.render()",
    "bpy.ops.object",
    "bpy.ops.object.delete",
    "x = bpy.ops.object.delete",
    "bpy.ops.object.delete.idname()",
    "bpy.ops['wm']",
    "bpy.ops.particle.hair_dynamics_preset_add(name='x')",
    "bpy.ops.view3d.copybuffer()",
    "bpy.ops.object.text_add.poll",
    "C = bpy.context\nC.copy()['preferences'].autoexec_paths",
    "C = bpy.context\nC.copy()['window_manager'].keyconfigs",
    "bpy.ops.object.bake(filepath='x', save_mode='EXTERNAL')",
    "bpy.ops.object.bake(**{'filepath': 'x'})",
    "bpy.context = 1",
    "bpy.data = 1",
    "del bpy.data",
    "bpy.types.Scene",
    "x.data_path += 'y'",
    "x.data_path, y = 'z', 1",
    "bpy.ops.anim.update_animated_transform_constraints()",
    "isinstance(1, [bpy.types.Scene][0])",
    "class A: pass",
    "async def f(): pass",
    "[x async for x in y]",
    "x.__class__",
    "x._y",
    "x.ops.wm",
    "x.app",
    "x.texts",
    "x.draw = 1",
    "y.save(filepath='x')",
    "y.z(filepath='x')",
    "f(__x=1)",
    "__x = 1",
    "__loader__",
    "getattr(x, 'y')",
    "hasattr(x, '__class__')",
    "hasattr(x, y)",
    "h = hasattr",
    "t = type",
    "type(1)",
    "type('X', (), {})",
    "print(type(*[1]))",
    "type = 1\nprint(type(1))\nt = [x.mro]",
    "'{0.a}'.format(1)",
    "'{0[a]}'.format(1)",
    "'{:{0.a}}'.format(1)",
    "'" + "{:" * 20_000 + "}" * 20_000 + "'.format(1)",
    "x.format(1)",
    "str.format('', 1)",
    "f = ''.format",
    "''.format_map({})",
    "match 1:\n    case int(__class__=x): pass",
    "match 1:\n    case int(gi_frame=x): pass",
    "import random\nrandom._os",
    "import random\nrandom.Random.x = 1",
    "import random\nx = random.Random",
    "from random import Random\nx = Random",
    "import math\nmath.pi = 3",
    "import mathutils\nx = mathutils.noise",
    "from mathutils import noise\nnoise.x = 1",
    "import bmesh\nx = bmesh.ops.wm\nbmesh = 1",
    "bpy.ops.transform.translate('INVOKE_DEFAULT')",
    "bpy.ops.object.delete('INVOKE_REGION_WIN')",
    "import numpy.core",
    "import numpy as np\nx = np.random",
    "import numpy as np\nnp.pi = 3",
    "from numpy import lib",
    "import time\ntime.sleep(1)",
    "from time import sleep",
    "breakpoint()",
    "input()",
    "exit()",
    "memoryview",
    "object()",
    "super()",
    "x.ｔexts",
    "x.__𝒹ict__",
]


@pytest.mark.parametrize("code", REFUSED)
def test_code_that_is_not_on_the_lists_is_refused_before_it_runs(code: str) -> None:
    ran: list = []
    with pytest.raises(BridgeError) as caught:
        code_run.judge.compile_judged("ran.append(1)\n" + code)
    assert caught.value.code == "DANGEROUS_OPERATION"
    assert caught.value.line and caught.value.line >= 2
    assert ran == []


def test_nodes_that_read_files_in_later_blenders_are_refused_as_they_are_made() -> None:
    made: list = []
    new = property_paths.checked(lambda **named: made.append(named["type"]))
    new(type="GeometryNodeMeshCube")
    for name in ("GeometryNodeImportText", "GeometryNodeImportOBJ"):
        with pytest.raises(PermissionError, match=name):
            new(type=name)
    assert made == ["GeometryNodeMeshCube"]


@pytest.mark.parametrize(
    "line",
    ["x.location = (math.pi, y, [z for z in w if z])\n", "def f(x, *y): 0\n", "[x for x in y]\n", "x;" * 40 + "x\n"],
)
def test_a_program_of_the_largest_size_is_judged_in_seconds(line: str) -> None:
    began = time.process_time()
    code_run.judge.compile_judged("import math\n" + line * (MAX_CODE // len(line)))
    assert time.process_time() - began < 20


def test_long_chains_of_attributes_are_judged_by_their_first_names() -> None:
    refused = "bpy.ops" + ".a" * 900, "bpy.app" + ".a" * 900, "x" + ".a" * 900 + ".handlers"
    for code in refused:
        assert failure(code).code == "DANGEROUS_OPERATION", code[:9]
    chain = "bpy.context" + ".a" * 900 + "\n"
    code_run.judge.compile_judged(chain * (MAX_CODE // len(chain)))


def test_python_that_a_later_version_adds_is_refused() -> None:
    for code in ("type X = int", "def f[T](x): pass", "t'{1}'"):
        with pytest.raises(BridgeError):
            code_run.judge.compile_judged(code)


def test_the_audit_hook_lets_trusted_threads_and_code_that_ended_write(tmp_path: Path) -> None:
    outcomes: dict[str, bool] = {}

    def write(name: str, trusted: bool) -> None:
        if trusted:
            audit.trust_this_thread()
        try:
            (tmp_path / name).write_text("x")
            outcomes[name] = True
        except PermissionError:
            outcomes[name] = False

    audit.arm()
    try:
        for name, trusted in (("mine", True), ("other", False)):
            thread = threading.Thread(target=write, args=(name, trusted))
            thread.start()
            thread.join()
    finally:
        refusals = audit.disarm()
    write("after", False)
    assert outcomes == {"mine": True, "other": False, "after": True}
    assert refusals == []
