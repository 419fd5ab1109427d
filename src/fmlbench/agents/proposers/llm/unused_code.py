"""Static check whether a change can have an effect.

Small models often write a function or a class that nothing calls. An experiment with it would only give the old score.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from fmlbench.agents.proposers.llm.definitions import is_docstring, names_of
from fmlbench.agents.proposers.llm.python import why_not_python

_WORD = re.compile(r"\w+")
_Name = tuple[str, str]
"""A name and where it is imported from."""


def unused(before: Mapping[str, str], after: Mapping[str, str], instructions: str) -> frozenset[str] | None:
    """The unused new definitions, if the change consists of nothing else; None if it may have an effect.

    Names in the task's instructions count as used, because hidden code may use them. All Python must compile.
    """
    if before.keys() != after.keys():
        return None
    added: dict[str, list[ast.stmt]] = {}
    for path in (path for path in after if after[path] != before[path]):
        nodes = _added(path, before[path], after[path])
        if nodes is None or _newly_imported(before[path], nodes) & _looked_up(path, before[path]):
            return None
        added[path] = nodes
    used = {*_WORD.findall(instructions)}.union(*(_looked_up(path, text) for path, text in before.items()))
    new = {name for nodes in added.values() for node in nodes for name in names_of(node)}
    all_of_them = {"*", *(f"*{_module(path)}" for path in added)}
    if (new | all_of_them) & used or any(name.startswith("__") for name in new):
        return None
    return frozenset(new.union(*(_newly_imported(before[path], nodes) for path, nodes in added.items())))


def _added(path: str, before: str, after: str) -> list[ast.stmt] | None:
    """The definitions and imports that were added to a module; None if anything else changed."""
    if not path.endswith(".py") or why_not_python(before):
        return None
    old, new = _plain(before), _plain(after)
    try:
        known, dumps = [ast.dump(node) for node in old], [ast.dump(node) for node in new]
    except RecursionError:  # valid Python may contain an expression with a thousand terms
        return None
    added = [node for node, dump in zip(new, dumps, strict=True) if dump not in known]
    is_kept = [dump for dump in dumps if dump in known] == known
    return added if is_kept and all(map(_only_defines, added)) else None


def _plain(text: str) -> list[ast.stmt]:
    """The statements of a module, without any docstrings."""
    module = ast.parse(text)
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not is_docstring(each)]
    return module.body


def _newly_imported(before: str, added: Sequence[ast.stmt]) -> set[str]:
    """The names that were not imported from the same module before."""
    known = {name for node in _plain(before) for name in _imported(node)}
    return {name for node in added for name, source in _imported(node) if (name, source) not in known}


def _looked_up(path: str, text: str) -> set[str]:
    """The names that a file may look up, in any module; assigned names and argument names do not count."""
    if not path.endswith(".py") or why_not_python(text):
        return {*_WORD.findall(text)}
    return {name for statement in _plain(text) for node in ast.walk(statement) for name in _names_read(node)}


def _module(path: str) -> str:
    """The last part of the name that a file is imported by."""
    *folders, stem = path.removesuffix(".py").split("/")
    return (folders or [""])[-1] if stem == "__init__" else stem


def _names_read(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Load() | ast.Del()) | ast.Attribute(attr=name):
            yield name
        case ast.alias(name=name) if name != "*":
            yield from name.split(".")
        case ast.ImportFrom(module=module, names=[ast.alias(name="*")]):
            yield f"*{(module or '').rpartition('.')[2]}"
        case ast.Constant(value=str(words)):
            yield from _WORD.findall(words)
        case ast.Global(names=names):
            yield from names
        case _:
            pass


def _imported(node: ast.stmt) -> Iterator[_Name]:
    """Names and sources; ``import a.b as c`` and ``from a import b as c`` give the same pair."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (first, first)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"


def _only_defines(node: ast.stmt) -> bool:
    """Whether running a statement only binds names."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return not node.decorator_list
        case ast.ClassDef():
            return not (node.decorator_list or node.keywords) and all(map(_only_defines, node.body))
        case ast.Assign() | ast.AnnAssign():
            return not any(isinstance(part, ast.Call) for part in ast.walk(node))
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case _:
            return False
