# SPDX-License-Identifier: MIT
"""What code of ``code.run`` may name: the tables that ``judge`` reads. None of them depends on Blender."""

from __future__ import annotations

import ast
import functools

_NODES = """
    Module Expr Assign AugAssign AnnAssign For While If With withitem Raise Try TryStar ExceptHandler Assert Import
    ImportFrom alias Global Nonlocal Pass Break Continue Return Delete FunctionDef arguments arg keyword Lambda BoolOp
    NamedExpr BinOp UnaryOp IfExp Dict Set ListComp SetComp DictComp GeneratorExp comprehension Yield YieldFrom Compare
    Call FormattedValue JoinedStr Constant Attribute Subscript Starred Name List Tuple Slice Match match_case MatchValue
    MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr
"""

#: Node types of the parse tree. A node type that Python adds later is refused until it is added here.
NODES: tuple[type, ...] = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context) + tuple(
    getattr(ast, name) for name in _NODES.split() if hasattr(ast, name)
)

#: Modules that ``import`` gives. They are values nowhere: each must be followed by an attribute.
IMPORTABLE = frozenset(
    """
    bpy bmesh bmesh.ops bmesh.utils bmesh.geometry bmesh.types math random time numpy numpy.linalg numpy.random
    mathutils mathutils.noise mathutils.geometry mathutils.bvhtree mathutils.kdtree mathutils.interpolate
    """.split()
)

#: Full names that lead to more names of ``bpy``, and are no values either.
NAMESPACES = IMPORTABLE | {"bpy.ops", "bpy.app", "bpy.types"}

BPY_VALUES = frozenset({"bpy.context", "bpy.data"})
APP_VALUES = frozenset({"bpy.app.version", "bpy.app.version_string", "bpy.app.background"})

#: Ufuncs of NumPy, whose C code gives arrays of its own.
UFUNCS = frozenset(
    """
    abs absolute add arccos arcsin arctan arctan2 bitwise_and bitwise_or bitwise_xor cbrt ceil copysign cos cosh deg2rad
    degrees divide equal exp exp2 expm1 fabs floor floor_divide fmax fmin fmod greater greater_equal hypot invert
    isfinite isinf isnan left_shift less less_equal log log10 log1p log2 logical_and logical_not logical_or logical_xor
    matmul maximum minimum mod multiply negative not_equal power rad2deg radians reciprocal remainder right_shift rint
    sign sin sinh sqrt square subtract tan tanh true_divide trunc
    """.split()
)

NUMPY_CONSTANTS = frozenset({"e", "inf", "nan", "newaxis", "pi"})

NUMPY_TYPES = frozenset(
    """
    bool_ complex64 complex128 float16 float32 float64 floating int8 int16 int32 int64 integer intp ndarray number uint8
    uint16 uint32 uint64
    """.split()
)

_NUMPY_FUNCTIONS = """
    all allclose any append apply_along_axis arange argmax argmin argpartition argsort argwhere array array_equal
    array_split asarray ascontiguousarray atleast_1d atleast_2d average bincount broadcast_to clip column_stack
    concatenate copy copyto corrcoef count_nonzero cov cross cumprod cumsum delete diag diff digitize dot dtype einsum
    empty empty_like errstate expand_dims eye finfo flatnonzero flip fliplr flipud fromiter full full_like gradient
    histogram hstack identity iinfo indices inner insert interp isclose isin lexsort linspace logspace max mean median
    meshgrid min moveaxis nan_to_num nanmax nanmean nanmin nonzero ones ones_like outer percentile prod ptp quantile
    ravel repeat reshape roll rot90 round searchsorted select shape size sort split squeeze stack std sum swapaxes take
    tensordot tile trace transpose triu unique unravel_index var vstack where zeros zeros_like
"""

#: What code may name of modules that have more, by their full names.
MEMBERS: dict[str, frozenset[str]] = {
    "random": frozenset(
        """
        betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate normalvariate
        paretovariate randint random randrange sample seed shuffle triangular uniform vonmisesvariate weibullvariate
        Random SystemRandom
        """.split()
    ),
    "time": frozenset("monotonic perf_counter perf_counter_ns process_time strftime time time_ns".split()),
    "numpy": UFUNCS | NUMPY_CONSTANTS | NUMPY_TYPES | frozenset(_NUMPY_FUNCTIONS.split()),
    "numpy.linalg": frozenset(
        "LinAlgError cholesky det eig eigh eigvals eigvalsh inv lstsq matrix_rank norm pinv qr solve svd".split()
    ),
    "numpy.random": frozenset(
        """
        choice default_rng normal permutation rand randint randn random random_sample seed shuffle standard_normal
        uniform
        """.split()
    ),
}

#: Attributes of arrays and other values of NumPy that code may read. The others lead to memory, files and pickles,
#: and `clip` passes `where` on.
NUMPY_ATTRIBUTES = frozenset(
    """
    T accumulate all any argmax argmin argpartition argsort args astype at bits choice conj copy cumprod cumsum
    diagonal dot dtype endswith eps exponential fill flat flatten fields imag integers item itemsize kind lower max
    mean min nbytes ndim nonzero normal outer partition permutation permuted poisson prod ptp put random ravel real
    reduce reduceat repeat replace reshape round searchsorted shape shuffle size sort split squeeze standard_normal
    startswith std strip sum swapaxes take tiny tobytes tolist trace transpose uniform upper var name names
    """.split()
)

#: Attributes of arrays that code may set.
NUMPY_SET = frozenset({"flat", "imag", "real", "shape"})

#: Classes written in Python. They may be called and not kept: a class that is kept can be changed for all of Blender.
CALLED_ONLY = frozenset({"random.Random", "random.SystemRandom"})

BUILTINS = frozenset(
    """
    abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format frozenset
    hash hex id int isinstance issubclass iter len list map max min next oct ord pow print range repr reversed round
    set slice sorted str sum tuple zip ArithmeticError AssertionError AttributeError BaseException Exception
    FloatingPointError ImportError IndexError KeyError LookupError NameError NotImplementedError OverflowError
    RecursionError ReferenceError RuntimeError StopIteration TypeError UnicodeError ValueError ZeroDivisionError
    """.split()
)

#: Operators: of each module all but the forbidden names, or those that are listed.
OPERATORS: dict[str, frozenset[str] | None] = {
    **dict.fromkeys(
        """
        action armature boid collection constraint curve curves font geometry gpencil graph grease_pencil lattice marker
        mask material mball mesh nla object palette particle pose rigidbody sculpt surface texture transform uv world
        """.split()
    ),
    "anim": frozenset(
        """
        change_frame channels_delete end_frame_set keyframe_clear_v3d keyframe_delete keyframe_delete_v3d
        keyframe_insert keyframe_insert_by_name keyframe_insert_menu keying_set_active_set start_frame_set
        """.split()
    ),
    "node": frozenset(
        """
        delete duplicate group_make group_ungroup join link links_cut links_detach mute_toggle parent_set select
        select_all view_all view_selected
        """.split()
    ),
    "outliner": frozenset({"orphans_purge"}),
    "paint": frozenset(
        """
        add_simple_uvs texture_paint_toggle vertex_color_brightness_contrast vertex_color_dirt vertex_color_from_weight
        vertex_color_hsv vertex_color_invert vertex_color_levels vertex_color_set vertex_color_smooth
        vertex_paint_toggle weight_from_bones weight_paint_toggle weight_set
        """.split()
    ),
    "scene": frozenset(
        "delete new render_view_add render_view_remove view_layer_add view_layer_add_aov view_layer_remove".split()
    ),
    # The others require a region, and an override of one would end Blender.
    "view3d": frozenset({"camera_to_view_selected"}),
}

_LEADS_TO = {
    "files": """
        file files filepath filepaths fileformat filename directory dir disk save load unpack export import open write
        proxy autopack libraries external catalog catalogs base_path frame_path image_output_path use_library_path path
        read_data copybuffer pastebuffer ocean_bake drop_named_image render_cache bookmark recent sound_bake
        new_movie new_sound new_image new_clip fluid_type quick_liquid quick_smoke domain_settings
        object_add_from_asset geometry_node_bake_single
        geometry_node_bake_delete_single simulation_nodes_cache_bake simulation_nodes_cache_delete
        simulation_nodes_cache_calculate_to_frame
        debug_stats_gnuplot debug_relations_graphviz exporter exporters
        """,
    "scripts and text blocks": """
        script scripts python preset presets texts text lines current_line edit_text select_end_line ies as_string
        from_string region_as_string region_from_string all_ids as_module module modules bytecode user_map exec
        execute eval
        """,
    "drivers": "driver drivers expression is_simple_expression",
    "handlers and timers": """
        handler handlers timer timers callback subscribe_rna msgbus draw_cursor_add draw_cursor_remove status_text_set
        status_text_set_internal
        """,
    "operators by their names": "operator operators ops",
    "preferences": "preferences autoexec addon addons keyconfig keyconfigs keymap keymaps app",
    "windows and the clipboard": """
        window_manager window_managers clipboard popup popover piemenu popmenu event_simulate
        """,
    "the web": "url",
    "attributes by their names": "rna rna_type bl_rna path_resolve as_pointer format format_map id_properties_ensure",
    "the registration of classes": "register unregister mro bl_idname gizmo",
    "frames and code": """
        gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await tb_frame tb_next
        tb_lasti tb_lineno f_back f_builtins f_code f_globals f_locals f_trace f_lineno func_globals func_code
        func_closure func_defaults im_func im_class im_self co_code co_consts co_names obj
        """,
}

_FORBIDDEN = {name: reason for reason, names in _LEADS_TO.items() for name in names.split()}

#: Forbidden as a whole name and harmless as a word of one (`use_path`, `color_format`, `show_gizmo`).
_WHOLE = frozenset("path text lines obj format eval gizmo ops app mro".split())

#: Methods of Blender's own classes that Blender calls: a function that is put there runs later, unguarded.
NEVER_SET = frozenset(
    """
    cancel check copy draw draw_buttons draw_buttons_ext draw_header draw_header_preset draw_item draw_label
    draw_prepare execute exit filter_items free init invoke insert_link modal poll poll_instance refresh render setup
    socket_value_update test_select update view_draw view_update
    """.split()
)

_HARMLESS = frozenset(
    """
    file_format object_load_bmesh select_external_contour exclude_external_contour use_file_extension
    """.split()
)


@functools.lru_cache(maxsize=1024)
def forbidden(name: str) -> str | None:
    """Why an attribute of this name is refused, or None. A name is refused as a whole, or for one of its words."""
    if name.startswith("_"):
        return "names that begin with `_` lead to Python's own parts"
    if name in _HARMLESS:
        return None
    if name in _FORBIDDEN:
        return f"it leads to {_FORBIDDEN[name]}"
    for word in name.split("_"):
        if word in _FORBIDDEN and word not in _WHOLE:
            return f"it leads to {_FORBIDDEN[word]}"
    return None
