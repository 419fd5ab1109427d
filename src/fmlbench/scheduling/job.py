"""Carry out a job: play a run with ``fmlbench resume``, and write down in its folder what came of it.

    python -m fmlbench.scheduling.job CACHE TABLE ROW [GPUS]

plays, one after the other, the runs in a row of a table of folders. This is what SLURM is given. GPUS are the numbers
of those that the job was given, with commas between them.
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
from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, note
from fmlbench.scheduling.run_status import progress_of, read_run_status

_LOOK_SECONDS = 0.1
_GRACE_SECONDS = 60.0
"""How long a player may take to put everything away before it is killed."""

_ENDINGS = {
    0: AttemptEnd.COMPLETE,
    2: AttemptEnd.REFUSED,
    75: AttemptEnd.TROUBLE,
    130: AttemptEnd.CUT_OFF,
    143: AttemptEnd.CUT_OFF,
}
"""By the exit codes that the command line promises."""


@dataclass(frozen=True)
class Player:
    """How runs are played somewhere."""

    cache: Path
    python: str = sys.executable
    cores: tuple[int, ...] = ()
    """The only ones it may use; any, where none are named."""
    gpus: tuple[int, ...] = ()
    """The only ones its candidates see; all, where none are named."""

    def command(self, folder: RunFolder) -> list[str]:
        """What to start; the cache is named, for the environment of a cluster's node may be another."""
        gpus = [word for gpu in self.gpus for word in ("--gpu", str(gpu))]
        program = [self.python, "-m", "fmlbench", "resume", str(folder.path), *gpus]
        return [shutil.which("env") or "env", f"FMLBENCH_CACHE={self.cache}", *program]


def gpu_numbers(names: Iterable[object]) -> tuple[int, ...]:
    """The N of each GPU's /dev/nvidiaN, where a cluster names them so; none where one has another kind of name.

    A part of a GPU, or one that is named by its UUID, cannot be told from the others by its device file.
    """
    words = [str(name).strip() for name in names]
    return tuple(map(int, words)) if all(word.isdecimal() for word in words) else ()


def carry_out(
    folder: RunFolder, player: Player, stop: threading.Event, *, stopped_as: AttemptEnd = AttemptEnd.STOPPED
) -> AttemptEnd:
    """Play a run until it ends or ``stop`` is set, which counts as ``stopped_as``."""
    note(folder, Began(done=progress_of(folder)))
    with folder.player_log.open("wb") as log:
        process = subprocess.Popen(
            player.command(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            # Ctrl-C on a terminal is for the sweep, which then ends its players in good order.
            start_new_session=True,
        )
    if player.cores:
        # Cores may be taken away while a sweep goes on; a run without cores of its own is only slower.
        with suppress(OSError):
            sched_setaffinity(process.pid, player.cores)
    is_interrupted = False
    try:
        _wait(process, stop)
    except BaseException:
        # An event that other jobs share must not stop them too.
        is_interrupted = True
        raise
    finally:
        _end(process)
        is_wanted = is_interrupted or stop.is_set()
        ended = _ended(folder, process.returncode, stopped_as if is_wanted else AttemptEnd.CUT_OFF)
        note(folder, ended)
    if ended.ending is AttemptEnd.COMPLETE:
        # Kept here, where the run was played: a sweep that comes back later need not read its logs.
        read_run_status(folder)
    return ended.ending


def _wait(process: "subprocess.Popen[bytes]", stop: threading.Event) -> None:
    while process.poll() is None and not stop.is_set():
        try:
            process.wait(_LOOK_SECONDS)
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


def _ended(folder: RunFolder, code: int, when_stopped: AttemptEnd) -> Ended:
    if code == -signal.SIGTERM:
        # It was asked to stop before it had learnt what to do about that.
        code = 128 + signal.SIGTERM
    if code < 0:
        return Ended(ending=AttemptEnd.KILLED, reason=f"the player was killed by {signal.Signals(-code).name}")
    ending = _ENDINGS.get(code, AttemptEnd.CRASHED)
    if ending is AttemptEnd.CUT_OFF:
        ending = when_stopped
    is_wanted_so = folder.cancelled.exists() or (ending is AttemptEnd.REFUSED and holder_of(folder.path))
    if is_wanted_so and ending in {AttemptEnd.CUT_OFF, AttemptEnd.REFUSED}:
        ending = AttemptEnd.STOPPED
    return Ended(ending=ending, reason=_last_words(folder) if ending is not AttemptEnd.COMPLETE else "")


def _last_words(folder: RunFolder) -> str:
    """The error that the player complained of, or else its last line."""
    lines = folder.player_log.read_text("utf-8", "replace").strip().splitlines()
    errors = [line.removeprefix("error:").strip() for line in lines if line.startswith("error:")]
    return (errors or lines or [""])[-1][:500]


def play_row(player: Player, table: Path, row: int, stop: threading.Event) -> None:
    """Play the runs of a row, one after the other; what is complete ends at once."""
    for path in table.read_text("utf-8").splitlines()[row].split("\t"):
        if not stop.is_set():
            carry_out(RunFolder(Path(path)), player, stop, stopped_as=AttemptEnd.CUT_OFF)


def main(arguments: Sequence[str]) -> None:
    """Be a job of a cluster, which asks it to stop with SIGTERM."""
    cache, table, row, *gpus = arguments
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    signal.signal(signal.SIGTERM, end)
    named = [word for words in gpus for word in words.split(",") if word]
    play_row(Player(cache=Path(cache), gpus=gpu_numbers(named)), Path(table), int(row), stop)


if __name__ == "__main__":
    main(sys.argv[1:])
