"""Find the user's cache folder and runs folder."""

import os
from pathlib import Path

from fmlbench.workspace.dirs import Dirs

CACHE_VARIABLE = "FMLBENCH_CACHE"
RUNS_VARIABLE = "FMLBENCH_RUNS"


def find_dirs() -> Dirs:
    """The folders that the environment variables name, or the defaults."""
    cache = os.environ.get(CACHE_VARIABLE)
    runs = os.environ.get(RUNS_VARIABLE)
    return Dirs(
        cache=(Path(cache).expanduser() if cache else _user_cache() / "fmlbench").absolute(),
        runs=(Path(runs).expanduser() if runs else Path("runs")).absolute(),
    )


def _user_cache() -> Path:
    """The XDG cache folder; the XDG specification says to ignore relative paths."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".cache"
