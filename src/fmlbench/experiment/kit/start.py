"""Where every stage begins: get ready, wait for the turn, then become the task's driver, or its grader.

    python start.py PROGRAM ROOT
    python start.py PROGRAM GATE ROOT

PROGRAM and the rest of the world lie below ROOT. GATE is a pipe: until a byte comes through it, the stage before is
still at work, and nothing of the candidate's is read or run here.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

SLOW_TO_IMPORT = ("numpy",) if sys.flags.isolated else ("numpy", "torch")
"""Graders are started isolated, and few of them use PyTorch."""


def wait_for_turn(gate: int) -> bool:
    """Import what takes long from the environment, which no candidate can write to; True when it is our turn."""
    for name in SLOW_TO_IMPORT:
        with suppress(ImportError):
            import_module(name)
    turn = os.read(gate, 1)
    os.close(gate)
    return bool(turn)


def become(program: Path, root: str) -> None:
    """Go on as if this had been started as ``python PROGRAM ROOT``; drivers import from the candidate's tree first."""
    if not sys.flags.isolated:
        imported_from = [str(Path(root) / "repo"), str(Path(root) / "kit")]
        os.environ["PYTHONPATH"] = os.pathsep.join(imported_from)
        sys.path[:1] = [str(program.parent), *imported_from]
    sys.argv[:] = [str(program), root]
    main = ModuleType("__main__")
    main.__file__ = str(program)
    sys.modules["__main__"] = main
    exec(compile(program.read_bytes(), program, "exec"), main.__dict__)  # noqa: S102 - the task's own file


if __name__ == "__main__":
    path, *waiting, root = sys.argv[1:]
    if not waiting or wait_for_turn(int(waiting[0])):
        become(Path(root) / path, root)
