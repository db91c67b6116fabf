# SPDX-License-Identifier: MIT
"""Facts about parse trees that do not depend on what is allowed."""

from __future__ import annotations

import ast
import string

#: The node types that ``names_bound`` knows.
BINDERS = (ast.Name, ast.arg, ast.FunctionDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)


def strip_annotations(tree: ast.Module) -> None:
    """Removes annotations: they do nothing, and `bpy.types` is common in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.copy_location(ast.Constant(None), node.annotation)


def names_bound(node: ast.AST) -> list[str]:
    """The names that a node binds. Imports are left out."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, (ast.FunctionDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    return []


def is_plain_format(receiver: ast.AST) -> bool:
    """Whether a text is written out, and its fields name neither attributes nor items."""
    if not (isinstance(receiver, ast.Constant) and isinstance(receiver.value, str)):
        return False
    return _fields_are_plain(receiver.value, nested=0)


def _fields_are_plain(text: str, nested: int) -> bool:
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return False
    for _, field, spec, _ in fields:
        if field and ("." in field or "[" in field):
            return False
        # Python formats one level of fields within fields; a deeper one would take long to judge.
        if spec and (nested > 1 or not _fields_are_plain(spec, nested + 1)):
            return False
    return True
