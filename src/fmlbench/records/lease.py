"""The lock and the lease of a run: at most one process executes it, also across machines that share a file system.

RUN/
  lock        locked by the holder; the kernel releases the lock when the holder dies
  lease.7     host, boot id and PID of the holder; each heartbeat updates its modification time
  cancelled   created to stop the run; the holder checks for it with each heartbeat

Lease numbers only increase, and creating a file is atomic, so only one process can take over from a dead holder. A
holder that was wrongly considered dead (its machine slept) finds a higher number than its own and stops. Ages are
measured with the file system's clock, because the clocks of machines may differ.
"""

import fcntl
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
"""A lease without a heartbeat for this long is stale; a dozen heartbeats, because shared file systems can be slow."""

CANCELLED = "cancelled"

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Lease(Record):
    """Which process holds a run, and whether it has released it."""

    host: str
    boot: str
    """The kernel's boot id: PIDs and locks are per kernel. Containers on one machine share it."""
    pid: int
    began: int | None = None
    """Start time of the process in kernel ticks, because PIDs are reused.

    None on leases of earlier versions, as is an empty namespace.
    """
    namespace: str = ""
    """The PID namespace: each container numbers its processes separately."""
    released: bool = False


@dataclass(frozen=True)
class Holder:
    """A process that holds a run's lease and is not known to be dead."""

    lease: Lease
    silent_seconds: float


def own_lease() -> Lease:
    """The lease that this process would hold."""
    boot = _BOOT_ID.read_text("ascii").strip() if _BOOT_ID.exists() else ""
    pid = os.getpid()
    return Lease(host=socket.gethostname(), boot=boot, pid=pid, began=start_ticks_of(pid), namespace=_namespace())


def start_ticks_of(pid: int) -> int | None:
    """The start time of a process; with the PID it identifies the process uniquely. None if it does not exist."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The 22nd field; the second one is the program's name, which may contain spaces and parentheses.
    return int(stat.rpartition(")")[2].split()[19])


def end_this_process() -> None:
    """Send SIGTERM to this process, so that it cleans up and ends; logged events are kept."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold a run's lock and lease; raises RunLocked with the current holder."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(file, 64, 0).decode("ascii", "replace").strip() or "unknown"
            raise RunLocked(
                f"Another process (PID {holder}) is executing this run.",
                hint="Watch it with 'fmlbench show', or stop that process first.",
            ) from error
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        with leased(path.parent):
            yield
    finally:
        os.close(file)


@contextmanager
def leased(
    run: Path,
    *,
    lease: Lease | None = None,
    stop: Callable[[], None] = end_this_process,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> Generator[None]:
    """Hold a run's lease and renew it; ``stop`` is called when the lease is lost or the run is cancelled."""
    lease = lease or own_lease()
    number = _acquire(run, lease)
    done = threading.Event()
    heartbeat = threading.Thread(target=_renew, args=(run, number, done, stop, heartbeat_seconds), daemon=True)
    heartbeat.start()
    try:
        yield
    finally:
        done.set()
        heartbeat.join()
        _write(_file(run, number), lease.model_copy(update={"released": True}))


def holder_of(run: Path, observer: Lease | None = None) -> Holder | None:
    """The current holder of a run; reads files only, so it can be called at any rate."""
    number = _latest(run)
    lease = _read(_file(run, number)) if number else None
    if lease is None or lease.released:
        return None
    silent = _seconds_since_heartbeat(run, number)
    is_stale = silent >= STALE_SECONDS or is_known_dead(lease, observer or own_lease())
    return None if is_stale else Holder(lease, silent)


def is_known_dead(lease: Lease, observer: Lease) -> bool:
    """Whether the process has ended; False if it is on another machine or in another container."""
    return _is_visible(lease, observer) and not _exists(lease)


def is_known_alive(lease: Lease, observer: Lease) -> bool:
    """Whether the process exists and is the same that took the lease."""
    return _is_visible(lease, observer) and _exists(lease)


def _is_visible(lease: Lease, observer: Lease) -> bool:
    return lease.boot == observer.boot and lease.namespace in {"", observer.namespace}


def _exists(lease: Lease) -> bool:
    start = start_ticks_of(lease.pid)
    return start is not None and lease.began in {None, start}


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _acquire(run: Path, lease: Lease) -> int:
    """Create the lease with the next number; leases of this machine are ignored, because the caller holds its lock."""
    number = _latest(run)
    holder = holder_of(run, lease)
    if holder and holder.lease.boot != lease.boot:
        raise RunLocked(
            f"A process on {holder.lease.host} (PID {holder.lease.pid}) is executing this run; "
            f"its last heartbeat was {holder.silent_seconds:.0f} s ago.",
            hint=f"Wait for it to end. If it is dead, the run is free {STALE_SECONDS:.0f} s after its last heartbeat.",
        )
    if not _create(_file(run, number + 1), lease):
        raise RunLocked("Another process has just started this run.", hint="Wait for it to end.")
    _file(run, number).unlink(missing_ok=True)
    return number + 1


def _create(path: Path, lease: Lease) -> bool:
    """Create a lease; False if another process created it first or has a higher one."""
    fresh = path.with_name(f"lease.new.{lease.host}.{lease.pid}")
    fresh.write_text(lease.model_dump_json(), "utf-8")
    try:
        os.link(fresh, path)
    except FileExistsError:
        return False
    finally:
        fresh.unlink()
    if _latest(path.parent) > int(path.suffix[1:]):
        # A directory listing during a rename may contain neither the old nor the new file.
        path.unlink()
        return False
    return True


def _renew(run: Path, number: int, done: threading.Event, stop: Callable[[], None], seconds: float) -> None:
    while not done.wait(seconds):
        if _latest(run) > number or (run / CANCELLED).exists():
            stop()
            return
        # A temporary file system error is harmless: others wait a dozen heartbeats.
        with suppress(OSError):
            os.utime(_file(run, number))


def _latest(run: Path) -> int:
    """The highest lease number; 0 if there is no lease."""
    # Names of temporary files and probes end in numbers too: a PID or a thread id.
    numbers = [path.name.removeprefix("lease.") for path in run.glob("lease.*")]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _file(run: Path, number: int) -> Path:
    return run / f"lease.{number}"


def _read(path: Path) -> Lease | None:
    """A lease; None if it was replaced meanwhile or is incomplete because of a kill."""
    try:
        return Lease.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _write(path: Path, lease: Lease) -> None:
    fresh = path.with_name(f"lease.new.{lease.host}.{lease.pid}")
    # If the disk or the run's folder is gone, the lease becomes stale by itself.
    with suppress(OSError):
        fresh.write_text(lease.model_dump_json(), "utf-8")
        fresh.replace(path)


def _seconds_since_heartbeat(run: Path, number: int) -> float:
    """The age of a lease's last renewal, measured with the file system's clock."""
    probe = run / f"lease.now.{socket.gethostname()}.{os.getpid()}.{threading.get_ident()}"
    try:
        probe.touch()
        return max(0.0, probe.stat().st_mtime - _file(run, number).stat().st_mtime)
    except OSError:
        return 0.0
    finally:
        with suppress(OSError):
            probe.unlink()
