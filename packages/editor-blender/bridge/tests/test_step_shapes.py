# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from zain_bridge.params import ParamsError, near
from zain_bridge.step_shapes import APPLY, SHAPES

V = {"x": 1, "y": 2, "z": 3}
RED = {"r": 1, "g": 0, "b": 0}


def apply(*steps: object, **params: object) -> dict:
    return APPLY({"steps": list(steps), **params}, [])


def test_takes_each_step_and_gives_vectors_and_colours_as_tuples() -> None:
    checked = apply(
        {
            "create": {
                "primitive": "cube",
                "transform": {"location": V},
                "geometry": {"size": 1},
                "material": {"color": RED},
            }
        },
        {"transform": {"object": "A", "rotationEuler": V}},
        {"material": {"object": "A", "color": {**RED, "a": 0.5}}},
        {"delete": {"objects": ["A"]}},
        {"duplicate": {"object": "A", "count": 2.0}},
        {"select": {"objects": []}},
        {"parent": {"object": "A", "parent": None}},
        {
            "modifier": {
                "object": "A",
                "type": "ARRAY",
                "settings": {"count": 3, "use": True, "offset": [1, 0, 0], "o": None},
            }
        },
        {"light": {}},
        {"camera": {"lookAt": V}},
        {"world": {"color": RED}},
        {"render": {"engine": "cycles"}},
        preview={"width": 16, "view": "top"},
    )
    assert [kind for kind, _ in checked["steps"]] == list(
        dict.fromkeys(["create", "transform", "material", "delete", "duplicate", "select", "parent", "modifier"])
    ) + ["light", "camera", "world", "render"]
    assert {kind for kind, _ in checked["steps"]} == set(SHAPES)
    assert checked["steps"][0][1]["transform"]["location"] == (1, 2, 3)
    assert checked["steps"][0][1]["material"]["color"] == (1, 0, 0, 1)
    assert checked["steps"][2][1]["color"] == (1, 0, 0, 0.5)
    assert checked["steps"][4][1]["count"] == 2
    assert checked["steps"][6][1]["parent"] is None
    assert checked["steps"][9][1]["lookAt"] == (1, 2, 3)


@pytest.mark.parametrize(
    ("code", "path", "step"),
    [
        ("VALIDATION_ERROR", [], {}),
        ("VALIDATION_ERROR", [], {"delete": {"objects": ["A"]}, "world": {}}),
        ("VALIDATION_ERROR", [], "cube"),
        ("INVALID_VALUE", ["creat"], {"creat": {}}),
        ("MISSING_FIELD", ["create", "primitive"], {"create": {}}),
        ("INVALID_VALUE", ["create", "primitive"], {"create": {"primitive": "cub"}}),
        ("INVALID_INPUT", ["create"], {"create": {"primitive": "cube", "colour": RED}}),
        ("INVALID_INPUT", ["create", "name"], {"create": {"primitive": "cube", "name": 1}}),
        ("INVALID_VALUE", ["create", "name"], {"create": {"primitive": "cube", "name": ""}}),
        ("INVALID_VALUE", ["create", "name"], {"create": {"primitive": "cube", "name": "a\0b"}}),
        ("INVALID_VALUE", ["create", "name"], {"create": {"primitive": "cube", "name": "\ud800"}}),
        (
            "VALIDATION_ERROR",
            ["create", "geometry", "radius"],
            {"create": {"primitive": "cube", "geometry": {"radius": 1}}},
        ),
        ("INVALID_INPUT", ["create", "geometry"], {"create": {"primitive": "cube", "geometry": {"siz": 1}}}),
        ("INVALID_VALUE", ["create", "geometry", "size"], {"create": {"primitive": "cube", "geometry": {"size": 0}}}),
        ("MISSING_FIELD", ["transform", "location", "z"], {"transform": {"object": "A", "location": {"x": 1, "y": 1}}}),
        ("INVALID_INPUT", ["transform", "location"], {"transform": {"object": "A", "location": [1, 2, 3]}}),
        ("INVALID_VALUE", ["transform", "scale", "x"], {"transform": {"object": "A", "scale": {**V, "x": 1e308}}}),
        (
            "INVALID_VALUE",
            ["transform", "scale", "x"],
            {"transform": {"object": "A", "scale": {**V, "x": float("inf")}}},
        ),
        ("INVALID_VALUE", ["material", "color", "r"], {"material": {"object": "A", "color": {**RED, "r": 255}}}),
        ("INVALID_VALUE", ["delete", "objects"], {"delete": {"objects": []}}),
        ("INVALID_INPUT", ["delete", "objects", 1], {"delete": {"objects": ["A", 2]}}),
        ("INVALID_INPUT", ["duplicate", "count"], {"duplicate": {"object": "A", "count": 1.5}}),
        ("INVALID_VALUE", ["duplicate", "count"], {"duplicate": {"object": "A", "count": 1001}}),
        ("INVALID_INPUT", ["duplicate", "count"], {"duplicate": {"object": "A", "count": True}}),
        ("MISSING_FIELD", ["parent", "parent"], {"parent": {"object": "A"}}),
        ("MISSING_FIELD", ["modifier", "type"], {"modifier": {"object": "A"}}),
        ("INVALID_INPUT", ["modifier", "settings"], {"modifier": {"object": "A", "type": "X", "settings": []}}),
        ("INVALID_VALUE", ["render", "engine"], {"render": {"engine": "povray"}}),
    ],
)
def test_refuses_a_wrong_step_with_its_code_and_path(code: str, path: list, step: object) -> None:
    with pytest.raises(ParamsError) as caught:
        apply({"world": {}}, step)
    assert (caught.value.code, caught.value.path) == (code, ["steps", 1, *path])
    error = caught.value.to_error()
    assert error["code"] == -32602
    assert error["message"].startswith("steps.1")
    assert error["data"]["path"] == ["steps", 1, *path]


@pytest.mark.parametrize("steps", [[], [{"world": {}}] * 1001, None, {}])
def test_takes_1_to_1000_steps(steps: object) -> None:
    with pytest.raises(ParamsError):
        APPLY({"steps": steps}, [])
    assert len(apply(*[{"world": {}}] * 1000)["steps"]) == 1000


@pytest.mark.parametrize(
    "params", [{"timeoutMs": 0}, {"timeoutMs": 600_001}, {"preview": {"width": 15}}, {"dryRun": 1}]
)
def test_refuses_params_out_of_bounds(params: dict) -> None:
    with pytest.raises(ParamsError):
        apply({"world": {}}, **params)


def test_near_names_ignore_case_and_come_best_first() -> None:
    assert near("cude", ["Sphere", "CUBE", "Cone"])[0] == "CUBE"
    assert near("赤い匣", ["赤い箱", "青い球"])[0] == "赤い箱"
    assert near("zzz", ["Cube"]) == []
