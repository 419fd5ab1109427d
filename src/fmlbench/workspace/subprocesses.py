"""Ask other programs (pip, npm, git) for something, with the user's own settings for them."""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from fmlbench.workspace.source_failures import SourceFailed

_PATIENCE_SECONDS = 3600
"""These programs give up by themselves long before; this is for one that hangs."""

_DISK_FULL = re.compile(r"\bENOSPC\b|No space left on device")


def run_program(command: Sequence[str], folder: Path, explain: Callable[[str], str]) -> str:
    """Run a program in a folder and return all it printed, or raise with what ``explain`` makes of it."""
    if shutil.which(command[0]) is None:
        raise SourceFailed(f"{command[0]} is not installed")
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"{Path(command[0]).name} did not end") from error
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0 and _DISK_FULL.search(output):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    if done.returncode != 0:
        raise SourceFailed(explain(output) or f"{Path(command[0]).name} failed with code {done.returncode}")
    return output
