"""The entry point of every stage: import slow libraries, wait at the start barrier, run the task's program.

    python start.py PROGRAM ROOT
    python start.py PROGRAM BARRIER ROOT
    python start.py PROGRAM STEP ROOT

PROGRAM, a driver, grader or dataset builder, is a path below ROOT. BARRIER is the descriptor of a pipe: until a byte
arrives, the previous stage still runs, and this process reads and runs no candidate code. STEP is for dataset builders.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

SLOW_TO_IMPORT = ("numpy",) if sys.flags.isolated else ("numpy", "torch")
"""Graders are started isolated (-I), and few of them use PyTorch."""


def wait_at_barrier(barrier: int) -> bool:
    """Import slow libraries from the read-only environment, then wait; False if the job was cancelled."""
    for name in SLOW_TO_IMPORT:
        with suppress(ImportError):
            import_module(name)
    signal = os.read(barrier, 1)
    os.close(barrier)
    return bool(signal)


def run_program(program: Path, *arguments: str) -> None:
    """Run as ``python PROGRAM ... ROOT`` would; drivers import from the candidate's tree first."""
    root = arguments[-1]
    if sys.flags.isolated:
        # Isolated Python leaves out the folders of programs.
        sys.path[:0] = [str(program.parent), str(Path(__file__).parent)]
    else:
        imported_from = [str(Path(root) / "repo"), str(Path(root) / "kit")]
        os.environ["PYTHONPATH"] = os.pathsep.join(imported_from)
        sys.path[:1] = [str(program.parent), *imported_from]
    sys.argv[:] = [str(program), *arguments]
    main = ModuleType("__main__")
    main.__file__ = str(program)
    sys.modules["__main__"] = main
    exec(compile(program.read_bytes(), program, "exec"), main.__dict__)  # noqa: S102 - the task's own file


if __name__ == "__main__":
    path, *words, root = sys.argv[1:]
    if not (words and words[0].isdigit()):
        run_program(Path(root) / path, *words, root)
    elif wait_at_barrier(int(words[0])):
        run_program(Path(root) / path, root)
