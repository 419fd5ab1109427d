"""Execute or resume a run in a separate process, and die by SIGKILL after a given number of events.

python -m tests.endurance.player CACHE RUNS RUN [DIE_AFTER]
"""

import os
import signal
import sys
from pathlib import Path

from fmlbench.core.progress import Silent
from fmlbench.engine.run import execute_run, load_run
from fmlbench.records.events import Event, StepStarted
from fmlbench.records.folder import find_run
from fmlbench.workspace.dirs import Dirs


class Fuse:
    """Counts down with every event that is logged for the first time."""

    def __init__(self, length: int) -> None:
        self.left = length

    def burn(self, event: Event) -> None:
        if isinstance(event, StepStarted) and event.attempt > 1:
            return  # a repeated experiment: dying here each time, a run would never make progress
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def main(cache: str, runs: str, run: str, die_after: str = "0") -> None:
    dirs = Dirs(cache=Path(cache), runs=Path(runs))
    execute_run(load_run(find_run(run, dirs.runs), dirs), progress=Silent(), watch=Fuse(int(die_after)).burn)


if __name__ == "__main__":
    main(*sys.argv[1:])
