# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import math

from zain_bridge.step_shapes import GEOMETRY

from .harness import SceneTest, connect, cube, xyz


class Steps(SceneTest):
    def test_creates_moves_and_deletes_objects_with_japanese_names_and_names_exactly_these_in_changes(self) -> None:
        made = self.apply(cube("赤い箱"), cube("床"))
        self.assertEqual(made["outcomes"], [{"names": ["赤い箱"]}, {"names": ["床"]}])
        self.assertEqual(made["changes"], {"created": ["赤い箱", "床"], "changed": [], "deleted": []})
        moved = self.apply({"transform": {"object": "赤い箱", "location": xyz(1, 2, 3)}})
        self.assertEqual(
            moved["changes"], {"created": [], "changed": [{"name": "赤い箱", "aspects": ["transform"]}], "deleted": []}
        )
        read = self.call("object.read", names=["赤い箱", "無い"], fields=["name", "location"])
        self.assertEqual(read["objects"], [{"name": "赤い箱", "location": xyz(1, 2, 3)}, None])
        gone = self.apply({"delete": {"objects": ["赤い箱"]}})
        self.assertEqual(gone["changes"], {"created": [], "changed": [], "deleted": ["赤い箱"]})
        self.assertEqual(self.names(), ["床"])

    def test_makes_every_primitive_in_the_size_that_was_asked_for(self) -> None:
        sizes = {
            "cube": ({"size": 3}, (3, 3, 3)),
            "sphere": ({"radius": 2, "segments": 16, "rings": 8}, (4, 4, 4)),
            "icosphere": ({"radius": 2, "segments": 3}, (4, 4, 4)),
            "cylinder": ({"radius": 1, "depth": 5}, (2, 2, 5)),
            "cone": ({"radius": 1, "depth": 5}, (2, 2, 5)),
            "torus": ({"radius": 2, "minorRadius": 0.5}, (5, 5, 1)),
            "plane": ({"size": 4}, (4, 4, 0)),
            "circle": ({"radius": 3}, (6, 6, 0)),
            "grid": ({"size": 4, "segments": 4}, (4, 4, 0)),
            "monkey": ({"size": 2}, (2.73, 1.70, 1.97)),
            "empty": ({"size": 1}, (0, 0, 0)),
            "text": ({"text": "字", "size": 1}, None),
        }
        self.assertEqual(set(sizes), set(GEOMETRY))
        steps = [{"create": {"primitive": kind, "name": kind, "geometry": g}} for kind, (g, _) in sizes.items()]
        self.apply(*steps)
        read = self.call("object.read", names=list(sizes), fields=["name", "dimensions", "vertices", "edges", "faces"])
        found = {entry["name"]: entry for entry in read["objects"]}
        for kind, (_, expected) in sizes.items():
            if expected is not None:
                for axis, size in zip("xyz", expected):
                    self.assertAlmostEqual(found[kind]["dimensions"][axis], size, delta=0.11 + size * 0.01, msg=kind)
        self.assertEqual([found["cube"][name] for name in ("vertices", "edges", "faces")], [8, 12, 6])
        self.assertEqual(found["grid"]["faces"], 16)
        self.assertEqual(found["plane"]["faces"], 1)
        self.assertEqual(found["sphere"]["vertices"], 16 * 7 + 2)
        self.assertEqual(found["torus"]["faces"], 48 * 12)
        self.assertIsNone(found["empty"]["vertices"])

    def test_gives_a_taken_name_a_suffix_and_reports_the_real_one(self) -> None:
        made = self.apply(cube("A"), cube("A"))
        self.assertEqual(made["outcomes"][1], {"names": ["A.001"]})

    def test_transforms_relative_to_what_was(self) -> None:
        self.apply(cube("A", transform={"location": xyz(1, 0, 0), "scale": xyz(2, 2, 2)}))
        self.apply(
            {
                "transform": {
                    "object": "A",
                    "relative": True,
                    "location": xyz(1, 1, 0),
                    "rotationEuler": xyz(0, 0, math.pi / 2),
                    "scale": xyz(0.5, 1, 1),
                }
            }
        )
        fields = ["location", "rotationEuler", "scale", "boundingBox"]
        (read,) = self.call("object.read", names=["A"], fields=fields)["objects"]
        self.assertEqual(read["location"], xyz(2, 1, 0))
        self.assertAlmostEqual(read["rotationEuler"]["z"], math.pi / 2, 5)
        self.assertEqual(read["scale"], xyz(1, 2, 2))
        self.assertAlmostEqual(read["boundingBox"]["min"]["x"], 0, 4)
        self.assertAlmostEqual(read["boundingBox"]["max"]["y"], 2, 4)

    def test_a_failing_step_undoes_the_steps_before_it(self) -> None:
        self.apply(cube("A"), {"material": {"object": "A", "color": {"r": 1, "g": 0, "b": 0}}})
        before = self.digest()
        error = self.fails(
            "OBJECT_NOT_FOUND",
            "steps.apply",
            steps=[
                cube("B"),
                {"transform": {"object": "A", "location": xyz(9, 9, 9)}},
                {"material": {"object": "A", "color": {"r": 0, "g": 1, "b": 0}}},
                {"light": {"name": "L"}},
                {"world": {"color": {"r": 1, "g": 1, "b": 1}}},
                {"modifier": {"object": "A", "type": "SUBSURF"}},
                {"delete": {"objects": ["Aa"]}},
            ],
        )
        self.assertEqual(error.data["path"], ["steps", 6, "delete", "objects", 0])
        self.assertEqual(error.data["suggestions"], ["A"])
        self.assertEqual(self.digest(), before)
        self.assertEqual(self.names(), ["A"])
        self.assertEqual(self.call("redo")["done"], False)

    def test_every_step_changes_the_digest_and_an_undo_brings_it_back(self) -> None:
        self.apply(cube("A"), cube("B"))
        steps: list[dict] = [
            cube("C"),
            {"transform": {"object": "A", "rotationEuler": xyz(0, 0, 2 * math.pi)}},
            {"material": {"object": "A", "name": "Red", "color": {"r": 1, "g": 0, "b": 0}, "roughness": 0.2}},
            {"material": {"object": "A", "emission": {"r": 0, "g": 1, "b": 0}, "emissionStrength": 4}},
            {"duplicate": {"object": "A", "count": 3, "offset": xyz(3, 0, 0)}},
            {"parent": {"object": "A", "parent": "B"}},
            {"modifier": {"object": "A", "type": "BEVEL", "settings": {"width": 0.3, "segments": 3}}},
            {"light": {"name": "Sun", "type": "sun", "energy": 2}},
            {"camera": {"name": "Cam", "transform": {"location": xyz(0, -8, 2)}, "lookAt": "A", "lens": 35}},
            {"world": {"color": {"r": 0.1, "g": 0.2, "b": 0.3}, "strength": 2}},
            {"delete": {"objects": ["B"]}},
        ]
        for step in steps:
            with self.subTest(step=step):
                before = self.digest()
                after = self.apply(step)["digest"]
                self.assertNotEqual(after, before)
                self.assertEqual(self.digest(), after)
                undone = self.call("undo")
                self.assertEqual((undone["done"], undone["digest"]), (True, before))
                redone = self.call("redo")
                self.assertEqual((redone["done"], redone["digest"]), (True, after))

    def test_lists_the_aspects_that_each_step_changes(self) -> None:
        self.apply(cube("A"), cube("B", transform={"location": xyz(5, 0, 0)}))
        expected = [
            ({"material": {"object": "A", "color": {"r": 1, "g": 0, "b": 0}}}, ["material"]),
            ({"parent": {"object": "A", "parent": "B"}}, ["parent"]),
            ({"modifier": {"object": "A", "type": "SUBSURF"}}, ["modifiers"]),
            ({"select": {"objects": ["A"]}}, ["selection"]),
        ]
        for step, aspects in expected:
            changes = self.apply(step)["changes"]
            self.assertEqual(changes, {"created": [], "changed": [{"name": "A", "aspects": aspects}], "deleted": []})
        changes = self.apply({"delete": {"objects": ["B"]}})["changes"]
        self.assertEqual(changes["deleted"], ["B"])
        self.assertEqual([entry["name"] for entry in changes["changed"]], ["A"])

    def test_keeps_the_place_of_a_child_when_it_is_parented_and_when_its_parent_is_deleted(self) -> None:
        self.apply(
            cube("P", transform={"location": xyz(5, 0, 0), "rotationEuler": xyz(0, 0, 1), "scale": xyz(2, 2, 2)}),
            cube("C", transform={"location": xyz(1, 2, 3)}),
        )
        for step, x in (
            ({"parent": {"object": "C", "parent": "P"}}, 0),
            ({"transform": {"object": "P", "relative": True, "location": xyz(10, 0, 0)}}, 10),
            ({"delete": {"objects": ["P"]}}, 10),
        ):
            self.apply(step)
            (read,) = self.call("object.read", names=["C"], fields=["boundingBox", "parent"])["objects"]
            for axis, low in zip("xyz", (x, 1, 2)):
                self.assertAlmostEqual(read["boundingBox"]["min"][axis], low, 4)
        self.assertIsNone(read["parent"])

    def test_refuses_a_parent_that_is_a_descendant(self) -> None:
        self.apply(cube("A"), cube("B"), {"parent": {"object": "B", "parent": "A"}})
        self.fails("INVALID_VALUE", "steps.apply", steps=[{"parent": {"object": "A", "parent": "B"}}])

    def test_a_dry_run_reports_the_changes_and_changes_nothing(self) -> None:
        before = self.digest()
        dry = self.apply(cube("A"), dryRun=True)
        self.assertEqual(dry["changes"]["created"], ["A"])
        self.assertEqual(dry["digest"], before)
        self.assertEqual(self.digest(), before)
        self.assertEqual(self.call("redo")["done"], False)

    def test_a_time_limit_undoes_all_steps(self) -> None:
        before = self.digest()
        steps = [{"create": {"primitive": "grid", "geometry": {"segments": 100}}}] * 100
        error = self.fails("OPERATION_TIMEOUT", "steps.apply", steps=steps, timeoutMs=1)
        self.assertEqual(error.data["path"][0], "steps")
        self.assertEqual(self.digest(), before)

    def test_names_what_is_near_for_modifiers_materials_and_settings(self) -> None:
        self.apply(cube("A"), {"material": {"object": "A", "name": "Wood", "color": {"r": 1, "g": 0, "b": 0}}})
        cases = [
            ("INVALID_VALUE", {"modifier": {"object": "A", "type": "SUBSURFACE"}}, "SUBSURF"),
            ("INVALID_VALUE", {"modifier": {"object": "A", "type": "BEVEL", "settings": {"segment": 2}}}, "segments"),
            ("MATERIAL_NOT_FOUND", {"material": {"object": "A", "name": "Wod"}}, "Wood"),
        ]
        for code, step, suggestion in cases:
            self.assertIn(suggestion, self.fails(code, "steps.apply", steps=[step]).data["suggestions"])
        self.fails(
            "MODIFIER_NOT_FOUND", "steps.apply", steps=[{"modifier": {"object": "A", "name": "X", "remove": True}}]
        )
        self.fails(
            "PERMISSION_DENIED",
            "steps.apply",
            steps=[{"modifier": {"object": "A", "type": "MESH_CACHE", "settings": {"filepath": "/etc/passwd"}}}],
        )
        for value in (10**400, 2**40, -(2**70)):
            large = {"object": "A", "type": "BEVEL", "settings": {"segments": value}}
            self.fails("INVALID_VALUE", "steps.apply", steps=[{"modifier": large}])
        domain = {"object": "A", "type": "FLUID", "settings": {"fluid_type": "DOMAIN"}}
        self.fails("PERMISSION_DENIED", "steps.apply", steps=[{"modifier": domain}])
        self.apply({"modifier": {**domain, "settings": {"fluid_type": "FLOW"}}})

    def test_a_shared_material_of_another_object_stays_as_it_was(self) -> None:
        self.apply(cube("A"), {"material": {"object": "A", "color": {"r": 1, "g": 0, "b": 0}}})
        self.apply({"duplicate": {"object": "A", "name": "B"}})
        changes = self.apply({"material": {"object": "B", "color": {"r": 0, "g": 1, "b": 0}}})["changes"]
        self.assertEqual([entry["name"] for entry in changes["changed"]], ["B"])

    def test_changes_the_light_and_the_camera_of_a_name_instead_of_making_others(self) -> None:
        self.apply({"light": {"name": "L", "type": "point"}}, {"camera": {"name": "C"}})
        changes = self.apply(
            {"light": {"name": "L", "type": "area", "size": 2, "color": {"r": 1, "g": 0, "b": 0}}},
            {"camera": {"name": "C", "lens": 85}},
        )["changes"]
        self.assertEqual(changes["created"], [])
        self.assertEqual([entry["name"] for entry in changes["changed"]], ["L", "C"])
        self.assertEqual(self.call("scene.read", fields=["activeCamera"])["activeCamera"], "C")

    def test_50_creates_at_once_over_10_connections_make_50_objects(self) -> None:
        clients = [connect() for _ in range(10)]
        ids = [
            (client, client.send("steps.apply", {"steps": [cube(f"N{index}")]}))
            for client in clients
            for index in range(5)
        ]
        results = [client.wait(id) for client, id in ids]
        made = {name for result in results for outcome in result["outcomes"] for name in outcome["names"]}
        self.assertEqual(len(made), 50)
        self.assertEqual(set(self.names()), made)
        for client in clients:
            client.close()

    def test_render_settings_are_undone_too(self) -> None:
        self.apply({"render": {"engine": "cycles", "width": 640, "height": 360, "samples": 7}})
        self.assertEqual(self.call("scene.read", fields=["engine"])["engine"], "CYCLES")
        self.assertTrue(self.call("undo")["done"])
        self.assertNotEqual(self.call("scene.read", fields=["engine"])["engine"], "CYCLES")

    def test_results_are_plain_json(self) -> None:
        json.dumps(self.apply(cube("A"), preview={"width": 16, "height": 16, "samples": 1}), allow_nan=False)
