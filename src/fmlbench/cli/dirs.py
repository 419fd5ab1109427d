"""Find the folders of this user: where things are kept, and where runs go."""

import os
from pathlib import Path

from fmlbench.workspace.dirs import Dirs

CACHE_VARIABLE = "FMLBENCH_CACHE"
RUNS_VARIABLE = "FMLBENCH_RUNS"


def find_dirs() -> Dirs:
    """The cache and the runs folder, as the environment says or where such things usually lie."""
    cache = os.environ.get(CACHE_VARIABLE)
    runs = os.environ.get(RUNS_VARIABLE)
    return Dirs(
        cache=(Path(cache).expanduser() if cache else _user_cache() / "fmlbench").absolute(),
        runs=(Path(runs).expanduser() if runs else Path("runs")).absolute(),
    )


def _user_cache() -> Path:
    """By the XDG rules, which say to ignore a relative path."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".cache"
