# SPDX-License-Identifier: MIT
from __future__ import annotations

import bpy

from zain_bridge import fingerprints, objects, scene

from .harness import SceneTest, cube, xyz


class Scene(SceneTest):
    def test_reads_every_field_of_a_scene(self) -> None:
        self.apply(cube("A", material={"name": "M", "color": {"r": 1, "g": 0, "b": 0}}), cube("B"))
        self.apply({"light": {"name": "L"}}, {"camera": {"name": "C"}}, {"select": {"objects": ["B"]}})
        read = self.call("scene.read", fields=list(scene.FIELDS))
        self.assertEqual(list(read), list(scene.FIELDS))
        self.assertEqual(read["objectCount"], 4)
        self.assertEqual(read["counts"], {"mesh": 2, "light": 1, "camera": 1, "empty": 0, "other": 0})
        self.assertEqual((read["activeObject"], read["activeCamera"], read["selected"]), ("B", "C", ["B"]))
        self.assertEqual((read["materials"], read["viewport"], read["unit"]), (["M"], None, "METERS"))
        self.assertRegex(read["digest"], "^[0-9a-f]{32}$")

    def test_reads_the_same_of_objects_by_name_as_of_all(self) -> None:
        self.apply(
            cube("A", transform={"location": xyz(1, 2, 3), "rotationEuler": xyz(0.1, 0.2, 0.3)}),
            cube("B"),
            {"create": {"primitive": "empty", "name": "E"}},
            {"parent": {"object": "B", "parent": "A"}},
            {"modifier": {"object": "A", "type": "SUBSURF"}},
            {"select": {"objects": ["B"]}},
        )
        fields = list(objects.FIELDS)
        everything = self.call("object.read", fields=fields)["objects"]
        self.assertEqual([entry["name"] for entry in everything], ["A", "B", "E"])
        self.assertEqual(self.call("object.read", fields=fields, names=["A", "B", "E"])["objects"], everything)
        self.assertEqual(self.call("object.read", fields=fields, offset=1, limit=1)["objects"], everything[1:2])
        self.assertEqual(self.call("object.read", fields=fields, selected=True)["objects"], everything[1:2])
        self.assertEqual(self.call("object.read", fields=fields, offset=5)["objects"], [])
        self.assertEqual(everything[0]["children"], ["B"])
        self.assertEqual(everything[1]["parent"], "A")
        self.assertEqual(everything[0]["modifiers"], [{"name": "Subsurf", "type": "SUBSURF"}])
        self.assertEqual((everything[1]["selected"], everything[0]["selected"]), (True, False))
        self.assertIsNone(everything[2]["boundingBox"])

    def test_reads_what_steps_set(self) -> None:
        red = {"r": 1, "g": 0, "b": 0.25, "a": 0.5}
        self.apply(
            cube("A", material={"name": "M", "color": red, "metallic": 0.5, "roughness": 0.25, "emissionStrength": 2}),
            {
                "modifier": {
                    "object": "A",
                    "type": "BEVEL",
                    "settings": {"width": 0.5, "segments": 3, "limit_method": "NONE"},
                }
            },
            {"light": {"name": "L", "type": "sun", "energy": 5, "color": {"r": 0, "g": 1, "b": 0}, "size": 0.5}},
            {"camera": {"name": "C", "lens": 85}},
            {"world": {"color": {"r": 0, "g": 0, "b": 1}, "strength": 2}},
            {"render": {"engine": "cycles", "width": 640, "height": 480, "samples": 16}},
        )
        fields = ["name", "light", "camera", "modifierSettings"]
        shape, light, camera = self.call("object.read", fields=fields)["objects"]
        self.assertEqual(
            light["light"], {"type": "SUN", "energy": 5, "color": {"r": 0, "g": 1, "b": 0, "a": 1}, "size": 0.5}
        )
        self.assertEqual((camera["camera"], shape["camera"], shape["light"]), ({"lens": 85}, None, None))
        (settings,) = shape["modifierSettings"]
        self.assertEqual((settings["width"], settings["segments"], settings["limit_method"]), (0.5, 3, "NONE"))
        for name, value in settings.items():
            with self.subTest(name):  # each can be given back
                self.apply({"modifier": {"object": "A", "name": "Bevel", "settings": {name: value}}})
        read = self.call("scene.read", fields=["objects", "materialValues", "world", "render"])
        self.assertEqual(read["objects"], ["A", "L", "C"])
        (material,) = read["materialValues"]
        self.assertEqual((material["name"], material["color"], material["emissionStrength"]), ("M", red, 2))
        self.assertEqual((material["metallic"], material["roughness"]), (0.5, 0.25))
        self.assertEqual(read["world"], {"color": {"r": 0, "g": 0, "b": 1, "a": 1}, "strength": 2})
        self.assertEqual(read["render"], {"width": 640, "height": 480, "samples": 16})

    def test_reads_null_for_what_a_texture_decides(self) -> None:
        self.apply(cube("A", material={"name": "M", "color": {"r": 1, "g": 0, "b": 0}}))

        def textured() -> None:
            tree = bpy.data.materials["M"].node_tree
            shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
            tree.links.new(tree.nodes.new("ShaderNodeTexNoise").outputs["Color"], shader.inputs["Base Color"])

        self.on_main(textured)
        (material,) = self.call("scene.read", fields=["materialValues"])["materialValues"]
        self.assertEqual((material["color"], material["metallic"]), (None, 0))

    def test_finds_objects_by_type_and_by_a_part_of_the_name(self) -> None:
        self.apply(cube("Chair"), cube("Table"), {"light": {"name": "chair light"}}, {"select": {"objects": ["Chair"]}})

        def names(**params: object) -> list:
            return [entry["name"] for entry in self.call("object.read", fields=["name"], **params)["objects"]]

        self.assertEqual(names(type="mesh"), ["Chair", "Table"])
        self.assertEqual(names(name="CHAIR"), ["Chair", "chair light"])
        self.assertEqual(names(name="chair", type="LIGHT"), ["chair light"])
        self.assertEqual(names(name="a", offset=1, limit=1), ["Table"])
        self.assertEqual(names(selected=True, name="table"), [])
        self.fails("VALIDATION_ERROR", "object.read", fields=["name"], names=["Chair"], type="MESH")

    def test_reads_rotations_of_objects_that_keep_quaternions(self) -> None:
        self.apply(cube("A"))

        def quaternion() -> None:
            bpy.data.objects["A"].rotation_mode = "QUATERNION"

        self.on_main(quaternion)
        self.apply({"transform": {"object": "A", "rotationEuler": xyz(0, 0, 1)}})
        for params in ({"names": ["A"]}, {}):
            (read,) = self.call("object.read", fields=["rotationEuler"], **params)["objects"]
            self.assertAlmostEqual(read["rotationEuler"]["z"], 1, 5)

    def test_the_object_count_alone_walks_nothing(self) -> None:
        def walked(*_: object) -> None:
            raise AssertionError("the scene was walked")

        kept = scene.changes.snapshot
        scene.changes.snapshot = walked
        try:
            self.assertEqual(self.call("scene.read", fields=["objectCount"]), {"objectCount": 0})
        finally:
            scene.changes.snapshot = kept

    def test_an_object_in_several_collections_or_in_none_that_is_shown_counts_once(self) -> None:
        def link() -> None:
            inner, hidden = (bpy.data.collections.new(name) for name in ("Inner", "Hidden"))
            for collection in (inner, hidden):
                bpy.context.scene.collection.children.link(collection)
                collection.objects.link(bpy.data.objects["A"])
            hidden.objects.link(bpy.data.objects.new("B", None))
            bpy.context.view_layer.layer_collection.children["Hidden"].exclude = True

        self.apply(cube("A"))
        self.on_main(link)
        self.assertEqual(self.call("scene.read", fields=["objectCount"]), {"objectCount": 2})
        self.assertEqual(self.on_main(lambda: len(bpy.context.scene.objects)), 2)

    def test_a_change_within_a_mesh_and_a_material_changes_the_digest(self) -> None:
        self.apply(cube("A", material={"name": "M", "color": {"r": 1, "g": 0, "b": 0}}))
        digests = [self.digest()]

        def vertex() -> None:
            bpy.data.objects["A"].data.vertices[0].co.x += 1

        def ramp() -> None:
            nodes = bpy.data.materials["M"].node_tree.nodes
            nodes.new("ShaderNodeValToRGB")

        def element() -> None:
            nodes = bpy.data.materials["M"].node_tree.nodes
            nodes["ColorRamp"].color_ramp.elements[0].color = (1, 0, 0, 1)

        def group() -> None:
            tree = bpy.data.node_groups.new("G", "GeometryNodeTree")
            bpy.data.objects["A"].modifiers.new("N", "NODES").node_group = tree

        def input() -> None:
            bpy.data.objects["A"].modifiers["N"]["Input_1"] = 0.5

        def node() -> None:
            bpy.data.node_groups["G"].nodes.new("GeometryNodeMeshCube")

        def hidden() -> None:
            bpy.data.objects["A"].hide_viewport = True

        for change in (vertex, ramp, element, group, input, node, hidden):
            self.on_main(change)
            self.assertNotIn(self.digest(), digests)
            digests.append(self.digest())

    def test_a_digest_computes_anew_only_what_changed(self) -> None:
        self.apply(*[cube(f"C{index}") for index in range(5)])
        self.digest()
        computed: list[str] = []
        kept = fingerprints.mesh
        fingerprints.mesh = lambda data: (computed.append(data.name), kept(data))[1]
        try:
            self.apply({"transform": {"object": "C1", "location": xyz(1, 0, 0)}})
            self.assertEqual(computed, [])

            def move() -> None:
                bpy.data.objects["C3"].data.vertices[0].co.x += 1

            self.on_main(move)
            self.digest()
            self.assertEqual(computed, ["C3"])
        finally:
            fingerprints.mesh = kept

    def test_refuses_unknown_fields_with_near_names_and_the_path(self) -> None:
        error = self.fails("INVALID_VALUE", "scene.read", fields=["objectcount"])
        self.assertEqual(
            (error.code, error.data["path"], error.data["suggestions"][0]), (-32602, ["fields", 0], "objectCount")
        )
        self.assertIn("fields.0", error.error["message"])
        self.fails("MISSING_FIELD", "object.read")
        self.fails("VALIDATION_ERROR", "object.read", fields=["name"], names=["A"], selected=True)
