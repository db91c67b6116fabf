# SPDX-License-Identifier: MIT
"""Programs as agents write them, each with the value of its last expression."""

PROGRAMS: dict[str, tuple[str, object]] = {
    "a cube": (
        "import bpy\nbpy.ops.mesh.primitive_cube_add(size=2, location=(1, 2, 3))\n"
        "obj = bpy.context.active_object\nobj.name = 'Box'\nobj.name",
        "Box",
    ),
    "an empty scene": (
        "import bpy\nbpy.ops.object.select_all(action='SELECT')\nbpy.ops.object.delete(use_global=False)\n"
        "for mesh in list(bpy.data.meshes):\n    bpy.data.meshes.remove(mesh)\nlen(bpy.data.objects)",
        0,
    ),
    "a ring of spheres": (
        "import bpy, math\nfrom mathutils import Vector\n"
        "def place(i: int, n: int = 8, r: float = 4.0) -> 'bpy.types.Object':\n"
        "    a = 2 * math.pi * i / n\n"
        "    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=Vector((math.cos(a), math.sin(a), 0)) * r)\n"
        "    return bpy.context.object\n"
        "made = [place(i) for i in range(8)]\n"
        "sum(1 for o in made if abs(o.location.length - 4) < 1e-4)",
        8,
    ),
    "a material's nodes": (
        "import bpy\nmat = bpy.data.materials.new(name='Gold')\nmat.use_nodes = True\n"
        "nodes, links = mat.node_tree.nodes, mat.node_tree.links\nnodes.clear()\n"
        "out = nodes.new('ShaderNodeOutputMaterial')\nbsdf = nodes.new(type='ShaderNodeBsdfPrincipled')\n"
        "bsdf.inputs['Base Color'].default_value = (1.0, 0.77, 0.34, 1.0)\n"
        "bsdf.inputs['Metallic'].default_value = 1.0\nramp = nodes.new('ShaderNodeValToRGB')\n"
        "ramp.color_ramp.elements[0].color = (0, 0, 0, 1)\n"
        "links.new(ramp.outputs['Color'], bsdf.inputs['Base Color'])\n"
        "links.new(bsdf.outputs['BSDF'], out.inputs['Surface'])\n"
        "obj = bpy.context.object\nif obj.data.materials:\n    obj.data.materials[0] = mat\nelse:\n"
        "    obj.data.materials.append(mat)\n[len(nodes), len(links), obj.active_material.name]",
        [3, 2, "Gold"],
    ),
    "a mesh by bmesh": (
        "import bpy\nimport bmesh\nmesh = bpy.data.meshes.new('M')\nobj = bpy.data.objects.new('O', mesh)\n"
        "bpy.context.collection.objects.link(obj)\nbm = bmesh.new()\ntry:\n"
        "    bmesh.ops.create_grid(bm, x_segments=4, y_segments=4, size=1)\n"
        "    for v in bm.verts:\n        v.co.z = v.co.x ** 2\n"
        "    bm.faces.ensure_lookup_table()\n    bmesh.ops.recalc_face_normals(bm, faces=bm.faces)\n"
        "    bm.to_mesh(mesh)\nfinally:\n    bm.free()\nmesh.update()\nlen(mesh.vertices)",
        25,
    ),
    "a mesh by from_pydata": (
        "m = bpy.data.meshes.new('T')\nm.from_pydata([(0,0,0),(1,0,0),(0,1,0)], [], [(0,1,2)])\nm.update()\n"
        "m.validate()\nlen(m.polygons)",
        1,
    ),
    "modifiers": (
        "o = bpy.context.object\nb = o.modifiers.new('Bevel', 'BEVEL')\nb.width = 0.1\nb.segments = 3\n"
        "s = o.modifiers.new(name='Sub', type='SUBSURF')\ns.levels = 2\n"
        "bpy.ops.object.modifier_apply(modifier='Bevel')\n[m.name for m in o.modifiers]",
        ["Sub"],
    ),
    "keyframes": (
        "o = bpy.context.object\nfor f, z in ((1, 0.0), (20, 3.0), (40, 0.0)):\n    o.location.z = z\n"
        "    o.keyframe_insert(data_path='location', index=2, frame=f)\n"
        "for c in o.animation_data.action.fcurves:\n    for k in c.keyframe_points:\n"
        "        k.interpolation = 'BEZIER'\nbpy.context.scene.frame_end = 40\nbpy.context.scene.frame_set(20)\n"
        "round(o.location.z, 3)",
        3.0,
    ),
    "a camera that tracks": (
        "import mathutils\ncam = bpy.data.cameras.new('C')\no = bpy.data.objects.new('C', cam)\n"
        "bpy.context.scene.collection.objects.link(o)\no.location = (5, -5, 4)\n"
        "o.rotation_euler = (mathutils.Vector((0, 0, 0)) - o.location).to_track_quat('-Z', 'Y').to_euler()\n"
        "t = o.constraints.new(type='TRACK_TO')\nt.target = bpy.data.objects['Cube']\ncam.lens = 35\n"
        "bpy.context.scene.camera = o\nbpy.context.scene.camera.name",
        "C",
    ),
    "lights and the world": (
        "l = bpy.data.lights.new('Key', type='AREA')\nl.energy = 500\nl.size = 2\nl.color = (1, 0.9, 0.8)\n"
        "o = bpy.data.objects.new('Key', l)\nbpy.context.collection.objects.link(o)\n"
        "w = bpy.context.scene.world\nw.use_nodes = True\n"
        "w.node_tree.nodes['Background'].inputs[1].default_value = 0.5\no.data.type",
        "AREA",
    ),
    "render settings": (
        "s = bpy.context.scene\ns.render.engine = 'CYCLES'\ns.cycles.samples = 16\ns.render.resolution_x = 640\n"
        "s.render.image_settings.file_format = 'PNG'\ns.render.film_transparent = True\n"
        "s.view_settings.view_transform = 'Standard'\n[s.render.engine, s.cycles.samples]",
        ["CYCLES", 16],
    ),
    "edit mode": (
        "bpy.ops.object.mode_set(mode='EDIT')\nbpy.ops.mesh.select_all(action='SELECT')\n"
        "bpy.ops.mesh.subdivide(number_cuts=2)\nbpy.ops.mesh.bevel(offset=0.05)\n"
        "bpy.ops.object.mode_set(mode='OBJECT')\nbpy.ops.object.shade_smooth()\n"
        "len(bpy.context.object.data.vertices) > 56",
        True,
    ),
    "an extrusion": (
        "import bmesh\nbpy.ops.object.mode_set(mode='EDIT')\nbm = bmesh.from_edit_mesh(bpy.context.object.data)\n"
        "top = max(bm.faces, key=lambda f: f.calc_center_median().z)\n"
        "new = bmesh.ops.extrude_face_region(bm, geom=[top])['geom']\n"
        "bmesh.ops.translate(bm, vec=(0, 0, 1), verts=[v for v in new if isinstance(v, bmesh.types.BMVert)])\n"
        "bmesh.update_edit_mesh(bpy.context.object.data)\nbpy.ops.object.mode_set(mode='OBJECT')\n"
        "round(max(v.co.z for v in bpy.context.object.data.vertices), 3)",
        2.0,
    ),
    "a curve": (
        "c = bpy.data.curves.new('P', 'CURVE')\nc.dimensions = '3D'\nc.bevel_depth = 0.1\nc.use_path = True\n"
        "s = c.splines.new('BEZIER')\ns.bezier_points.add(2)\n"
        "for i, p in enumerate(s.bezier_points):\n    p.co = (i, i % 2, 0)\n"
        "    p.handle_left_type = p.handle_right_type = 'AUTO'\n"
        "bpy.context.collection.objects.link(bpy.data.objects.new('P', c))\nlen(s.bezier_points)",
        3,
    ),
    "text": (
        "bpy.ops.object.text_add()\nt = bpy.context.object\nt.data.body = 'Zain 椅子'\nt.data.extrude = 0.1\n"
        "t.data.align_x = 'CENTER'\nt.data.body",
        "Zain 椅子",
    ),
    "collections and parents": (
        "c = bpy.data.collections.new('Set')\nbpy.context.scene.collection.children.link(c)\n"
        "e = bpy.data.objects.new('Root', None)\nc.objects.link(e)\n"
        "for o in list(bpy.data.objects):\n    if o is not e and o.type == 'MESH':\n        o.parent = e\n"
        "        o.matrix_parent_inverse = e.matrix_world.inverted()\n        c.objects.link(o)\n"
        "sorted(o.name for o in c.objects)",
        ["Cube", "Root"],
    ),
    "geometry nodes": (
        "g = bpy.data.node_groups.new('G', 'GeometryNodeTree')\ng.outputs.new('NodeSocketGeometry', 'Geometry')\n"
        "out = g.nodes.new('NodeGroupOutput')\ncube = g.nodes.new('GeometryNodeMeshCube')\n"
        "g.links.new(cube.outputs[0], out.inputs[0])\nm = bpy.context.object.modifiers.new('GN', 'NODES')\n"
        "m.node_group = g\ndg = bpy.context.evaluated_depsgraph_get()\n"
        "len(bpy.context.object.evaluated_get(dg).data.vertices)",
        8,
    ),
    "an armature": (
        "bpy.ops.object.armature_add()\na = bpy.context.object\nbpy.ops.object.mode_set(mode='EDIT')\n"
        "b = a.data.edit_bones.new('B')\nb.head, b.tail = (0, 0, 1), (0, 0, 2)\nb.parent = a.data.edit_bones[0]\n"
        "bpy.ops.object.mode_set(mode='POSE')\na.pose.bones['B'].rotation_mode = 'XYZ'\n"
        "bpy.ops.object.mode_set(mode='OBJECT')\nlen(a.data.bones)",
        2,
    ),
    "a rigid body": (
        "bpy.ops.rigidbody.world_add()\nbpy.ops.rigidbody.object_add()\nr = bpy.context.object.rigid_body\n"
        "r.mass = 2\nr.collision_shape = 'BOX'\nbpy.context.scene.rigidbody_world.point_cache.frame_end = 50\nr.mass",
        2.0,
    ),
    "particles": (
        "o = bpy.context.object\no.modifiers.new('P', 'PARTICLE_SYSTEM')\np = o.particle_systems[0].settings\n"
        "p.type = 'HAIR'\np.count = 10\np.path_end",
        1.0,
    ),
    "an image's pixels": (
        "i = bpy.data.images.new('Noise', 4, 4)\ni.pixels = [0.5] * (4 * 4 * 4)\ni.pack()\nround(i.pixels[0], 2)",
        0.5,
    ),
    "arrays": (
        "me = bpy.context.object.data\nco = [0.0] * (len(me.vertices) * 3)\nme.vertices.foreach_get('co', co)\n"
        "me.vertices.foreach_set('co', [2 * x for x in co])\nme.update()\nround(max(co), 2)",
        1.0,
    ),
    "random numbers": (
        "import random\nrandom.seed(7)\nrng = random.Random(3)\n"
        "xs = [random.uniform(-1, 1) for _ in range(5)] + [rng.random(), rng.choice([1, 2])]\n"
        "all(isinstance(x, (int, float)) for x in xs)",
        True,
    ),
    "noise": (
        "from mathutils import noise, Vector\nimport mathutils.geometry\n"
        "isinstance(noise.noise(Vector((0.1, 0.2, 0.3))), float)",
        True,
    ),
    "a tree of points": (
        "from mathutils.kdtree import KDTree\nk = KDTree(2)\nk.insert((0, 0, 0), 0)\nk.insert((1, 0, 0), 1)\n"
        "k.balance()\nk.find((0.9, 0, 0))[1]",
        1,
    ),
    "types are compared": (
        "kinds = {'mesh': 0}\nfor o in bpy.data.objects:\n    if isinstance(o.data, bpy.types.Mesh):\n"
        "        kinds['mesh'] += 1\nprint(type(o))\n[kinds['mesh'], type(1) == int, hasattr(o, 'data')]",
        [1, True, True],
    ),
    "errors are caught": (
        "try:\n    bpy.data.objects['none']\nexcept KeyError as e:\n    found = str(e)\nelse:\n    found = ''\n"
        "'none' in found",
        True,
    ),
    "a program with main": (
        "def main(count=3, **more):\n    total = 0\n    for i in range(count):\n        total += i\n    return total\n"
        "if __name__ == '__main__':\n    result = main(count=4, size=1)\nresult",
        6,
    ),
    "text is formatted": (
        "'{:.2f}|{name:>4}|{:{w}}'.format(1.234, 5, name='a', w=3) + f'{2.5:.1f}' + '%03d' % 7",
        "1.23|   a|  52.5007",
    ),
    "match": ("match (1, {'a': 2}):\n    case (x, {'a': int(y)}):\n        z = x + y\nz", 3),
    "an operator's poll": (
        "if bpy.ops.object.mode_set.poll():\n    bpy.ops.object.mode_set(mode='OBJECT')\nbpy.context.mode",
        "OBJECT",
    ),
    "an override": (
        "o = bpy.data.objects['Cube']\n"
        "with bpy.context.temp_override(object=o, active_object=o, selected_objects=[o]):\n"
        "    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)\no.name",
        "Cube",
    ),
    "names in context": (
        "C = bpy.context\nD = bpy.data\nC.scene.cursor.location = (1, 1, 1)\nC.view_layer.update()\n"
        "D.objects['Cube'].hide_set(False)\nD.objects['Cube'].select_set(True)\nbpy.app.version >= (3, 4, 0)",
        True,
    ),
    "values of Blender": (
        "o = bpy.data.objects['Cube']\n{'at': o.location, 'object': o, 'm': o.matrix_world.to_3x3()}",
        {
            "at": [0.0, 0.0, 0.0],
            "object": "bpy.data.objects['Cube']",
            "m": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        },
    ),
    "a mesh of a million vertices by numpy": (
        "import time\nimport numpy as np\nbegan = time.perf_counter()\nn = 1000\n"
        "axis = np.linspace(-1, 1, n, dtype=np.float32)\nx, y = np.meshgrid(axis, axis)\n"
        "m = bpy.data.meshes.new('Big')\nm.vertices.add(n * n)\n"
        "m.vertices.foreach_set('co', np.column_stack([x.ravel(), y.ravel(), np.sin(5 * x.ravel())]).ravel())\n"
        "co = np.empty(len(m.vertices) * 3, dtype=np.float32)\nm.vertices.foreach_get('co', co)\n"
        "co = co.reshape(-1, 3)\nco[co[:, 2] < 0, 2] *= -1\nm.vertices.foreach_set('co', co.ravel())\nm.update()\n"
        "[isinstance(co, np.ndarray), co.shape, co[:, 2].min() >= 0, np.round(co.max(axis=0), 3), "
        "round(m.vertices[0].co.z, 3), time.perf_counter() > began]",
        [True, [1_000_000, 3], True, [1, 1, 1], 0.959, True],
    ),
    "properties by numpy": (
        "import numpy as np\no = bpy.context.object\no['a'] = np.arange(6.0)[::2]\no['b'] = {'c': np.ones(6)[::3]}\n"
        "o['b']['d'], o['e'] = np.broadcast_to(3.0, (2,)), np.float32(0.5)\no['e'] += 1\n"
        "o.location = np.array([1, 2, 3])[::-1]\nfor f in np.arange(2):\n    o.keyframe_insert('location', frame=f)\n"
        "[o['a'], o['b']['c'], o['b']['d'], o['e'], o.location, np.array(o.matrix_basis).shape]",
        [[0, 2, 4], [1, 1], [3, 3], 1.5, [3, 2, 1], [4, 4]],
    ),
    "linear algebra and chance by numpy": (
        "import numpy as np\nfrom numpy.linalg import norm\nrng = np.random.default_rng(1)\n"
        "points = rng.normal(size=(100, 3))\npoints /= norm(points, axis=1, keepdims=True)\n"
        "with np.errstate(divide='ignore'):\n    np.log(np.zeros(1))\n"
        "[bool(np.allclose(norm(points, axis=1), 1)), np.add.reduce([1, 2]), np.linalg.det(np.eye(2)), "
        "np.clip([1, 5], 2, 3), np.add([1.0], 1, where=[False], out=np.zeros(1)), np.zeros(2).dtype == np.float64]",
        [True, 3, 1, [2, 3], [0], True],
    ),
}
