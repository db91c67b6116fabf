# SPDX-License-Identifier: MIT
"""Judges a program by its parse tree, before any of it runs.

What is not on a list is refused: node types, modules, builtins, operators, full names below ``bpy``. Attributes are
refused by their names wherever they stand, because a tree does not show what a value is. This is no sandbox.
"""

from __future__ import annotations

import ast
import builtins
from types import CodeType

from . import allowed, numpy_facade
from .errors import BridgeError
from .instrument import instrument, sets_path
from .parse_tree import BINDERS, is_plain_format, names_bound, strip_annotations

#: The name of the code in tracebacks.
FILENAME = "<code>"

# Names of the safe forms, which Python's grammar has no way to write: what is judged as a call is no value.
TYPE = "zain type"
HASATTR = "zain hasattr"

#: How many parts of a name are looked at; the longest on the lists has fewer. It makes a chain of attributes linear.
_LONGEST_NAME = 8

_SHOWS = frozenset({"print", "repr", "str", "isinstance"})
_MORE = {
    "render": "Ask for a preview instead of rendering in the code.",
    "file": "Use the tools that open, save and preview.",
    "name": "Write the attribute itself: `x.name`, `x.name = value`.",
    "format": "Use an f-string.",
    "override": "Select objects with `select_set`, and set `view_layer.objects.active`. Undo steps are the bridge's.",
    "numpy": "Of NumPy, functions that compute are allowed; files, pickles, ctypes and views of any memory are not.",
    "time": "A pause stops Blender: give each call less work, or set keyframes.",
    "import": "Allowed modules: bpy, bmesh, math, mathutils, numpy, random, time.",
}


def compile_judged(code: str) -> CodeType:
    """The code of a program that was judged and instrumented.

    Raises CODE_VALIDATION_FAILED for what is no Python, DANGEROUS_OPERATION for what is not on the lists, with a line.
    """
    try:
        tree = ast.parse(code, FILENAME)
        judge = _Judge(tree)
        judge.judge()
        if judge.has_numpy:
            numpy_facade.prepare()
        instrument(tree, judge.has_numpy)
        return compile(tree, FILENAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = error.lineno or None
        where = f" in line {line}" if line else ""
        raise _invalid(f"The code is no valid Python{where}: {error.msg}", line) from None
    except (RecursionError, MemoryError):
        raise _invalid("The code is nested too deeply", None) from None
    except (ValueError, OverflowError) as error:
        raise _invalid(f"The code is no valid Python: {error}", None) from None


def _invalid(message: str, line: int | None) -> BridgeError:
    return BridgeError("CODE_VALIDATION_FAILED", message, path=["code"], line=line)


class _Refusal(Exception):
    """A node that is not on the lists."""

    def __init__(self, node: ast.AST, what: str, more: str | None = None) -> None:
        super().__init__(what)
        self.line = getattr(node, "lineno", 1)
        self.what = what
        self.more = [_MORE[more]] if more else []


class _Judge:
    def __init__(self, tree: ast.Module) -> None:
        strip_annotations(tree)
        self.nodes: dict[type, list[ast.AST]] = {}
        for node in ast.walk(tree):
            self.nodes.setdefault(type(node), []).append(node)
        self.modules: dict[str, str] = {"bpy": "bpy"}
        self.bound: set[str] = set()
        #: Whether the code imports NumPy. Nothing else gives it a value of NumPy.
        self.has_numpy = False
        #: Ids of nodes that stand where they are harmless: the operator in a call, a type in `isinstance`.
        self.approved: set[int] = set()
        #: Ids of names and attributes with an attribute behind them.
        self.inner = {id(node.value) for node in self.nodes.get(ast.Attribute, ())}
        #: What ``_names`` gives for attributes, by their ids.
        self.named: dict[int, list[str] | None] = {}

    def judge(self) -> None:
        """Raises DANGEROUS_OPERATION for the first line that has something which is not on the lists."""
        refusals: list[_Refusal] = []
        steps = (
            (
                self._node_type,
                [kind for kind in self.nodes if not issubclass(kind, allowed.NODES)] + [ast.comprehension],
            ),
            (self._import, [ast.Import, ast.ImportFrom]),
            (self._binding, BINDERS),
            (self._approve, [ast.Assign, ast.Call, ast.Compare, ast.FormattedValue]),
            (self._node, [ast.Attribute, ast.Name, ast.Call, ast.MatchClass]),
        )
        for step, kinds in steps:
            for node in (node for kind in kinds for node in self.nodes.get(kind, ())):
                try:
                    step(node)
                except _Refusal as refusal:
                    refusals.append(refusal)
        if refusals:
            first = min(refusals, key=lambda refusal: refusal.line)
            raise BridgeError(
                "DANGEROUS_OPERATION",
                f"Line {first.line}: {first}",
                path=["code"],
                line=first.line,
                suggestions=first.more,
            )

    def _node_type(self, node: ast.AST) -> None:
        if not isinstance(node, allowed.NODES):
            raise _Refusal(node, f"`{type(node).__name__}` is not allowed")
        if isinstance(node, ast.comprehension) and node.is_async:
            raise _Refusal(node.target, "`async` is not allowed")

    # Imports and the names that code binds.

    def _import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in allowed.IMPORTABLE:
                    raise _Refusal(node, f"module `{_short(alias.name)}` is not allowed", "import")
                root = alias.name.split(".")[0]
                self._bind_module(node, alias.asname or root, alias.name if alias.asname else root)
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module not in allowed.IMPORTABLE:
                raise _Refusal(node, f"module `{_short(node.module or '.')}` is not allowed", "import")
            for alias in node.names:
                if alias.name == "*":
                    raise _Refusal(node, "`import *` is not allowed: name what is imported")
                name = f"{node.module}.{alias.name}"
                if name in {"bpy.ops", "bpy.app", "bpy.types"}:
                    raise _Refusal(node, f"`{name}` is used by its full name alone", "import")
                self._full_name(node, name.split("."), kept=name not in allowed.NAMESPACES | allowed.CALLED_ONLY)
                self._bind_module(node, alias.asname or alias.name, name)

    def _bind_module(self, node: ast.AST, name: str, module: str) -> None:
        self._plain(node, name)
        self.bound.add(name)
        self.has_numpy = self.has_numpy or module.split(".")[0] == "numpy"
        if self.modules.setdefault(name, module) != module:
            raise _Refusal(node, f"`{name}` is the name of `{self.modules[name]}` and cannot be another")

    def _binding(self, node: ast.AST) -> None:
        for name in names_bound(node):
            self.bound.add(name)
            self._plain(node, name)
            if name in self.modules:
                raise _Refusal(node, f"`{name}` is the name of `{self.modules[name]}` and cannot be bound anew")

    @staticmethod
    def _plain(node: ast.AST, name: str) -> None:
        if name.startswith("__"):
            raise _Refusal(node, f"name `{_short(name)}` is not allowed: it begins with `__`")

    # Places where a name is harmless that is none elsewhere.

    def _approve(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            if sets_path(node):
                self.approved.update(id(target) for target in node.targets)
        elif isinstance(node, ast.Call):
            self._approve_call(node)
        elif isinstance(node, ast.Compare):
            for operand in (node.left, *node.comparators):
                for value in operand.elts if isinstance(operand, (ast.Tuple, ast.List, ast.Set)) else [operand]:
                    self._approve_type(value)
        elif isinstance(node, ast.FormattedValue):
            self._approve_type(node.value)

    def _approve_call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            names = self._names(function)
            if names and names[0] == "bpy" and names[1:2] == ["ops"]:
                self._operator(node, names)
            if names and ".".join(names) in allowed.CALLED_ONLY:
                self.approved.add(id(function))
            if function.attr == "format" and is_plain_format(function.value):
                self.approved.add(id(function))
        elif isinstance(function, ast.Name):
            if self.modules.get(function.id) in allowed.CALLED_ONLY:
                self.approved.add(id(function))
            if function.id in self.bound:
                return
            if function.id == "hasattr":
                self._hasattr(node, function)
            if function.id in _SHOWS:
                for argument in node.args:
                    self._approve_type(argument)
            if function.id == "isinstance" and len(node.args) == 2:
                self._approve_classes(node.args[1])

    def _operator(self, call: ast.Call, names: list[str]) -> None:
        polls = len(names) == 5 and names[4] == "poll"
        if len(names) != 4 and not polls:
            return
        module, name = names[2:4]
        what = f"operator `bpy.ops.{_short(module)}.{_short(name)}` is not allowed"
        if module not in allowed.OPERATORS:
            raise _Refusal(call, what, "render" if module == "render" else None)
        listed = allowed.OPERATORS[module]
        reason = allowed.forbidden(name)
        if reason or (listed is not None and name not in listed):
            raise _Refusal(call, f"{what}: {reason}" if reason else what)
        if any(keyword.arg is None for keyword in call.keywords):
            raise _Refusal(call, "operators take no `**`: write their arguments by name")
        if any(_is_text(argument) and argument.value.startswith("INVOKE") for argument in call.args):
            raise _Refusal(call, "`INVOKE_…` waits for the user: call the operator without it")
        if len(call.args) > 1 or not all(_is_text(argument) for argument in call.args):
            raise _Refusal(call, "operators take one text and arguments by name", "override")
        self.approved.add(id(call.func))

    def _hasattr(self, call: ast.Call, function: ast.Name) -> None:
        name = call.args[1] if len(call.args) == 2 and not call.keywords else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            reason = allowed.forbidden(name.value)
            if reason:
                raise _Refusal(call, f"attribute `{_short(name.value)}` is not allowed: {reason}")
            function.id = HASATTR
            self.approved.add(id(function))

    def _approve_type(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type":
            one = len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
            if one and "type" not in self.bound:
                node.func.id = TYPE
                self.approved.add(id(node.func))

    def _approve_classes(self, node: ast.AST) -> None:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Tuple):
                waiting.extend(node.elts)
            elif isinstance(node, ast.BinOp):
                waiting.extend((node.left, node.right))
            elif isinstance(node, ast.Attribute):
                names = self._names(node)
                if names and names[:2] == ["bpy", "types"] and len(names) == 3:
                    self.approved.add(id(node))

    # Everything else.

    def _node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute):
            self._attribute(node)
        elif isinstance(node, ast.Name):
            self._name(node)
        elif isinstance(node, ast.Call):
            self._keywords(node)
        elif isinstance(node, ast.MatchClass):
            for name in node.kwd_attrs:
                reason = allowed.forbidden(name)
                if self.has_numpy and name not in allowed.NUMPY_ATTRIBUTES:
                    reason = reason or "a pattern may match a value of NumPy"
                if reason:
                    raise _Refusal(node, f"attribute `{_short(name)}` is not allowed: {reason}")

    def _attribute(self, node: ast.Attribute) -> None:
        names = self._names(node)
        approved = id(node) in self.approved
        if names is None or node.attr != "ops":
            reason = None if approved else allowed.forbidden(node.attr)
            if reason and not (names and self._is_listed(".".join(names))):
                more = "format" if node.attr.startswith("format") else "file" if "files" in reason else None
                raise _Refusal(node, f"attribute `{_short(node.attr)}` is not allowed: {reason}", more)
        stored = not isinstance(node.ctx, ast.Load)
        if stored and node.attr == "data_path" and not approved:
            raise _Refusal(node, "`data_path` is set as `x.data_path = ...` alone")
        if stored and node.attr in allowed.NEVER_SET:
            raise _Refusal(node, f"attribute `{node.attr}` cannot be set: Blender may call it later")
        if names is None or id(node) in self.inner:
            return
        if not approved:
            self._full_name(node, names, kept=True)
        if stored and (names[0] != "bpy" or len(names) < 3):
            raise _Refusal(node, f"`{_short('.'.join(names))}` cannot be set: it belongs to a module")

    @staticmethod
    def _is_listed(name: str) -> bool:
        return name in allowed.NAMESPACES or name in allowed.APP_VALUES

    def _full_name(self, node: ast.AST, names: list[str], kept: bool) -> None:
        """Judges a name below a module, ``kept`` as a value."""
        name = ".".join(names[:3])
        what = f"`{_short('.'.join(names))}` is not allowed"
        if kept and ".".join(names) in allowed.NAMESPACES:
            raise _Refusal(node, f"`{'.'.join(names)}` is no value: use it by its full name")
        if kept and ".".join(names) in allowed.CALLED_ONLY:
            raise _Refusal(node, f"`{'.'.join(names)}` is no value: call it")
        reason = allowed.forbidden(names[-1]) if isinstance(node, ast.ImportFrom) else None
        if reason and ".".join(names) not in allowed.NAMESPACES:
            raise _Refusal(node, f"{what}: {reason}")
        module = ".".join(names[: 2 if ".".join(names[:2]) in allowed.MEMBERS else 1])
        member = names[module.count(".") + 1 :][:1]
        if module in allowed.MEMBERS and member and member[0] not in allowed.MEMBERS[module]:
            raise _Refusal(node, what, names[0] if names[0] in _MORE else None)
        if names[0] != "bpy" or ".".join(names[:2]) in allowed.BPY_VALUES or name in allowed.APP_VALUES:
            return
        if names[1] == "ops":
            raise _Refusal(node, "an operator is no value: call it as `bpy.ops.<module>.<name>(...)`")
        if names[1] == "types":
            raise _Refusal(node, "`bpy.types` is allowed as the second argument of `isinstance` alone")
        raise _Refusal(node, what)

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if id(node) in self.approved or not isinstance(node.ctx, ast.Load):
            return
        if name in self.modules:
            if id(node) not in self.inner:
                self._full_name(node, self.modules[name].split("."), kept=True)
        elif name == "__name__":
            return
        self._plain(node, name)
        if name not in self.bound and hasattr(builtins, name) and name not in allowed.BUILTINS:
            more = "name" if name in {"getattr", "setattr", "delattr", "hasattr"} else None
            raise _Refusal(node, f"`{name}` is not allowed", more)

    def _keywords(self, call: ast.Call) -> None:
        for keyword in call.keywords:
            name = keyword.arg
            if name is None:
                continue
            reason = allowed.forbidden(name) if isinstance(call.func, ast.Attribute) else None
            if reason is None and name.startswith("__"):
                reason = "it begins with `__`"
            if reason:
                raise _Refusal(call, f"argument `{_short(name)}` is not allowed: {reason}")

    def _names(self, node: ast.AST) -> list[str] | None:
        """The full name that an attribute or a name has below a module, or None; of a long one its beginning."""
        outer: list[ast.Attribute] = []
        while isinstance(node, ast.Attribute) and id(node) not in self.named:
            outer.append(node)
            node = node.value
        names: list[str] | None = None
        if isinstance(node, ast.Attribute):
            names = self.named[id(node)]
        elif isinstance(node, ast.Name) and node.id in self.modules:
            names = self.modules[node.id].split(".")
        for attribute in reversed(outer):
            if names is not None and len(names) < _LONGEST_NAME:
                names = [*names, attribute.attr]
            self.named[id(attribute)] = names
        return names


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:80] + "…"
