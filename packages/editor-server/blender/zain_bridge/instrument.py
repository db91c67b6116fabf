# SPDX-License-Identifier: MIT
"""Changes judged code so that it ends at its time limit and gives the value of its last statement."""

from __future__ import annotations

import ast

# Names that Python's grammar has no way to write.
CHECK = "zain check"
VALUE = "zain value"


def instrument(tree: ast.Module) -> None:
    """Puts a call of ``CHECK`` first in each handler, ``finally`` and function, and keeps the last value in ``VALUE``.

    A handler that caught the exception of the time limit raises it again; a function or a generator that outlives
    the run (in a cycle, as a callback) ends where it begins.
    """
    for node in list(ast.walk(tree)):
        if isinstance(node, (ast.FunctionDef, ast.ExceptHandler)):
            node.body.insert(0, ast.copy_location(ast.Expr(_check(node)), node))
        elif isinstance(node, ast.Lambda):
            body = node.body
            node.body = ast.copy_location(ast.BoolOp(ast.Or(), [_check(body), body]), body)
        elif getattr(node, "finalbody", None):
            first = node.finalbody[0]
            node.finalbody.insert(0, ast.copy_location(ast.Expr(_check(first)), first))
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(VALUE, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)


def _check(place: ast.AST) -> ast.Call:
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(CHECK, ast.Load()), place), [], []), place)
