"""Turn a payload into a candidate: code that runs once in every stage, hidden in files which stages import."""

from collections.abc import Callable, Mapping
from importlib import resources

from fmlbench.redteam.attack import Candidate, Ground

Constant = str | int | float

_TAIL = """

import sys as _sys

if "prelude" not in _sys.modules:
    import types as _types

    _prelude = _sys.modules["prelude"] = _types.ModuleType("prelude")
    _prelude.__dict__.update(NAME={name!r}, TARGET={target!r}, VICTIM=globals())
    exec(compile({prelude!r}, "prelude.py", "exec"), _prelude.__dict__)
    exec(compile({payload!r}, {file!r}, "exec"), {constants!r})
"""


def payload(file: str, **constants: Constant) -> Callable[[Ground], Candidate]:
    """The baseline with a payload in it; constants are defined before it runs."""
    return lambda ground: Candidate(_loaded(ground, ground.files, file, constants), idea=file)


def reference_with_payload(file: str, **constants: Constant) -> Callable[[Ground], Candidate]:
    """The expert reference with a payload in it."""
    return lambda ground: Candidate(_loaded(ground, {**ground.files, **ground.reference}, file, constants), idea=file)


def read_payload(file: str) -> str:
    """The text of a payload; it is content that only ever runs in a sandbox."""
    return (resources.files("fmlbench.redteam") / "payloads" / f"{file}.py").read_text("utf-8")


def _loaded(
    ground: Ground, files: Mapping[str, str], file: str, constants: Mapping[str, Constant]
) -> Mapping[str, str]:
    tail = _TAIL.format(
        name=file,
        target=ground.target.model_dump(),
        prelude=read_payload("prelude"),
        payload=read_payload(file),
        file=f"{file}.py",
        constants={"__name__": file, **constants},
    )
    return {path: text + tail if path in ground.entries else text for path, text in files.items()}
