"""Execute a job: run ``fmlbench resume`` and log the result in the run's folder.

    python -m fmlbench.scheduling.job CACHE TABLE ROW [GPUS]

executes the runs in one row of a table of folders sequentially. This is the command of SLURM jobs. GPUS are the
comma-separated numbers of the job's GPUs.
"""

import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import sched_setaffinity
from pathlib import Path
from types import FrameType

from fmlbench.records.folder import RunFolder
from fmlbench.records.lease import holder_of
from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, log_attempt
from fmlbench.scheduling.run_status import progress_of, read_run_status

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 60.0
"""Time for a clean shutdown before the process is killed."""

_ENDINGS = {
    0: AttemptEnd.COMPLETE,
    2: AttemptEnd.REFUSED,
    75: AttemptEnd.TROUBLE,
    130: AttemptEnd.CUT_OFF,
    143: AttemptEnd.CUT_OFF,
}
"""By exit code of the command line (fmlbench.cli.errors)."""


@dataclass(frozen=True)
class JobRunner:
    """How to start the process that executes a run."""

    cache: Path
    python: str = sys.executable
    cores: tuple[int, ...] = ()
    """The cores it may use; all if empty."""
    gpus: tuple[int, ...] = ()
    """The GPUs its candidates see; all if empty."""

    def command(self, folder: RunFolder) -> list[str]:
        """The command. It sets the cache folder, because a cluster node may have another environment."""
        gpus = [word for gpu in self.gpus for word in ("--gpu", str(gpu))]
        program = [self.python, "-m", "fmlbench", "resume", str(folder.path), *gpus]
        return [shutil.which("env") or "env", f"FMLBENCH_CACHE={self.cache}", *program]


def gpu_numbers(names: Iterable[object]) -> tuple[int, ...]:
    """The N of each GPU's /dev/nvidiaN; empty if a name is not a number.

    A GPU partition or a GPU named by UUID cannot be mapped to a device file.
    """
    words = [str(name).strip() for name in names]
    return tuple(map(int, words)) if all(word.isdecimal() for word in words) else ()


def run_job(
    folder: RunFolder, runner: JobRunner, stop: threading.Event, *, stopped_as: AttemptEnd = AttemptEnd.STOPPED
) -> AttemptEnd:
    """Execute a run until it ends or ``stop`` is set; a stop is logged as ``stopped_as``."""
    log_attempt(folder, Began(done=progress_of(folder)))
    with folder.player_log.open("wb") as log:
        process = subprocess.Popen(
            runner.command(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            # Ctrl-C on a terminal must reach only the sweep, which then stops its runs cleanly.
            start_new_session=True,
        )
    if runner.cores:
        # Cores may be removed during a sweep; a run without dedicated cores is only slower.
        with suppress(OSError):
            sched_setaffinity(process.pid, runner.cores)
    is_interrupted = False
    try:
        _wait(process, stop)
    except BaseException:
        # Do not set ``stop`` here: other jobs share the event.
        is_interrupted = True
        raise
    finally:
        _end(process)
        is_wanted = is_interrupted or stop.is_set()
        ended = _end_of(folder, process.returncode, stopped_as if is_wanted else AttemptEnd.CUT_OFF)
        log_attempt(folder, ended)
    if ended.ending is AttemptEnd.COMPLETE:
        # This caches the status, so that a later sweep need not read the logs.
        read_run_status(folder)
    return ended.ending


def _wait(process: "subprocess.Popen[bytes]", stop: threading.Event) -> None:
    while process.poll() is None and not stop.is_set():
        try:
            process.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            continue


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _end_of(folder: RunFolder, code: int, when_stopped: AttemptEnd) -> Ended:
    if code == -signal.SIGTERM:
        # SIGTERM arrived before the process had installed its handler.
        code = 128 + signal.SIGTERM
    if code < 0:
        return Ended(ending=AttemptEnd.KILLED, reason=f"killed by {signal.Signals(-code).name}")
    ending = _ENDINGS.get(code, AttemptEnd.CRASHED)
    if ending is AttemptEnd.CUT_OFF:
        ending = when_stopped
    is_wanted_so = folder.cancelled.exists() or (ending is AttemptEnd.REFUSED and holder_of(folder.path))
    if is_wanted_so and ending in {AttemptEnd.CUT_OFF, AttemptEnd.REFUSED}:
        ending = AttemptEnd.STOPPED
    return Ended(ending=ending, reason=_last_error(folder) if ending is not AttemptEnd.COMPLETE else "")


def _last_error(folder: RunFolder) -> str:
    """The last error message of the process, or its last line."""
    lines = folder.player_log.read_text("utf-8", "replace").strip().splitlines()
    errors = [line.removeprefix("error:").strip() for line in lines if line.startswith("error:")]
    return (errors or lines or [""])[-1][:500]


def play_row(runner: JobRunner, table: Path, row: int, stop: threading.Event) -> None:
    """Execute the runs of a row sequentially; complete runs end immediately."""
    for path in table.read_text("utf-8").splitlines()[row].split("\t"):
        if not stop.is_set():
            run_job(RunFolder(Path(path)), runner, stop, stopped_as=AttemptEnd.CUT_OFF)


def main(arguments: Sequence[str]) -> None:
    """Run as a cluster job, which is stopped with SIGTERM."""
    cache, table, row, *gpus = arguments
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    signal.signal(signal.SIGTERM, end)
    named = [word for words in gpus for word in words.split(",") if word]
    play_row(JobRunner(cache=Path(cache), gpus=gpu_numbers(named)), Path(table), int(row), stop)


if __name__ == "__main__":
    main(sys.argv[1:])
