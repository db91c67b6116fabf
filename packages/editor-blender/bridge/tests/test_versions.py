# SPDX-License-Identifier: MIT
"""What differs between versions of Blender, and between systems, by small fakes of each form."""

from __future__ import annotations

import ntpath
import sys
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

# Kept out of `patch.dict`: what it takes away at its end are the modules of the bridge too.
FAKES = {name: mock.MagicMock() for name in ("bpy", "bmesh", "mathutils")}
sys.modules.update(FAKES)
try:
    from zain_bridge import file_outputs, files, panel, preview, step_looks
    from zain_bridge.errors import BridgeError
finally:
    for name in FAKES:
        del sys.modules[name]

RED = (1.0, 0.0, 0.0, 1.0)


class Sockets(dict):
    """Sockets by their names, and by their places."""

    def __init__(self, *names: str) -> None:
        super().__init__({name: SimpleNamespace(default_value=0) for name in names})

    def __getitem__(self, key: Any) -> Any:
        return list(self.values())[key] if isinstance(key, int) else super().__getitem__(key)


KINDS = {
    "ShaderNodeBsdfPrincipled": ("BSDF_PRINCIPLED", ("Base Color", "Emission Color", "Emission Strength"), ("BSDF",)),
    "ShaderNodeOutputMaterial": ("OUTPUT_MATERIAL", ("Surface",), ()),
    "ShaderNodeBackground": ("BACKGROUND", ("Color", "Strength"), ("Background",)),
    "ShaderNodeOutputWorld": ("OUTPUT_WORLD", ("Surface",), ()),
}


class Nodes(list):
    def new(self, name: str) -> Any:
        kind, inputs, outputs = KINDS[name]
        self.append(SimpleNamespace(type=kind, inputs=Sockets(*inputs), outputs=Sockets(*outputs)))
        return self[-1]


def tree(*names: str) -> Any:
    made = SimpleNamespace(nodes=Nodes(), linked=[])
    made.links = SimpleNamespace(new=lambda *sockets: made.linked.append(sockets))
    for name in names:
        made.nodes.new(name)
    return made


class OldMaterial:
    """A material whose nodes are made by ``use_nodes``."""

    def __init__(self) -> None:
        self.node_tree: Any = None
        self.name = "M"

    @property
    def use_nodes(self) -> bool:
        return self.node_tree is not None

    @use_nodes.setter
    def use_nodes(self, _: bool) -> None:
        self.node_tree = tree("ShaderNodeOutputMaterial", "ShaderNodeBsdfPrincipled")


MATERIALS = {
    "use_nodes": OldMaterial,
    "no use_nodes": lambda: SimpleNamespace(node_tree=tree("ShaderNodeBsdfPrincipled")),
    "no use_nodes and no nodes": lambda: SimpleNamespace(node_tree=tree()),
}


@pytest.mark.parametrize("name", MATERIALS)
def test_a_material_is_painted_whether_its_nodes_are_turned_on_there_or_missing(name: str) -> None:
    material = MATERIALS[name]()
    step_looks._paint(material, {"color": RED}, [])
    (shader,) = [node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"]
    assert shader.inputs["Base Color"].default_value == RED
    if name == "no use_nodes and no nodes":
        (output,) = [node for node in material.node_tree.nodes if node.type == "OUTPUT_MATERIAL"]
        assert material.node_tree.linked == [(shader.outputs["BSDF"], output.inputs["Surface"])]


@pytest.mark.parametrize("nodes", [("ShaderNodeBackground",), ()])
def test_a_world_without_use_nodes_gets_its_background(nodes: tuple, monkeypatch) -> None:
    world = SimpleNamespace(node_tree=tree(*nodes))
    monkeypatch.setattr(step_looks.context, "scene", lambda: SimpleNamespace(world=world))
    step_looks.world({"strength": 0.5}, [])
    (background,) = [node for node in world.node_tree.nodes if node.type == "BACKGROUND"]
    assert background.inputs["Strength"].default_value == 0.5


@pytest.mark.parametrize("socket", ["Emission", "Emission Color"])
def test_emission_is_set_by_the_name_that_the_shader_has(socket: str) -> None:
    shader = SimpleNamespace(type="BSDF_PRINCIPLED", inputs=Sockets(socket, "Emission Strength"))
    step_looks._paint(SimpleNamespace(node_tree=SimpleNamespace(nodes=[shader])), {"emission": RED}, [])
    assert shader.inputs[socket].default_value == RED
    assert shader.inputs["Emission Strength"].default_value == 1.0


@pytest.mark.parametrize(
    ("material", "expected"),
    [
        ({"surface_render_method": "DITHERED", "blend_method": "HASHED"}, ("BLENDED", "HASHED")),
        ({"blend_method": "OPAQUE"}, (None, "BLEND")),
        ({}, (None, None)),
    ],
)
def test_a_material_that_shines_through_is_blended_by_the_setting_that_there_is(
    material: dict, expected: tuple
) -> None:
    made = SimpleNamespace(**material)
    step_looks._blend(made)
    assert (getattr(made, "surface_render_method", None), getattr(made, "blend_method", None)) == expected


class Scene:
    """A scene that knows these render engines."""

    def __init__(self, *engines: str) -> None:
        self.render = _Render(engines)
        self.eevee = SimpleNamespace(taa_render_samples=64)
        self.cycles = SimpleNamespace(samples=4096)


class _Render:
    def __init__(self, engines: tuple[str, ...]) -> None:
        object.__setattr__(self, "engines", engines)
        object.__setattr__(self, "engine", engines[-1])

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "engine" and value not in self.engines:
            raise TypeError(f"enum {value!r} not found")
        object.__setattr__(self, name, value)


@pytest.mark.parametrize("eevee", ["BLENDER_EEVEE", "BLENDER_EEVEE_NEXT"])
def test_eevee_is_found_by_either_name_for_the_scene_and_for_previews(eevee: str) -> None:
    scene = Scene(eevee, "CYCLES")
    step_looks._use_engine(scene, "eevee", [])
    assert scene.render.engine == eevee
    scene, put = Scene(eevee, "CYCLES"), preview._Put()
    with mock.patch.object(preview.bpy.app, "background", False):
        preview._engine(scene, 7, put)
    assert (scene.render.engine, scene.eevee.taa_render_samples) == (eevee, 7)
    put.restore()
    assert (scene.render.engine, scene.eevee.taa_render_samples) == ("CYCLES", 64)


def test_previews_of_a_blender_without_eevee_or_without_a_window_use_cycles_without_settings_it_lacks() -> None:
    for background, engines in ((False, ("CYCLES", "OTHER")), (True, ("BLENDER_EEVEE", "CYCLES", "OTHER"))):
        scene = Scene(*engines)
        with mock.patch.object(preview.bpy.app, "background", background):
            preview._engine(scene, 7, preview._Put())
        assert (scene.render.engine, vars(scene.cycles)) == ("CYCLES", {"samples": 7})


def test_an_engine_that_a_blender_lacks_is_unsupported() -> None:
    for use in (
        lambda: step_looks._use_engine(Scene("CYCLES"), "eevee", []),
        lambda: preview._engine(Scene("BLENDER_WORKBENCH"), 1, preview._Put()),
    ):
        with pytest.raises(BridgeError) as caught:
            use()
        assert caught.value.code == "OPERATION_UNSUPPORTED"


class Formats:
    """Settings of pictures where a file format belongs to a kind of media, as in Blender 5."""

    BY_MEDIA = {"IMAGE": ("PNG", "OPEN_EXR"), "VIDEO": ("FFMPEG",)}

    def __init__(self, media: str) -> None:
        self.media_type = media
        self.color_mode = "RGB"
        self.color_depth = "32"

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "file_format" and value not in self.BY_MEDIA[self.media_type]:
            raise TypeError(f"enum {value!r} not found")
        object.__setattr__(self, name, value)
        if name == "media_type":
            self.file_format = self.BY_MEDIA[value][-1]
        if name == "file_format":
            self.color_depth = "8"


@pytest.mark.parametrize("media", ["IMAGE", "VIDEO"])
def test_a_preview_sets_kinds_of_media_and_their_formats_back(media: str) -> None:
    formats = Formats(media)
    before = dict(vars(formats))
    scene = Scene("CYCLES")
    scene.view_layers = [SimpleNamespace()]
    object.__setattr__(scene.render, "image_settings", formats)
    put = preview._Put()
    preview._prepare(scene, 8, 8, 1, put)
    assert (formats.media_type, formats.file_format) == ("IMAGE", "PNG")
    put.restore()
    assert vars(formats) == before


@pytest.mark.parametrize("newer", [False, True])
def test_file_output_nodes_are_found_in_the_scene_s_nodes_and_in_groups(newer: bool) -> None:
    nodes = [SimpleNamespace(type="OUTPUT_FILE", name="File Output"), SimpleNamespace(type="R_LAYERS", name="Layers")]
    group = SimpleNamespace(name="Compositing", type="COMPOSITING", nodes=nodes if newer else [])
    scene = SimpleNamespace(name="Scene") if newer else SimpleNamespace(name="Scene", node_tree=tree())
    if not newer:
        scene.node_tree.nodes.extend(nodes)
    data = SimpleNamespace(scenes=[scene], node_groups=[group])
    with mock.patch.dict(sys.modules, {"bpy": SimpleNamespace(data=data)}):
        found = file_outputs.found()
    assert found == {("group Compositing" if newer else "scene Scene", "File Output")}


def test_requests_wait_while_the_user_renders_where_blender_can_say_so() -> None:
    for app, renders in (
        (SimpleNamespace(), False),
        (SimpleNamespace(is_job_running=lambda job: job == "RENDER"), True),
        (SimpleNamespace(is_job_running=lambda job: False), False),
    ):
        with mock.patch.object(panel, "bpy", SimpleNamespace(app=app)):
            assert panel._renders() is renders


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("a.blend", "C:\\scenes\\a.blend"),
        ("c:/Scenes/b/a.BLEND", "c:\\Scenes\\b\\a.BLEND"),
        ("..\\a.blend", None),
        ("C:\\scenes2\\a.blend", None),
        ("D:\\scenes\\a.blend", None),
        ("\\\\host\\scenes\\a.blend", None),
    ],
)
def test_paths_of_windows_are_below_the_directory_whatever_their_case_and_on_no_other_drive(
    path: str, real: str | None, monkeypatch
) -> None:
    monkeypatch.setattr(files, "os", SimpleNamespace(path=ntpath))
    if real is not None:
        assert files.below("C:\\scenes", path) == real
        return
    with pytest.raises(BridgeError) as caught:
        files.below("C:\\scenes", path)
    assert caught.value.code == "PERMISSION_DENIED"
