# SPDX-License-Identifier: MIT
"""Changes judged code so that it ends at its time limit and gives the value of its last statement."""

from __future__ import annotations

import ast

from . import allowed, property_paths

# Names that Python's grammar has no way to write.
CHECK = "zain check"
VALUE = "zain value"
CHECKED_METHOD = "zain method"
CHECKED_COPY = "zain copy"
CHECKED_PATH = "zain path"
CHECKED_OVERRIDE = "zain override"
CHECKED_OWNER = "zain owner"
CHECKED_HOLDER = "zain holder"


def instrument(tree: ast.Module, has_numpy: bool) -> None:
    """Puts a call of ``CHECK`` first in each handler, ``finally`` and function, and keeps the last value in ``VALUE``.

    A handler that caught the exception of the time limit raises it again; a function or a generator that outlives
    the run (in a cycle, as a callback) ends where it begins. Methods of ``property_paths``, `copy`, `temp_override`,
    and what is assigned to `data_path`, are checked as they are used; with NumPy, so is whose each attribute is that
    values of NumPy must not give, and each container of an item that is set.
    """
    nodes = list(ast.walk(tree))
    if has_numpy:
        for node in nodes:
            if isinstance(node, ast.Attribute):
                _check_owner(node)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                node.value = _call(CHECKED_HOLDER, node.value)
    for node in nodes:
        _check_methods(node)
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ExceptHandler)):
            node.body.insert(0, ast.copy_location(ast.Expr(_check(node)), node))
        elif isinstance(node, ast.Lambda):
            body = node.body
            node.body = ast.copy_location(ast.BoolOp(ast.Or(), [_check(body), body]), body)
        elif getattr(node, "finalbody", None):
            first = node.finalbody[0]
            node.finalbody.insert(0, ast.copy_location(ast.Expr(_check(first)), first))
        elif isinstance(node, ast.Assign) and sets_path(node):
            node.value = _call(CHECKED_PATH, node.value)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(VALUE, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)


def sets_path(node: ast.Assign) -> bool:
    """Whether it assigns to an attribute `data_path`, as its whole target."""
    return any(isinstance(target, ast.Attribute) and target.attr == "data_path" for target in node.targets)


def _check_owner(node: ast.Attribute) -> None:
    listed = allowed.NUMPY_ATTRIBUTES if isinstance(node.ctx, ast.Load) else allowed.NUMPY_SET
    if node.attr not in listed:
        node.value = _call(CHECKED_OWNER, node.value, ast.copy_location(ast.Constant(node.attr), node))


def _check_methods(node: ast.AST) -> None:
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.Attribute):
            setattr(node, field, _checked(value))
        elif isinstance(value, list):
            value[:] = [_checked(item) if isinstance(item, ast.Attribute) else item for item in value]


def _checked(node: ast.Attribute) -> ast.expr:
    if not isinstance(node.ctx, ast.Load):
        return node
    if node.attr == "copy":
        return _call(CHECKED_COPY, node)
    if node.attr == "temp_override":
        return _call(CHECKED_OVERRIDE, node)
    return _call(CHECKED_METHOD, node) if node.attr in property_paths.METHODS else node


def _check(place: ast.AST) -> ast.Call:
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(CHECK, ast.Load()), place), [], []), place)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    call = ast.Call(ast.copy_location(ast.Name(name, ast.Load()), arguments[0]), list(arguments), [])
    return ast.copy_location(call, arguments[0])
