"""Turn a payload into a candidate: code that runs inside a file which every stage imports."""

from collections.abc import Callable, Mapping
from importlib import resources

from fmlbench.redteam.attack import Candidate, Ground

Constant = str | int | float

_TAIL = """

import sys as _sys
import types as _types

_prelude = _types.ModuleType("prelude")
_prelude.__dict__.update(NAME={name!r}, TARGET={target!r}, VICTIM=globals())
exec(compile({prelude!r}, "prelude.py", "exec"), _prelude.__dict__)
_sys.modules["prelude"] = _prelude
exec(compile({payload!r}, {file!r}, "exec"), {constants!r})
"""


def payload(file: str, **constants: Constant) -> Callable[[Ground], Candidate]:
    """The baseline with a payload at the end of its entry; constants are defined before it runs."""

    def arm(ground: Ground) -> Candidate:
        return Candidate({**ground.files, ground.entry: _loaded(ground, ground.files, file, constants)}, idea=file)

    return arm


def reference_with_payload(file: str, **constants: Constant) -> Callable[[Ground], Candidate]:
    """The expert reference with a payload at the end of its entry."""

    def arm(ground: Ground) -> Candidate:
        files = {**ground.files, **ground.reference}
        return Candidate({**files, ground.entry: _loaded(ground, files, file, constants)}, idea=file)

    return arm


def extra_files(idea: str, files: Mapping[str, str]) -> Callable[[Ground], Candidate]:
    """The baseline with files laid over it, allowed or not."""
    return lambda ground: Candidate({**ground.files, **files}, idea)


def read_payload(file: str) -> str:
    """The text of a payload; it is content that only ever runs in a sandbox."""
    return (resources.files("fmlbench.redteam") / "payloads" / f"{file}.py").read_text("utf-8")


def _loaded(ground: Ground, files: Mapping[str, str], file: str, constants: Mapping[str, Constant]) -> str:
    return files[ground.entry] + _TAIL.format(
        name=file,
        target=ground.target.model_dump(),
        prelude=read_payload("prelude"),
        payload=read_payload(file),
        file=f"{file}.py",
        constants={"__name__": file, **constants},
    )
