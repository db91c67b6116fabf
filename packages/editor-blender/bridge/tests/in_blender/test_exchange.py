# SPDX-License-Identifier: MIT
from __future__ import annotations

import errno
import json
import os
import shutil
import struct
from typing import Any

import bpy
from bpy_extras import image_utils
from zain_bridge import denoising, exchange, files, recovery

from client import Failure, eventually

from . import harness
from .harness import SceneTest, cube, xyz

CYCLES = {"render": {"engine": "cycles", "width": 16, "height": 16, "samples": 1}}
CAMERA = {"camera": {"transform": {"location": xyz(0, -5, 0)}, "lookAt": xyz(0, 0, 0)}}


def written(*names: str) -> str:
    return os.path.join(os.path.realpath(harness.root), *names)


def empty() -> None:
    for place in (harness.root, harness.outside):
        shutil.rmtree(place)
        os.mkdir(place)


def write(content: str, *names: str) -> str:
    """Writes a file below the bridge's directory."""
    with open(written(*names), "w", encoding="utf-8") as file:
        file.write(content)
    return os.path.join(*names)


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def painted(name: str, path: str, content: bytes = b"") -> None:
    """Gives the object ``name`` a material with an image whose path is ``path``, packed where there is ``content``."""
    image = bpy.data.images.new(name, 4, 4)
    if content:
        image.pack(data=content, data_len=len(content))
    image.source = "FILE"
    image.filepath_raw = path
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])
    bpy.data.objects[name].data.materials.append(material)


def gltf(name: str, buffer: str, image: str | None = None) -> str:
    """A file of one triangle, whose bytes are in ``buffer``, below the bridge's directory."""
    shape: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "Triangle"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0] * 3, "max": [1] * 3}
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": buffer, "byteLength": 36}],
    }
    if image is not None:
        shape["images"], shape["textures"] = [{"uri": image}], [{"source": 0}]
        shape["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
        shape["meshes"][0]["primitives"][0]["material"] = 0
    with open(written(name), "w", encoding="utf-8") as file:
        json.dump(shape, file)
    return name


class Exchange(SceneTest):
    def setUp(self) -> None:
        super().setUp()
        empty()
        self.addCleanup(empty)
        with open(os.path.join(harness.outside, "secret.bin"), "wb") as file:
            file.write(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0))

    def picture(self, name: str = "picture.png") -> str:
        self.apply(CYCLES, CAMERA)
        return self.call("render.frames", path=name)["files"][0]

    def test_each_format_that_this_blender_has_brings_back_what_it_wrote(self) -> None:
        self.apply(cube("A"), cube("B"), {"select": {"objects": ["A"]}})
        for ending in (".glb", ".gltf", ".obj", ".fbx", ".stl", ".ply"):
            with self.subTest(ending):
                paths = self.call("file.export", path=f"a{ending}", selected=True)["files"]
                self.assertIn(written(f"a{ending}"), paths)
                made = self.call("file.import", path=f"a{ending}")
                self.assertEqual((made["missing"], len(made["changes"]["created"])), ([], 1), made)
                (shape,) = self.call("object.read", names=made["changes"]["created"], fields=["dimensions"])["objects"]
                self.assertAlmostEqual(shape["dimensions"]["z"], 2, 5)
                self.assertTrue(self.call("undo")["done"])
                self.assertEqual(self.names(), ["A", "B"])
        self.assertEqual([name for name in os.listdir(harness.root) if name.startswith(".")], [])

    def test_a_format_that_this_blender_lacks_fails_by_its_name(self) -> None:
        with open(written("a.usd"), "w", encoding="utf-8") as file:
            file.write("#usda 1.0\n")
        for method, path in (("file.import", "a.usd"), ("file.export", "b.usdc")):
            failure = self.fails("OPERATION_UNSUPPORTED", method, path=path)
            self.assertIn("USD", str(failure))
        self.fails("INVALID_VALUE", "file.export", path="a.dae")

    def test_what_is_written_is_below_the_root_and_replaces_a_file_on_request_alone(self) -> None:
        self.apply(cube("A"), CYCLES, CAMERA)
        os.symlink(harness.outside, written("link"))
        os.symlink(os.path.join(harness.outside, "x.glb"), written("file.glb"))
        for path in ("../x", "link/x", "file", os.path.join(harness.outside, "x")):
            self.fails("PERMISSION_DENIED", "file.export", path=f"{path}.glb")
            self.fails("PERMISSION_DENIED", "file.import", path=f"{path}.glb")
            if path != "file":
                self.fails("PERMISSION_DENIED", "file.append", path=f"{path}.blend")
                self.fails("PERMISSION_DENIED", "render.frames", path=f"{path}.png")
        self.assertEqual(os.listdir(harness.outside), ["secret.bin"])
        self.picture("a.png")
        self.call("file.save", path="own.blend")
        for method, path in (("file.export", "a.glb"), ("render.frames", "a.png"), ("file.save", "a.blend")):
            with open(written(path), "wb") as file:
                file.write(b"kept")
            self.fails("OPERATION_FAILED", method, path=path)
            with open(written(path), "rb") as file:
                self.assertEqual(file.read(), b"kept")
            self.call(method, path=path, overwrite=True)
            self.assertGreater(os.path.getsize(written(path)), 4)
        self.call("file.save", path="a.blend")  # its own

    def test_without_a_root_nothing_is_read_or_written(self) -> None:
        self.apply(CAMERA, CYCLES)
        self.on_main(lambda: files._roots.__setitem__(0, None))
        self.addCleanup(self.on_main, lambda: files._roots.__setitem__(0, harness.bridge.files))
        for method, path in (("file.import", "a.glb"), ("file.export", "a.glb"), ("file.append", "a.blend")):
            self.fails("PERMISSION_DENIED", method, path=path)
        self.fails("PERMISSION_DENIED", "render.frames", path="a.png")

    def test_what_is_over_the_bound_is_neither_read_nor_left(self) -> None:
        self.apply(cube("A"), CYCLES, CAMERA)
        self.call("file.export", path="a.glb")
        bound = files.MOST_BYTES
        self.on_main(lambda: setattr(files, "MOST_BYTES", 100))
        self.addCleanup(self.on_main, lambda: setattr(files, "MOST_BYTES", bound))
        self.fails("INVALID_VALUE", "file.import", path="a.glb")
        self.fails("INVALID_VALUE", "file.export", path="b.glb")
        self.fails("OPERATION_FAILED", "render.frames", path="b.png")
        self.assertEqual(os.listdir(harness.root), ["a.glb"])

    def test_an_imported_file_brings_nothing_of_files_elsewhere(self) -> None:
        shutil.move(self.picture(), os.path.join(harness.outside, "secret.png"))
        shutil.copy(os.path.join(harness.outside, "secret.bin"), written("own.bin"))
        os.symlink(os.path.join(harness.outside, "secret.bin"), written("linked.bin"))
        digest = self.digest()
        for buffer in (
            "../outside/secret.bin",
            os.path.join(harness.outside, "secret.bin"),
            "%2e%2e/outside/secret.bin",
            "linked.bin",
        ):
            self.fails("PERMISSION_DENIED", "file.import", path=gltf("hostile.gltf", buffer))
        with open(os.path.join(harness.outside, "red.mtl"), "w", encoding="utf-8") as file:
            file.write("newmtl Red\nKd 1 0 0\n")
        with open(written("hostile.obj"), "w", encoding="utf-8") as file:
            file.write("mtllib \\\n ../outside/red.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl Red\nf 1 2 3\n")
        self.fails("PERMISSION_DENIED", "file.import", path="hostile.obj")
        self.assertEqual(self.digest(), digest)
        os.mkfifo(written("pipe.png"))
        for image in ("../outside/secret.png", "%2e%2e/outside/secret.png", "pipe.png"):
            self.fails("PERMISSION_DENIED", "file.import", path=gltf("pictured.gltf", "own.bin", image))
        code = denoising.__file__
        self.fails("PERMISSION_DENIED", "file.import", path=gltf("python.gltf", code))
        self.assertEqual(self.digest(), digest)

    def test_an_imported_obj_has_the_materials_and_images_of_its_directory_alone(self) -> None:
        self.picture("own.png")
        shape = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl Red\nf 1 2 3\n"
        with open(os.path.join(harness.outside, "red.mtl"), "w", encoding="utf-8") as file:
            file.write("newmtl Red\nKd 1 0 0\n")
        os.symlink(os.path.join(harness.outside, "red.mtl"), written("implicit.mtl"))
        pipe = os.path.join(harness.outside, "pipe.png")
        os.mkfifo(pipe)

        def reds() -> list:
            return [each.diffuse_color[:3] for each in bpy.data.materials if each.diffuse_color[:3] == (1, 0, 0)]

        for line in (
            'mtllib "../outside/red.mtl"',
            "mtllib\x01../outside/red.mtl",
            "\x01mtllib ../outside/red.mtl",
            "mtllib \\ \n../outside/red.mtl",
            "",
        ):
            with self.subTest(line):
                write(f"{line}\n{shape}", "implicit.obj")
                try:
                    self.call("file.import", path="implicit.obj")
                except Failure as failure:
                    self.assertEqual(failure.data["code"], "PERMISSION_DENIED")
                self.assertEqual(self.on_main(reds), [])
        lines = [
            "newmtl Red",
            "Kd 1 0 0",
            f"map_Kd -bm 1 {pipe}",
            "map_Ks ../outside/pipe.png",
            "map_Ns -s 1 1 own.png",
        ]
        write("\n".join([*lines, "map_Ke own.png"]), "own materials.mtl")
        write(f"mtllib own materials.mtl\n{shape}", "own.obj")
        made = self.call("file.import", path="own.obj")
        self.assertEqual(made["missing"], [f"-bm 1 {pipe}", "../outside/pipe.png"])
        images = self.on_main(lambda: [os.path.realpath(bpy.path.abspath(each.filepath)) for each in bpy.data.images])
        self.assertIn(written("own.png"), images)
        self.assertEqual(len(self.on_main(reds)), 1)
        with open(written("bytes.obj"), "wb") as file:
            file.write(b"mtllib ../\xff.mtl\n")
        self.fails("PERMISSION_DENIED", "file.import", path="bytes.obj")
        with open(written("bytes.mtl"), "wb") as file:
            file.write(b"newmtl Red\nmap_Kd ../\xff.png\n")
        write(shape, "bytes.obj")
        self.assertEqual(self.call("file.import", path="bytes.obj")["missing"], ["../\ufffd.png"])
        write("v 0 0 0\n" + "\n" * 1_000_000 + shape, "blank.obj")
        self.call("file.import", path="blank.obj")

    def test_an_imported_fbx_opens_no_image_elsewhere(self) -> None:
        self.picture("own.png")
        pipe = os.path.join(harness.outside, "pipe.png")
        os.mkfifo(pipe)

        def load(path: str) -> tuple[str, dict]:
            with exchange._images_below() as elsewhere:
                image = image_utils.load_image(path, dirname=written(), place_holder=True)
                return image.filepath_raw, dict(elsewhere)

        path, elsewhere = self.on_main(lambda: load(pipe))
        self.assertEqual(elsewhere, {path: pipe})
        for known in ("own.png", os.path.join(harness.outside, "own.png")):
            self.assertEqual(self.on_main(lambda: load(known)), [written("own.png"), {}])

    def test_an_export_has_images_below_the_root_alone(self) -> None:
        secret, tree = os.path.join(harness.outside, "env.txt"), os.path.join(harness.outside, "keys")
        os.mkdir(tree)
        for path in (secret, os.path.join(tree, "id_rsa"), os.path.join(harness.outside, "a.png")):
            with open(path, "w", encoding="utf-8") as file:
                file.write("SECRET")
        for path in (secret, tree, os.path.join(harness.outside, "a.png")):
            self.on_main(harness._empty)
            self.apply(cube("A"))
            self.on_main(lambda: painted("A", path))
            for ending in (".obj", ".fbx", ".glb", ".gltf"):
                failure = self.fails("PERMISSION_DENIED", "file.export", path=f"a{ending}")
                self.assertIn(path, str(failure))
            self.call("file.export", path="a.stl", overwrite=True)
        self.assertEqual(os.listdir(harness.root), ["a.stl"])

    def test_an_obj_has_the_content_of_packed_images_and_what_is_beside_it_stays(self) -> None:
        own = read(self.picture("own.png"))
        os.mkdir(written("src"))
        shutil.move(written("own.png"), written("src", "own.png"))
        self.on_main(harness._empty)
        self.apply(cube("A"), cube("B"), {"material": {"object": "B", "image": "src/own.png"}})
        beside = os.path.join(os.getcwd(), "zain-packed.png")
        with open(beside, "w", encoding="utf-8") as file:
            file.write("SECRET")
        self.addCleanup(os.unlink, beside)
        self.on_main(lambda: painted("A", "/nowhere/zain-packed.png", own))
        for overwrite in (False, True):
            paths = self.call("file.export", path="a.obj", overwrite=overwrite)["files"]
            self.assertEqual(paths, [written(name) for name in ("a.mtl", "a.obj", "own.png", "zain-packed.png")])
        self.assertEqual(read(written("own.png")), own)
        self.assertEqual(read(written("zain-packed.png")), own)
        write("kept", "own.png")
        self.fails("OPERATION_FAILED", "file.export", path="a.obj", overwrite=True)
        self.assertEqual(read(written("own.png")), b"kept")

    def test_a_name_that_is_an_ending_alone_and_a_directory_are_no_files_to_write(self) -> None:
        self.apply(cube("A"), CYCLES, CAMERA)
        for method, ending in (("file.export", ".glb"), ("render.frames", ".png"), ("file.save", ".blend")):
            self.fails("INVALID_VALUE", method, path=ending)
            os.mkdir(written(f"a{ending}"))
            self.fails("OPERATION_FAILED", method, path=f"a{ending}", overwrite=True)

    def test_appended_and_linked_data_is_in_the_scene_and_its_scripts_do_not_run(self) -> None:
        ran = os.path.join(harness.outside, "ran")

        def scripted() -> None:
            act = f"__import__('os').mknod({ran!r}) or 1"
            bpy.data.objects["Part"].driver_add("location", 0).driver.expression = act

        self.apply(cube("Part", material={"name": "Paint", "metallic": 1}), cube("Other"))
        self.on_main(scripted)
        self.call("file.save", path="parts.blend")
        self.on_main(harness._empty)
        digest = self.digest()
        made = self.call("file.append", path="parts.blend", names=["Part"])
        self.assertEqual((made["names"], made["changes"]["created"]), (["Part"], ["Part"]))
        self.on_main(lambda: bpy.context.scene.frame_set(2))
        self.assertFalse(os.path.exists(ran))
        self.assertEqual(self.call("undo")["digest"], digest)
        self.assertEqual(self.call("file.append", path="parts.blend", link=True)["names"], ["Part", "Other"])
        self.assertTrue(self.on_main(lambda: bpy.data.objects["Other"].library is not None))
        self.assertEqual(self.call("file.append", path="parts.blend", kind="materials")["names"], ["Paint"])
        failure = self.fails("RESOURCE_NOT_FOUND", "file.append", path="parts.blend", names=["Pant"])
        self.assertEqual(failure.data["suggestions"], ["Part"])
        preferences = bpy.context.preferences.filepaths
        self.on_main(lambda: setattr(preferences, "use_scripts_auto_execute", True))
        self.addCleanup(self.on_main, lambda: setattr(preferences, "use_scripts_auto_execute", False))
        self.fails("PERMISSION_DENIED", "file.append", path="parts.blend")

    def test_what_was_appended_before_may_be_appended_and_linked_again(self) -> None:
        def grouped() -> None:
            group = bpy.data.collections.new("Group")
            bpy.context.scene.collection.children.link(group)
            group.objects.link(bpy.data.objects["Part"])

        self.apply(cube("Part"))
        self.on_main(grouped)
        self.call("file.save", path="parts.blend")
        self.on_main(harness._empty)
        names = ["Part", "Part"]
        self.assertEqual(self.call("file.append", path="parts.blend", names=names)["names"], ["Part"])
        self.on_main(harness._empty)
        for kind, name in (("objects", "Part"), ("collections", "Group")) * 2:
            made = self.call("file.append", path="parts.blend", kind=kind, link=True)
            self.assertEqual(made["names"], [name])

    def test_scripts_of_appended_data_do_not_run_where_the_open_file_may_run_its_own(self) -> None:
        ran = os.path.join(harness.outside, "ran")

        def scripted() -> None:
            act = f"__import__('os').mknod({ran!r}) or 1"
            bpy.data.objects["Part"].driver_add("location", 0).driver.expression = act

        self.apply(cube("Part"))
        self.call("file.save", path="trusted.blend")
        self.on_main(scripted)
        self.call("file.save", path="parts.blend")
        if os.path.exists(ran):
            os.unlink(ran)
        self.on_main(lambda: bpy.ops.wm.open_mainfile(filepath=written("trusted.blend"), use_scripts=True) and None)
        self.call("file.append", path="parts.blend")
        self.on_main(lambda: bpy.context.scene.frame_set(2))
        self.assertFalse(os.path.exists(ran))

    def test_appended_simulations_write_no_caches_elsewhere(self) -> None:
        cache = os.path.join(harness.outside, "cache")

        def simulated() -> None:
            for name, kind in (("Domain", "DOMAIN"), ("Flow", "FLOW")):
                modifier = bpy.data.objects[name].modifiers.new("Fluid", "FLUID")
                modifier.fluid_type = kind
                if kind == "DOMAIN":
                    settings = modifier.domain_settings
                    settings.domain_type, settings.resolution_max, settings.cache_type = "GAS", 8, "REPLAY"
                    settings.cache_directory = cache

        self.apply(cube("Domain"), cube("Flow", transform={"scale": xyz(0.3, 0.3, 0.3)}))
        self.on_main(simulated)
        self.call("file.save", path="fluid.blend")
        for link in (False, True):
            self.on_main(harness._empty)
            shutil.rmtree(cache, ignore_errors=True)
            made = self.call("file.append", path="fluid.blend", link=link)
            self.assertEqual([os.path.basename(path) for path in made["missing"]], ["cache"])
            self.on_main(lambda: bpy.context.scene.frame_set(2))
            self.assertFalse(os.path.exists(cache))

    def test_names_of_appended_data_are_those_that_stay(self) -> None:
        def nested() -> None:
            with bpy.data.libraries.load(os.path.join(harness.outside, "lib.blend"), link=True) as (found, wanted):
                wanted.meshes = list(found.meshes)
            mine = bpy.data.objects.new("Mine", wanted.meshes[0])
            bpy.context.scene.collection.objects.link(mine)

        self.apply(cube("Part"))
        self.call("file.save", path="lib.blend")
        shutil.move(written("lib.blend"), os.path.join(harness.outside, "lib.blend"))
        self.on_main(harness._empty)
        self.apply(cube("Own"))
        self.on_main(nested)
        self.call("file.save", path="main.blend")
        self.on_main(harness._empty)
        made = self.call("file.append", path="main.blend")
        self.assertEqual(made["names"], self.names())
        self.assertEqual(made["names"], made["changes"]["created"])
        self.assertEqual([os.path.basename(path) for path in made["missing"]], ["lib.blend"])

    def test_an_image_is_the_base_colour_of_a_material(self) -> None:
        self.picture()
        preview = {"width": 16, "height": 16, "samples": 1, "view": "front"}
        light = {"world": {"color": {"r": 1, "g": 1, "b": 1}, "strength": 1}}
        plain = self.apply(cube("A", material={"color": {"r": 1, "g": 0, "b": 0}}), light, preview=preview)["preview"][
            "after"
        ]
        step = {"material": {"object": "A", "image": "picture.png"}}
        painted = self.apply(step, preview=preview)
        self.assertEqual(painted["changes"]["changed"], [{"name": "A", "aspects": ["material"]}])
        self.assertNotEqual(painted["preview"]["after"], plain)
        with open(written("text.png"), "w", encoding="utf-8") as file:
            file.write("no image")
        shutil.move(written("picture.png"), os.path.join(harness.outside, "picture.png"))
        digest = self.digest()
        for path, code in (
            ("../outside/picture.png", "PERMISSION_DENIED"),
            ("a.py", "INVALID_VALUE"),
            ("missing.png", "RESOURCE_NOT_FOUND"),
            ("text.png", "OPERATION_FAILED"),
        ):
            step = {"material": {"object": "A", "image": path}}
            self.assertEqual(self.fails(code, "steps.apply", steps=[step]).data["path"][-1], "image")
        both = {"material": {"object": "A", "image": "picture.png", "color": {"r": 1, "g": 0, "b": 0}}}
        self.fails("VALIDATION_ERROR", "steps.apply", steps=[both])
        self.assertEqual(self.digest(), digest)


class Render(SceneTest):
    def setUp(self) -> None:
        super().setUp()
        empty()
        self.addCleanup(empty)

    def test_frames_are_written_as_the_settings_say_and_the_scene_is_as_it_was(self) -> None:
        def outputs() -> None:
            bpy.context.scene.use_nodes = True
            node = bpy.context.scene.node_tree.nodes.new("CompositorNodeOutputFile")
            node.base_path = harness.outside
            layers = bpy.context.scene.node_tree.nodes["Render Layers"]
            bpy.context.scene.node_tree.links.new(layers.outputs[0], node.inputs[0])

        self.apply(CYCLES, CAMERA)
        self.on_main(outputs)
        before, digest = set(os.listdir(harness.outside)), self.digest()
        dirty = self.call("scene.read", fields=["isDirty", "frame"])
        paths = self.call("render.frames", path="turn.png", frame=3, lastFrame=4, overwrite=True)["files"]
        self.assertEqual(paths, [written("turn0003.png"), written("turn0004.png")])
        for path in paths:
            with open(path, "rb") as file:
                self.assertEqual(struct.unpack(">II", file.read(24)[16:]), (16, 16))
        self.assertEqual(set(os.listdir(harness.outside)), before)
        self.assertEqual((self.call("scene.read", fields=["isDirty", "frame"]), self.digest()), (dirty, digest))
        self.assertEqual([name for name in os.listdir(harness.root) if name.startswith(".zain-")], [])
        for path in ("a.jpg", "a.exr"):
            self.call("render.frames", path=path, overwrite=True)

    def test_a_cancelled_render_ends_and_keeps_the_frames_that_are_whole(self) -> None:
        os.mkdir(written("many"))
        self.apply(CYCLES, CAMERA)
        sent = self.client.send("render.frames", {"path": "many/f.png", "frame": 1, "lastFrame": 10_000})
        with harness.connect() as other:
            eventually(lambda: (other.call("health")["running"] or {}).get("done", 0) > 0)
        self.assertTrue(self.client.call("cancel", id=sent)["cancelled"])
        with self.assertRaises(Failure) as caught:
            self.client.wait(sent)
        self.assertIn("cancelled", str(caught.exception))
        frames = sorted(os.listdir(written("many")))
        self.assertEqual(frames, [f"f{number + 1:04}.png" for number in range(len(frames))])
        self.assertLess(len(frames), 10_000)

    def test_a_draft_is_out_of_reach_and_no_link_is_followed_to_its_place(self) -> None:
        os.mkdir(written("many"))
        os.mkdir(written("other"))
        self.apply(CYCLES, CAMERA)
        sent = self.client.send("render.frames", {"path": "many/f.png", "frame": 1, "lastFrame": 10_000})
        with harness.connect() as other:
            eventually(lambda: (other.call("health")["running"] or {}).get("done", 0) > 0)
        hidden = [name for place in ("", "many") for name in os.listdir(written(place)) if name.startswith(".")]
        before = os.listdir(harness.outside)
        os.rename(written("many"), written("moved"))
        os.symlink(harness.outside, written("many"))
        with self.assertRaises(Failure):
            self.client.wait(sent)
        self.assertEqual((hidden, os.listdir(harness.outside)), ([], before))

    def test_a_draft_on_another_device_is_copied_to_its_place(self) -> None:
        def differ(*_: object, **options: object) -> None:
            if "src_dir_fd" not in options:
                raise OSError(errno.EXDEV, "another device")
            replace(*_, **options)

        replace, os.replace = os.replace, differ
        self.addCleanup(setattr, os, "replace", replace)
        self.apply(CYCLES, CAMERA)
        self.call("render.frames", path="a.png")
        self.assertEqual(os.listdir(harness.root), ["a.png"])

    def test_drafts_of_a_killed_blender_are_removed(self) -> None:
        directory = os.path.join(recovery.private_directory(), "draft-old")
        os.makedirs(directory, exist_ok=True)
        os.utime(directory, (0, 0))
        self.apply(cube("A"))
        self.call("file.export", path="a.stl")
        self.assertFalse(os.path.exists(directory))

    def test_a_frame_names_no_file_in_its_metadata(self) -> None:
        self.apply(CYCLES, CAMERA)
        content = read(self.call("render.frames", path="a.png")["files"][0])
        self.assertNotIn(b".blend", content)
        self.assertNotIn(b"tEXtDate", content)

    def test_a_render_that_is_too_long_or_that_cannot_be_is_refused_by_name(self) -> None:
        self.apply(CAMERA, {"render": {"engine": "eevee"}})
        self.assertIn("EEVEE", str(self.fails("OPERATION_UNSUPPORTED", "render.frames", path="x.png")))
        self.apply({"render": {"engine": "cycles", "width": 16, "height": 16, "samples": 1}})
        self.fails("OPERATION_TIMEOUT", "render.frames", path="x.png", timeoutMs=1)
        self.fails("INVALID_VALUE", "render.frames", path="x.png", frame=2, lastFrame=1)
        self.fails("INVALID_VALUE", "render.frames", path="x.gif")
        if not denoising.is_there():
            for method, params in (("render.frames", {"path": "x.png"}), ("preview.render", {})):
                failure = self.fails("OPERATION_UNSUPPORTED", method, denoise=True, **params)
                self.assertIn("OpenImageDenoise", str(failure))
        self.fails("OPERATION_UNSUPPORTED", "preview.render", view="viewport")
        self.apply({"delete": {"objects": ["Camera"]}})
        self.fails("RESOURCE_NOT_FOUND", "render.frames", path="x.png")
        self.assertFalse(os.path.exists(written("x.png")))
