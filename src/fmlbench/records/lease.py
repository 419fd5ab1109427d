"""Who plays a run, told by a heartbeat: for machines that share a file system but not each other's locks.

RUN/
  lease.7     host, boot and process of the player; its age is how long nobody has heard of that player
  cancelled   left by whoever wants the run stopped; the player sees it with its next heartbeat

Numbers only grow, and a file of a given name can be made by one process alone, so of all who want to take over from a
dead player one succeeds. A player that was given up for dead but lives (a machine that slept) finds a higher number
than its own and stops. Ages are compared by the file system's own clock: those of machines may differ.
"""

import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import RunLocked
from fmlbench.core.record import Record

HEARTBEAT_SECONDS = 5.0
STALE_SECONDS = 60.0
"""How long a player may be silent; a dozen heartbeats, as shared file systems hesitate."""

CANCELLED = "cancelled"

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Lease(Record):
    """Who took a run, and whether it was given back."""

    host: str
    boot: str
    """Tells kernels apart, whose processes and locks are their own; containers of one machine share it."""
    pid: int
    began: int | None = None
    """When the process started, in its kernel's own count: a number is given to many processes, one after the other.

    None on leases of earlier versions, as is an empty namespace.
    """
    namespace: str = ""
    """In which its number counts: containers of one machine number their processes each for itself."""
    released: bool = False


@dataclass(frozen=True)
class Holder:
    """A player that is at work, as far as anybody can tell."""

    lease: Lease
    silent_seconds: float


def me() -> Lease:
    """The lease that this process would hold."""
    boot = _BOOT_ID.read_text("ascii").strip() if _BOOT_ID.exists() else ""
    pid = os.getpid()
    return Lease(host=socket.gethostname(), boot=boot, pid=pid, began=_start_of(pid), namespace=_namespace())


def end_this_process() -> None:
    """Ask this process to put everything away and end; what is logged is kept."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def leased(
    run: Path,
    *,
    lease: Lease | None = None,
    stop: Callable[[], None] = end_this_process,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> Generator[None]:
    """Hold a run's lease and renew it; ``stop`` is called when it is lost, or the run cancelled."""
    lease = lease or me()
    number = _take(run, lease)
    over = threading.Event()
    beating = threading.Thread(target=_keep, args=(run, number, over, stop, heartbeat_seconds), daemon=True)
    beating.start()
    try:
        yield
    finally:
        over.set()
        beating.join()
        _write(_file(run, number), lease.model_copy(update={"released": True}))


def holder_of(run: Path, observer: Lease | None = None) -> Holder | None:
    """Who plays a run now; asks nothing of the player, so anybody may look as often as they like."""
    number = _latest(run)
    lease = _read(_file(run, number)) if number else None
    if lease is None or lease.released:
        return None
    silent = _silence(run, number)
    return Holder(lease, silent) if silent < STALE_SECONDS and not is_known_dead(lease, observer or me()) else None


def is_known_dead(lease: Lease, observer: Lease) -> bool:
    """Whether a process is gone; of other machines and other containers nobody knows."""
    return _is_in_sight(lease, observer) and not _is_there(lease)


def is_known_alive(lease: Lease, observer: Lease) -> bool:
    """Whether a process is there, and is the one that it was."""
    return _is_in_sight(lease, observer) and _is_there(lease)


def _is_in_sight(lease: Lease, observer: Lease) -> bool:
    return lease.boot == observer.boot and lease.namespace in {"", observer.namespace}


def _is_there(lease: Lease) -> bool:
    start = _start_of(lease.pid)
    return start is not None and lease.began in {None, start}


def _start_of(pid: int) -> int | None:
    """When a process started, in ticks since the kernel did; None if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The 22nd word; the second one is the program's name, which may have spaces and brackets of its own.
    return int(stat.rpartition(")")[2].split()[19])


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _take(run: Path, lease: Lease) -> int:
    """Make the lease with the next number; whoever holds this machine's lock need not heed a lease from here."""
    number = _latest(run)
    holder = holder_of(run, lease)
    if holder and holder.lease.boot != lease.boot:
        raise RunLocked(
            f"A process on {holder.lease.host} (id {holder.lease.pid}) is playing this run; "
            f"it was heard of {holder.silent_seconds:.0f} s ago.",
            hint=f"Wait for it to end. If it is dead, the run is free after {STALE_SECONDS:.0f} s of silence.",
        )
    if not _make(_file(run, number + 1), lease):
        raise RunLocked("Another process has just begun to play this run.", hint="Wait for it to end.")
    _file(run, number).unlink(missing_ok=True)
    return number + 1


def _make(path: Path, lease: Lease) -> bool:
    """Whether it was this process that made the lease, and nobody has a higher one."""
    fresh = path.with_name(f"lease.new.{lease.host}.{lease.pid}")
    fresh.write_text(lease.model_dump_json(), "utf-8")
    try:
        os.link(fresh, path)
    except FileExistsError:
        return False
    finally:
        fresh.unlink()
    if _latest(path.parent) > int(path.suffix[1:]):
        # Whoever lists a folder while a file replaces another may see neither of them.
        path.unlink()
        return False
    return True


def _keep(run: Path, number: int, over: threading.Event, stop: Callable[[], None], seconds: float) -> None:
    while not over.wait(seconds):
        if _latest(run) > number or (run / CANCELLED).exists():
            stop()
            return
        # A moment of trouble with the file system is no reason to stop: others wait a dozen heartbeats.
        with suppress(OSError):
            os.utime(_file(run, number))


def _latest(run: Path) -> int:
    """The highest number there is; 0 where there is none."""
    # The names of leases in the making and of probes end in numbers, too: of a process, and of a thread.
    numbers = [path.name.removeprefix("lease.") for path in run.glob("lease.*")]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _file(run: Path, number: int) -> Path:
    return run / f"lease.{number}"


def _read(path: Path) -> Lease | None:
    """A lease; None if it was replaced meanwhile, or torn by a kill before it was whole."""
    try:
        return Lease.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _write(path: Path, lease: Lease) -> None:
    fresh = path.with_name(f"lease.new.{lease.host}.{lease.pid}")
    # Whoever cannot write this any more lost the run or its disk; the lease then goes stale by itself.
    with suppress(OSError):
        fresh.write_text(lease.model_dump_json(), "utf-8")
        fresh.replace(path)


def _silence(run: Path, number: int) -> float:
    """How long ago a lease was renewed, both times told by the file system."""
    probe = run / f"lease.now.{socket.gethostname()}.{os.getpid()}.{threading.get_ident()}"
    try:
        probe.touch()
        return max(0.0, probe.stat().st_mtime - _file(run, number).stat().st_mtime)
    except OSError:
        return 0.0
    finally:
        with suppress(OSError):
            probe.unlink()
