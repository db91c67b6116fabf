# SPDX-License-Identifier: MIT
"""What code might try. ``$D`` is a directory of the attempt; the probe shows that the attempt acted.

Each attempt acts with the guard off, else it would prove nothing; `test_attacks` runs both.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import bpy

Probe = Callable[[Path], bool]


@dataclass(frozen=True)
class Attempt:
    """One attempt.

    ``layers`` refuse it: ``judge``, ``audit`` (with the judge off), ``run`` (as it runs), ``left`` (what it left
    behind), ``removed`` (it is taken out of the code), ``filtered`` (what it looks for is not there), ``error`` (an
    ordinary failure).
    """

    name: str
    code: str
    acted: Probe
    layers: tuple[str, ...] = ("judge",)
    #: Python drops the audit hook's exception, as in a thread: the code goes on, without what it tried.
    quiet: bool = False


def _file(directory: Path) -> bool:
    return any(path.name.startswith("x") for path in directory.iterdir())


def _seen(_: Path) -> bool:
    return bool(bpy.context.scene.get("seen"))


def _text(_: Path) -> bool:
    return "evil" in bpy.data.texts or any("evil" in text.as_string() for text in bpy.data.texts)


def _all(probe: Probe, layers: tuple[str, ...], codes: dict[str, str]) -> list[Attempt]:
    return [Attempt(name, code, probe, layers, name in ("a thread", "__del__")) for name, code in codes.items()]


PYTHON = _all(
    _file,
    ("judge", "audit"),
    {
        "os.system": "import os\nos.system('touch $D/x')",
        "subprocess": "import subprocess\nsubprocess.run(['touch', '$D/x'])",
        "os.posix_spawn": "import os\nos.waitpid(os.posix_spawn('/usr/bin/touch', ['touch', '$D/x'], {}), 0)",
        "os.popen": "import os\nos.popen('touch $D/x').read()",
        "__import__": "__import__('os').system('touch $D/x')",
        "importlib": "import importlib\nimportlib.import_module('os').system('touch $D/x')",
        "from os import *": "from os import *\nsystem('touch $D/x')",
        "sys.modules": "import sys\nsys.modules['os'].system('touch $D/x')",
        "open": "open('$D/x', 'w')",
        "open in another script": "𝓸𝓹𝓮𝓷('$D/x', 'w')",
        "io.open": "import io\nio.open('$D/x', 'a')",
        "_io.FileIO": "import _io\n_io.FileIO('$D/x', 'x')",
        "os.open by flags": "import os\nos.open('$D/x', os.O_CREAT | os.O_WRONLY)",
        "an opener of open": "import os\nopen('$D/x', opener=lambda p, f: os.open(p, os.O_CREAT))",
        "pathlib": "import pathlib\npathlib.Path('$D/x').write_text('x')",
        "os.mkdir": "import os\nos.mkdir('$D/x')",
        "os.symlink": "import os\nos.symlink('/etc', '$D/x')",
        "os.rename": "import os\nos.rename('$D/script.py', '$D/x')",
        "shutil.copy": "import shutil\nshutil.copy('$D/script.py', '$D/x')",
        "sqlite3": "import sqlite3\nsqlite3.connect('$D/x').execute('create table t (a)')",
        "tempfile": "import tempfile\ntempfile.mkstemp(dir='$D', prefix='x')",
        "ctypes": "import ctypes\nctypes.CDLL(None).creat(b'$D/x', 0o600)",
        "a thread": "import threading\nt = threading.Thread(target=lambda: open('$D/x', 'w'))\nt.start()\nt.join()",
        "eval": 'eval(\'open("$D/x", "w")\')',
        "exec": 'exec(\'open("$D/x", "w")\')',
        "compile": "f = type(lambda: 0)\nf(compile('open(\"$D/x\", \"w\")', '', 'exec'), globals())()",
        "globals": "globals()['__builtins__']['open']('$D/x', 'w')",
        "__builtins__": "__builtins__['open']('$D/x', 'w')",
        "vars": "import builtins\nvars(builtins)['open']('$D/x', 'w')",
        "getattr": "import builtins\ngetattr(builtins, 'op' + 'en')('$D/x', 'w')",
        "attrgetter": "import operator, builtins\noperator.attrgetter('open')(builtins)('$D/x', 'w')",
        "subclasses": """
for c in ().__class__.__base__.__subclasses__():
    if c.__name__ == '_wrap_close':
        c.__init__.__globals__['system']('touch $D/x')
""",
        "a generator's frame": "g = (x for x in [1])\ng.gi_frame.f_builtins['open']('$D/x', 'w')",
        "a coroutine's frame": "async def f(): pass\nf().cr_frame.f_builtins['open']('$D/x', 'w')",
        "a traceback's frame": """
try:
    1 / 0
except Exception as e:
    e.__traceback__.tb_frame.f_builtins['open']('$D/x', 'w')
""",
        "an error's object": """
try:
    __import__('os').nothing
except AttributeError as e:
    e.obj.system('touch $D/x')
""",
        "a function's globals": "def f(): pass\nf.__globals__['__builtins__']['open']('$D/x', 'w')",
        "a class pattern": """
match (lambda: 0):
    case object(__globals__=found):
        found['__builtins__']['open']('$D/x', 'w')
""",
        "a default argument": "(lambda o=open: o('$D/x', 'w'))()",
        "a decorator": "@(lambda f: open('$D/x', 'w'))\ndef f(): pass",
        "a walrus": "(o := open)('$D/x', 'w')",
        "a comprehension": "[o('$D/x', 'w') for o in [open]]",
        "a generator": "def g():\n    yield open\nnext(g())('$D/x', 'w')",
        "an f-string": "f\"{open('$D/x', 'w')}\"",
        "with": "with open('$D/x', 'w'):\n    pass",
        "the type of except": "try:\n    1 / 0\nexcept (open('$D/x', 'w') and Exception):\n    pass",
        "__reduce__": """
import pickle
class R:
    def __reduce__(self):
        return open, ('$D/x', 'w')
pickle.loads(pickle.dumps(R()))
""",
        "__del__": "class D:\n    def __del__(self):\n        open('$D/x', 'w')\nd = D()\ndel d",
        "a class of print": "print(type(*['X', (), {'__repr__': lambda s: str(open('$D/x', 'w'))}])())",
        "a metaclass": "class M(type):\n    def __init__(c, *a):\n        open('$D/x', 'w')\nclass X(metaclass=M): 0",
        "a module of random": "import random\nrandom._os.system('touch $D/x')",
        "from random import _os": "from random import _os as o\no.system('touch $D/x')",
        "a module of bpy.path": "bpy.path._os.system('touch $D/x')",
        "a module of bpy.utils": "import bpy.utils as u\nu._os.system('touch $D/x')",
    },
)

SCRIPTS = _all(
    _file,
    ("judge",),
    {
        "execfile": "bpy.utils.execfile('$D/script.py')",
        "load_scripts": """
bpy.context.preferences.filepaths.script_directory = '$D/scripts'
bpy.utils.load_scripts()
""",
        "python_file_run": "bpy.ops.script.python_file_run(filepath='$D/script.py')",
        "a text as a module": "t = bpy.data.texts.new('t')\nt.write(\"open('$D/x', 'w')\")\nt.as_module()",
        "a text that is run": """
t = bpy.data.texts.new('t')
t.write("open('$D/x', 'w')")
bpy.ops.text.run_script({'edit_text': t})
""",
        "context_set_value": """
bpy.ops.wm.context_set_value(data_path='scene.frame_end', value="open('$D/x', 'w').close() or 9")
""",
        "a driver": """
d = bpy.context.object.driver_add('location', 0).driver
d.expression = "__import__('os').system('touch $D/x')"
bpy.context.view_layer.update()
""",
        "a handler": """
bpy.app.handlers.frame_change_post.append(lambda *_: open('$D/x', 'w'))
bpy.context.scene.frame_set(5)
""",
        "from bpy.app import handlers": """
from bpy.app import handlers as h
h.frame_change_post.append(lambda *_: open('$D/x', 'w'))
bpy.context.scene.frame_set(5)
""",
        "a path that an operator evaluates": """
o = bpy.context.object
o.keyframe_insert('location')
for c in o.animation_data.action.fcurves:
    c.data_path = "name and open('$D/x', 'w')"
bpy.ops.anim.update_animated_transform_constraints()
""",
        "an update of a property": """
bpy.types.Scene.evil = bpy.props.IntProperty(update=lambda s, c: open('$D/x', 'w') and None)
bpy.context.scene.evil = 1
""",
        "an operator's class": """
class Evil(bpy.types.Operator):
    bl_idname = 'object.evil'
    bl_label = 'evil'
    def execute(self, context):
        open('$D/x', 'w')
        return {'FINISHED'}
bpy.utils.register_class(Evil)
bpy.ops.object.evil()
""",
    },
)

FILES = _all(
    _file,
    ("judge",),
    {
        "image.save": """
i = bpy.data.images.new('i', 8, 8)
i.filepath_raw = '$D/x.png'
i.file_format = 'PNG'
i.save()
""",
        "image.save with a path": "bpy.data.images.new('i', 8, 8).save(filepath='$D/x.png')",
        "image.save_render": "bpy.data.images.new('i', 8, 8).save_render('$D/x.png')",
        "image.unpack": """
i = bpy.data.images.load('$D/pic.png')
i.pack()
i.packed_files[0].filepath = '$D/x.png'
i.unpack(method='WRITE_ORIGINAL')
""",
        "ops.image.save_as": """
bpy.ops.image.save_as({'edit_image': bpy.data.images.new('i', 8, 8)}, filepath='$D/x.png')
""",
        "write_still": "bpy.context.scene.render.filepath = '$D/x.png'\nbpy.ops.render.render(write_still=True)",
        "a rendered animation": """
s = bpy.context.scene
s.frame_end = 1
s.render.filepath = '$D/x'
bpy.ops.render.render(animation=True)
""",
        "a compositor's output": """
s = bpy.context.scene
s.use_nodes = True
n = s.node_tree.nodes.new('CompositorNodeOutputFile')
n.base_path = '$D/x'
s.node_tree.links.new(s.node_tree.nodes['Render Layers'].outputs[0], n.inputs[0])
bpy.ops.render.render()
""",
        "export stl": "bpy.ops.export_mesh.stl(filepath='$D/x.stl')",
        "export obj": "bpy.ops.wm.obj_export(filepath='$D/x.obj')",
        "export fbx": "bpy.ops.export_scene.fbx(filepath='$D/x.fbx')",
        "export x3d": "bpy.ops.export_scene.x3d(filepath='$D/x.x3d')",
        "export collada": "bpy.ops.wm.collada_export(filepath='$D/x.dae')",
        "export bvh": """
bpy.ops.object.armature_add()
bpy.ops.export_anim.bvh(filepath='$D/x.bvh')
""",
        "export uv layout": """
bpy.ops.object.mode_set(mode='EDIT')
bpy.ops.uv.export_layout(filepath='$D/x.svg', mode='SVG', export_all=True)
""",
        "export a keying set": """
k = bpy.context.scene.keying_sets.new(idname='k')
k.paths.add(bpy.context.object, 'location')
bpy.ops.anim.keying_set_export(filepath='$D/x.py')
""",
        "mixdown": "bpy.ops.sound.mixdown(filepath='$D/x.wav', container='WAV', codec='PCM')",
        "libraries.write": "bpy.data.libraries.write('$D/x.blend', {bpy.context.scene})",
        "save_as_mainfile": "bpy.ops.wm.save_as_mainfile(filepath='$D/x.blend')",
        "save a copy": "bpy.ops.wm.save_as_mainfile(filepath='$D/x.blend', copy=True)",
        "operators as a value": "o = bpy.ops\no.wm.save_as_mainfile(filepath='$D/x.blend')",
        "operators in a list": "[bpy.ops][0].wm.save_as_mainfile(filepath='$D/x.blend')",
        "operators in a dict": "{'o': bpy.ops.wm}['o'].save_as_mainfile(filepath='$D/x.blend')",
        "an operator as a value": "f = bpy.ops.wm.save_as_mainfile\nf(filepath='$D/x.blend')",
        "an operator in map": "list(map(lambda f: f(filepath='$D/x.blend'), [bpy.ops.wm.save_as_mainfile]))",
        "bpy as an argument": "def f(m):\n    m.ops.wm.save_as_mainfile(filepath='$D/x.blend')\nf(bpy)",
        "bpy as a default": "(lambda m=bpy: m.ops.wm.save_as_mainfile(filepath='$D/x.blend'))()",
        "bpy by another name": "import bpy as b\nb.ops.wm.save_as_mainfile(filepath='$D/x.blend')",
        "bmesh that is bpy": "import bmesh\nbmesh = bpy\nbmesh.ops.wm.save_as_mainfile(filepath='$D/x.blend')",
        "import bpy as bmesh": "import bpy as bmesh\nbmesh.ops.wm.save_as_mainfile(filepath='$D/x.blend')",
        "a loop over modules": "for m in [bpy]:\n    m.ops.wm.save_as_mainfile(filepath='$D/x.blend')",
        "from bpy import ops": "from bpy import ops\nops.wm.save_as_mainfile(filepath='$D/x.blend')",
        "operators by getattr": "getattr(bpy.ops, 'wm').save_as_mainfile(filepath='$D/x.blend')",
        "operators by __dict__": "bpy.__dict__['ops'].wm.save_as_mainfile(filepath='$D/x.blend')",
        "operators by vars": "vars(bpy)['ops'].wm.save_as_mainfile(filepath='$D/x.blend')",
        "operators by a pattern": """
match bpy:
    case object(ops=o):
        o.wm.save_as_mainfile(filepath='$D/x.blend')
""",
        "_bpy": "import _bpy\n_bpy.ops.call('WM_OT_save_as_mainfile', None, {'filepath': '$D/x.blend'})",
        "multires_external_save": """
bpy.context.object.modifiers.new('m', 'MULTIRES')
bpy.ops.object.multires_subdivide(modifier='m')
bpy.ops.object.multires_external_save(filepath='$D/x.btx', modifier='m')
""",
        "debug_stats_gnuplot": "bpy.context.evaluated_depsgraph_get().debug_stats_gnuplot('$D/x', '$D/xx')",
        "debug_relations_graphviz": "bpy.context.evaluated_depsgraph_get().debug_relations_graphviz('$D/x')",
    },
)


def _disk_cache(_: Path) -> bool:
    return any(modifier.point_cache.use_disk_cache for modifier in bpy.context.object.modifiers)


_ANIMATE = """
for c in o.animation_data.action.fcurves:
    for k in c.keyframe_points:
        k.co[1] = 1
    c.update()
bpy.context.scene.frame_set(2)
bpy.context.scene.frame_set(1)
"""


def _scene(code: str) -> str:
    return code + "\nbpy.context.scene['seen'] = 1"


#: They lead to names by text, read, or leave something behind. Where nothing can be seen, they act when they end.
OTHERS = _all(
    _seen,
    ("judge",),
    {
        "format": "bpy.context.scene['seen'] = '{0.__class__}'.format(1)",
        "format by items": "bpy.context.scene['seen'] = '{0[a]}'.format({'a': 1})",
        "format within a format": "bpy.context.scene['seen'] = '{:{w.real}}'.format(1, w=3)",
        "format as a value": "f = str.format\nbpy.context.scene['seen'] = f('{0.__class__}', 1)",
        "format_map": "bpy.context.scene['seen'] = '{a.__class__}'.format_map({'a': 1})",
        "format of a variable": "t = '{0.__class__}'\nbpy.context.scene['seen'] = t.format(1)",
        "setattr": "setattr(bpy.context.scene, 'frame_end', 9)\nbpy.context.scene['seen'] = 1",
        "hasattr of a variable": "n = 'ops'\nbpy.context.scene['seen'] = hasattr(bpy, n)",
        "dir": "bpy.context.scene['seen'] = len(dir(bpy))",
        "locals": "bpy.context.scene['seen'] = len(locals())",
        "path_resolve": _scene("bpy.context.path_resolve('preferences.filepaths', False)"),
        "path_resolve of a scene": _scene("bpy.context.scene.path_resolve('render.filepath')"),
        "bl_rna": _scene("bpy.context.scene.bl_rna.properties['render']"),
        "bl_rna of a type": _scene("bpy.types.Text.bl_rna.functions['write']"),
        "as_pointer": _scene("bpy.context.scene.as_pointer()"),
        "get_rna_type": _scene("bpy.ops.wm.save_as_mainfile.get_rna_type()"),
        "bpy.app.binary_path": _scene("bpy.app.binary_path"),
        "bpy.app.tempdir": _scene("bpy.app.tempdir"),
        "bpy.path": _scene("bpy.path.abspath('//')"),
        "user_map": _scene("bpy.data.user_map()"),
        "timers": _scene("bpy.app.timers.register(lambda: None, first_interval=9)"),
        "msgbus": _scene(
            "bpy.msgbus.subscribe_rna(key=(bpy.types.Object, 'name'), owner=3, args=(), notify=lambda: None)"
        ),
        "a draw handler": _scene("bpy.types.SpaceView3D.draw_handler_add(print, (), 'WINDOW', 'POST_VIEW')"),
        "a status text": _scene("bpy.context.workspace.status_text_set(lambda h, c: None)"),
        "the clipboard": _scene("bpy.context.window_manager.clipboard = 'x'"),
        "undo_push": _scene("bpy.ops.ed.undo_push()"),
        "a class by type": _scene("type('X', (), {'draw': print})"),
        "a class by type of type": _scene("type(type(1))('X', (), {})"),
        "a type that is kept": _scene("t = type(1)"),
        "a rebound print": _scene("def print(x):\n    return x\nt = print(type(1))"),
        "a rebound isinstance": _scene("def isinstance(a, b):\n    return b\nt = isinstance(1, bpy.types.Scene)"),
        "bpy.types as a value": _scene("t = bpy.types.Scene"),
        "a disk cache": _scene(
            "m = bpy.context.object.modifiers.new('c', 'CLOTH')\nm.point_cache.use_disk_cache = True"
        ),
        "a fluid domain": _scene("bpy.context.object.modifiers.new('f', 'FLUID').fluid_type = 'DOMAIN'"),
        "the output's path": _scene("bpy.context.scene.render.filepath = '$D/x'"),
        "a strip of a file": _scene(
            "bpy.context.scene.sequence_editor_create().sequences.new_image('s', '$D/pic.png', 1, 1)"
        ),
        "images.load": _scene("bpy.data.images.load('$D/pic.png')"),
        "ops.image.open": _scene("bpy.ops.image.open(filepath='$D/pic.png')"),
        "fonts.load": _scene("bpy.data.fonts.load('<builtin>')"),
        "libraries.load": _scene("with bpy.data.libraries.load('$D/lib.blend') as (f, t):\n    t.meshes = f.meshes"),
        "wm.append": _scene(
            "bpy.ops.wm.append(filepath='$D/lib.blend', directory='$D/lib.blend/Mesh', filename='Lib')"
        ),
        "import stl": _scene("bpy.ops.import_mesh.stl(filepath='$D/tri.stl')"),
        "open_mainfile": "bpy.ops.wm.open_mainfile(filepath='$D/seen.blend')",
        "addon_enable": _scene("bpy.ops.preferences.addon_enable(module='node_wrangler')"),
        "the preferences": _scene("bpy.context.preferences.filepaths.use_scripts_auto_execute = True"),
        "the preferences by a copy": _scene("bpy.context.copy()['preferences'].filepaths.script_directory = '/tmp'"),
        "an operator's own undo step": _scene("bpy.ops.object.select_all('EXEC_DEFAULT', True, action='SELECT')"),
        "an operator's own undo step by a variable": _scene("u = True\nbpy.ops.object.select_all(u)"),
        "an operator's own undo step by a list": _scene("u = [True]\nbpy.ops.object.select_all(*u)"),
        "an override that is a dict": _scene("bpy.ops.object.select_all({'object': None})"),
        "the preferences by getattr": _scene("getattr(bpy.context, 'preferences')"),
        "from bpy.types import": _scene("from bpy.types import Scene"),
        "from bpy import utils": _scene("from bpy import utils"),
        "from math import *": _scene("from math import *"),
        "os.environ": _scene("import os\nos.environ['PATH']"),
        "a file that is read": _scene("open('$D/script.py').read()"),
        "a coroutine": _scene("async def f():\n    pass\nf().close()"),
        "an operator with a dict": _scene("bpy.ops.mesh.primitive_cube_add(**{'size': 1})"),
        "the name __builtins__": _scene("__builtins__ = {}"),
    },
) + [
    Attempt(
        "a disk cache by foreach_set",
        "m = bpy.context.object.modifiers.new('c', 'CLOTH')\n"
        "m.point_cache.point_caches.foreach_set('use_disk' + '_cache', [1])",
        _disk_cache,
        ("run",),
    ),
    Attempt(
        "a disk cache by animation",
        "o = bpy.context.object\nm = o.modifiers.new('c', 'CLOTH')\n"
        "f = o.keyframe_insert\nf('modifiers[\"c\"].point_cache.use_disk' + '_cache', frame=1)\n" + _ANIMATE,
        _disk_cache,
        ("run",),
    ),
    Attempt(
        "a disk cache by a method of a lambda",
        "o = bpy.context.object\nm = o.modifiers.new('c', 'CLOTH')\n"
        "f = (lambda: m.point_cache.point_caches.foreach_set)()\nf('use_disk' + '_cache', [1])",
        _disk_cache,
        ("run",),
    ),
    Attempt(
        "a disk cache by a method that is assigned to a path",
        "o = bpy.context.object\nm = o.modifiers.new('c', 'CLOTH')\no.keyframe_insert('location', frame=1)\n"
        "try:\n    f = o.animation_data.action.fcurves[0].data_path = m.point_cache.point_caches.foreach_set\n"
        "except TypeError:\n    pass\nf('use_disk' + '_cache', [1])",
        _disk_cache,
        ("run",),
    ),
    Attempt(
        "a disk cache by a curve's path",
        "o = bpy.context.object\nm = o.modifiers.new('c', 'CLOTH')\no.keyframe_insert('location', frame=1)\n"
        "for c in o.animation_data.action.fcurves:\n"
        "    c.data_path = 'modifiers[\"c\"].point_cache.use_disk' + '_cache'\n    c.array_index = 0\n" + _ANIMATE,
        _disk_cache,
        ("run",),
    ),
    Attempt(
        "a disk cache by a new curve",
        "o = bpy.context.object\nm = o.modifiers.new('c', 'CLOTH')\no.keyframe_insert('location', frame=1)\n"
        "n = o.animation_data.action.fcurves.new\n"
        "c = n(**{'data_path': 'modifiers[\"c\"].point_cache.use_disk' + '_cache'})\n"
        "c.keyframe_points.insert(1, 1)\n" + _ANIMATE,
        _disk_cache,
        ("run",),
    ),
    Attempt(
        "a module as __builtins__",
        "import random as __builtins__\ndef f():\n    _os.mknod('$D/x')\nf()",
        _file,
    ),
    Attempt(
        "an __import__ that is imported and never carried out",
        "def never():\n    from math import sin as __import__\n__import__('bpy').types.Scene.evil = 1",
        lambda _: _taken(bpy.types.Scene, "evil"),
    ),
    Attempt(
        "a studio light by a copy of the context",
        "p = bpy.context.copy()['preferences']\np.studio_lights.new('$D/x.sl')",
        _file,
        ("run",),
    ),
    Attempt(
        "no undo by a copy of the context",
        "f = (lambda: bpy.context.copy)()\nf()['preferences'].edit.use_global_undo = False",
        lambda _: _without_undo(),
        ("run",),
    ),
    Attempt(
        "no undo by the values of a copy of the context",
        "for v in list(bpy.context.copy().values()):\n"
        "    if hasattr(v, 'edit'):\n        v.edit.use_global_undo = False",
        lambda _: _without_undo(),
        ("filtered",),
    ),
    Attempt(
        "a text of a text editor",
        "a = [a for a in bpy.context.screen.areas if a.type == 'TEXT_EDITOR'][0]\n"
        "with bpy.context.temp_override(area=a):\n    bpy.context.edit_text.select_end_line.body = 'evil'",
        _text,
    ),
    Attempt(
        "a text of a text editor by a copy of the context",
        "a = [a for a in bpy.context.screen.areas if a.type == 'TEXT_EDITOR'][0]\n"
        "with bpy.context.temp_override(area=a):\n    bpy.context.copy()['edit_text'].name = 'evil'",
        _text,
        ("run",),
    ),
    Attempt("a text", "bpy.data.texts.new('evil')", _text),
    Attempt("a text by user_map", "[t for t in bpy.data.user_map(key_types={'TEXT'})][0].write('evil')", _text),
    Attempt("a text by path_resolve", "bpy.data.path_resolve('texts').new('evil')", _text),
    Attempt(
        "a freestyle module",
        "t = bpy.data.texts.new('t')\n" "bpy.context.view_layer.freestyle_settings.modules.new().script = t",
        lambda _: len(bpy.context.view_layer.freestyle_settings.modules) > 0,
    ),
    Attempt("a driver's namespace", "bpy.app.driver_namespace['evil'] = print", lambda _: _taken_namespace()),
    Attempt("a property of a type", "bpy.types.Scene.evil = 1", lambda _: _taken(bpy.types.Scene, "evil")),
    Attempt("a property of type(x)", "type(bpy.context.scene).evil = 1", lambda _: _taken(bpy.types.Scene, "evil")),
    Attempt("a function of math", "import math\nmath.evil = print", lambda _: _taken(math, "evil")),
    Attempt("a function of random", "import random as r\nr.evil = print", lambda _: _taken(random, "evil")),
    Attempt("from mathutils import noise", "from mathutils import noise as n\nn.evil = 1", lambda _: _noise()),
    Attempt("a module in a variable", "import mathutils\nn = mathutils.noise\nn.evil = 1", lambda _: _noise()),
    Attempt("random.Random", "import random\nR = random.Random\nR.evil = 1", lambda _: _taken(random.Random, "evil")),
    Attempt(
        "a File Output node left behind",
        "s = bpy.context.scene\ns.use_nodes = True\ns.node_tree.nodes.new('Compositor' + 'NodeOutputFile')",
        lambda _: any(node.type == "OUTPUT_FILE" for node in bpy.context.scene.node_tree.nodes),
        ("left",),
    ),
    Attempt("an annotation", "def f(a: open('$D/x', 'w')) -> open('$D/xx', 'w'):\n    pass", _file, ("removed",)),
]


def _taken(owner: object, name: str) -> bool:
    """Whether the owner has it; and removes it for what follows."""
    there = hasattr(owner, name)
    if there:
        delattr(owner, name)
    return there


def _without_undo() -> bool:
    """Whether Global Undo is off; and turns it on for what follows."""
    edit = bpy.context.preferences.edit
    off = not edit.use_global_undo
    edit.use_global_undo = True
    return off


def _noise() -> bool:
    import mathutils.noise

    return _taken(mathutils.noise, "evil")


def _taken_namespace() -> bool:
    return bpy.app.driver_namespace.pop("evil", None) is not None


def _numpys(probe: Probe, layers: tuple[str, ...], codes: dict[str, str]) -> list[Attempt]:
    return _all(probe, layers, {f"numpy: {name}": "import numpy as np\n" + code for name, code in codes.items()})


def _shares(_: Path) -> bool:
    return bpy.context.scene.get("shared", [0])[0] == 7


#: NumPy's doors to files, to code, and to memory that is not the array's.
NUMPY = (
    _numpys(
        _file,
        ("judge", "audit"),
        {
            "save": "np.save('$D/x', [1])",
            "savetxt": "np.savetxt('$D/x', [1])",
            "savez": "np.savez('$D/x', [1])",
            "from numpy import save": "from numpy import save\nsave('$D/x', [1])",
            "memmap": "np.memmap('$D/x', mode='w+', shape=(1,))",
            "lib.format": "np.lib.format.open_memmap('$D/x', mode='w+', shape=(1,))",
            "builtins of a module": "np.ma.core.builtins.open('$D/x', 'w')",
            "os of a module": "np.lib.npyio.os.mkdir('$D/x')",
            "a module's builtins": "np.lib.npyio.__builtins__['open']('$D/x', 'w')",
            "a module in a variable": "n = np\nn.save('$D/x', [1])",
            "numpy by a pattern": "match np:\n    case object(save=f):\n        f('$D/x', [1])",
            "an array's pattern": "match np.ones(3):\n    case object(tofile=f):\n        f('$D/x')",
            "a function's globals": "np.median.__wrapped__.__globals__['__builtins__']['open']('$D/x', 'w')",
            "a pickle that is loaded": """
import pickle, os
class Evil:
    def __reduce__(self):
        return os.mkdir, ('$D/x',)
np.load('$D/x.npy', allow_pickle=True) if np.save('$D/x.npy', np.array([Evil()])) else None
""",
            "f2py": "from numpy import f2py\nf2py.__builtins__['open']('$D/x', 'w')",
            "distutils": "from numpy.distutils import exec_command\nexec_command.os.mkdir('$D/x')",
            "testing": 'np.testing.measure(\'open("$D/x", "w")\')',
            "ctypeslib": "np.ctypeslib.ctypes.CDLL(None).creat(b'$D/x', 0o600)",
            "core._internal": "import numpy.core._internal as i\ni.ctypes.CDLL(None).creat(b'$D/x', 0o600)",
            "vectorize": "np.vectorize(open)('$D/x', 'w')",
            "frompyfunc": "np.frompyfunc(open, 2, 1)('$D/x', 'w')",
        },
    )
    + _numpys(
        _file,
        ("run", "audit"),
        {
            "tofile": "np.ones(3).tofile('$D/x')",
            "a type's method": "np.ndarray.tofile(np.ones(3), '$D/x')",
            "tofile of a scalar": "np.ones(3)[0].tofile('$D/x')",
            "tofile by a lambda": "(lambda a: a.tofile)(np.ones(3))('$D/x')",
            "dump": "np.ones(3).dump('$D/x')",
        },
    )
    + _numpys(
        _seen,
        ("judge",),
        {
            "load": _scene("np.save('$D/a.npy', [1])\nnp.load('$D/a.npy')"),
            "fromfile": _scene("np.fromfile('$D/script.py', np.uint8)"),
            "loadtxt": _scene("np.loadtxt('$D/script.py', dtype=str, delimiter='!')"),
            "genfromtxt": _scene("np.genfromtxt('$D/script.py', dtype=str, delimiter='!')"),
            "DataSource": _scene("np.DataSource('$D').open('$D/script.py').read()"),
            "fromregex": _scene("np.fromregex('$D/script.py', '(o)', [('a', 'U1')])"),
            "as_strided": _scene("np.lib.stride_tricks.as_strided(np.ones(1), (999,), (8,))[998]"),
            "from as_strided": _scene("from numpy.lib.stride_tricks import as_strided\nas_strided(np.ones(1), (999,))"),
            "frombuffer": _scene("np.frombuffer(b'12345678')"),
            "__array_interface__": _scene("np.ones(3).__array_interface__['data']"),
            "an object with an __array_interface__": _scene(
                "f = lambda: 0\na = np.ones(1)\nf.__array_interface__ = {**a.__array_interface__, 'shape': (99,)}\n"
                "np.asarray(f)"
            ),
            "set_printoptions": _scene("np.set_printoptions(formatter={'int': lambda x: 'x'})"),
            "seterrcall": _scene("np.seterrcall(lambda *a: None)"),
            "nditer": _scene("np.nditer(np.ones(3))"),
            "a set member": _scene("np.evil = 1"),
            "a class that is kept": _scene("t = type(np.ones(3))"),
            "__reduce__": _scene("np.ones(3).__reduce__()"),
            "get_include": _scene("np.get_include()"),
            "RandomState": _scene("np.random.RandomState().get_state()"),
            "random.mtrand": _scene("np.random.mtrand"),
            "sleep": _scene("import time\ntime.sleep(0.01)"),
            "from time import sleep": _scene("from time import sleep\nsleep(0.01)"),
        },
    )
    + _numpys(
        _seen,
        ("run",),
        {
            "ctypes of an array": _scene("np.ones(3).ctypes"),
            "data of an array": _scene("np.ones(3).data"),
            "base of an array": _scene("np.ones(3)[1:].base"),
            "dumps": _scene("np.ones(3).dumps()"),
            "resize without its check": _scene("a = np.ones(999)\nb = a[:]\na.resize(1, refcheck=False)"),
            "set strides": _scene("a = np.ones(4)\na.strides = (0,)"),
            "set dtype": _scene("a = np.ones(4)\na.dtype = 'u8'"),
            "set data": _scene("a = np.ones(1)\na.data = bytearray(8)"),
            "update of a group of properties": _scene(
                "s = bpy.context.scene\ns['g'] = {'a': 1}\ns['g'].update({'a': np.ones(3)})"
            ),
            "view": _scene("np.ones(4).view('u1')"),
            "a function that is changed": _scene("f = np.mean\nf.evil = 1"),
            "getfield": _scene("np.ones(4).getfield('u1', 3)"),
            "setflags": _scene("np.ones(4).setflags(write=False)"),
            "the class of a dtype": _scene("np.dtype('f4').type"),
            "a generator's source": _scene("np.random.default_rng().bit_generator.ctypes"),
        },
    )
    + _numpys(
        _seen,
        ("error",),
        {
            "ndarray over a buffer": _scene("np.ndarray(1, buffer=bytearray(8))"),
            "memory that is not written, by where": _scene("np.add([1.0], 1, where=False)"),
            "memory that is not written, by outer": _scene("np.add.outer([1.0], 1, where=False, out=(None,))"),
            "memory that is not written, by clip": _scene("np.clip([1.0], 0, 1, where=[False])"),
            "a callback of errors": _scene("np.errstate(call=lambda *a: None)"),
            "memory past the end of an array": _scene(
                "m = bpy.data.meshes.new('m')\nm.vertices.add(9)\n"
                "m.vertices.foreach_set('co', np.zeros((27, 0), np.float32))"
            ),
        },
    )
    + _numpys(
        _shares,
        ("filtered",),
        {
            f"memory of Blender, by {name}": f"s = bpy.context.scene\ns['shared'] = [0.0] * 9\n"
            f"{name}(s['shared'])[0] = 7"
            for name in ("np.asarray", "np.float64", "np.ravel", "np.squeeze", "np.atleast_1d")
        },
    )
)

ATTEMPTS = PYTHON + SCRIPTS + FILES + OTHERS + NUMPY
