"""Run other programs (pip, npm, git) with the user's settings."""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from fmlbench.workspace.source_failures import SourceFailed

_TIMEOUT_SECONDS = 3600
"""For a program that hangs; these programs have shorter timeouts of their own."""

_DISK_FULL = re.compile(r"\bENOSPC\b|No space left on device")


def run_program(command: Sequence[str], folder: Path, explain: Callable[[str], str]) -> str:
    """Run a program in a folder and return its output; on failure ``explain`` extracts the reason from the output."""
    if shutil.which(command[0]) is None:
        raise SourceFailed(f"{command[0]} is not installed")
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceFailed(f"{Path(command[0]).name} timed out") from error
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0 and _DISK_FULL.search(output):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    if done.returncode != 0:
        raise SourceFailed(explain(output) or f"{Path(command[0]).name} failed with code {done.returncode}")
    return output
