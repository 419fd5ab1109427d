"""Clusters on this machine: two nodes of Ray, or a whole SLURM, with ports and folders of their own."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

RAY_ADDRESS = "127.0.0.1:26379"
RAY_SETTINGS = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}

_SLURM_CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4096 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@contextmanager
def daemon(command: Sequence[str], settings: dict[str, str], log: Path) -> Generator["subprocess.Popen[bytes]"]:
    """A process of ours, in a session of its own; all of it is killed in the end."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, env={**os.environ, **settings}, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield process
    finally:
        for pid in [*descendants(process.pid), process.pid]:
            _kill(pid)
        process.wait()


def descendants(pid: int) -> Iterator[int]:
    """Children and their children."""
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in listing.read_text().split()]
        except OSError:
            continue
        for child in children:
            yield child
            yield from descendants(child)


def wait_until(is_so: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.2)


@contextmanager
def ray_nodes(folder: Path) -> Generator[Callable[[], None]]:
    """Two nodes with a core each; gives a function that kills the second one."""
    ray = str(Path(sys.executable).with_name("ray"))
    head = ["--head", "--port=26379", "--include-dashboard=false", "--min-worker-port=27000", "--max-worker-port=27100"]
    second = [f"--address={RAY_ADDRESS}", "--min-worker-port=27200", "--max-worker-port=27300"]
    both = ["--node-ip-address=127.0.0.1", "--num-cpus=1", "--block"]
    with ExitStack() as stack:
        log = folder / "ray.log"
        stack.enter_context(daemon([ray, "start", *head, *both], RAY_SETTINGS, log))
        wait_until(lambda: _listens(26379))
        worker = stack.enter_context(daemon([ray, "start", *second, *both], RAY_SETTINGS, log))
        wait_until(lambda: any(_is_raylet(pid) for pid in descendants(worker.pid)))
        time.sleep(5)  # until the head knows of it

        def kill_second() -> None:
            (raylet,) = (pid for pid in descendants(worker.pid) if _is_raylet(pid))
            _kill(raylet)

        yield kill_second


@contextmanager
def slurm(folder: Path) -> Generator[dict[str, str]]:
    """A controller and one node with two cores; gives the settings by which programs find them."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    conf = folder / "slurm.conf"
    conf.write_text(_SLURM_CONF.format(host=socket.gethostname(), folder=folder))
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    munge = [f"--{what}-file={folder}/munge.{what}" for what in ("key", "pid", "log", "seed")]
    settings = {"SLURM_CONF": str(conf)}
    with ExitStack() as stack:
        log = folder / "daemons.log"
        socket_file = folder / "munge.socket"
        stack.enter_context(daemon(["munged", "--foreground", "--force", f"--socket={socket_file}", *munge], {}, log))
        wait_until(socket_file.exists)
        stack.enter_context(daemon(["slurmctld", "-D", "-f", str(conf)], settings, log))
        stack.enter_context(daemon(["slurmd", "-D", "-f", str(conf)], settings, log))
        wait_until(lambda: "idle" in _ask(settings, "sinfo", "--noheader", "--format=%T"))
        try:
            yield settings
        finally:
            # Jobs are kept by processes that outlive the daemons.
            _ask(settings, "scancel", "--partition=debug")
            wait_until(lambda: not _ask(settings, "squeue", "--noheader"))


def has_slurm() -> bool:
    return all(shutil.which(program) for program in ("munged", "slurmctld", "slurmd", "sbatch"))


def _ask(settings: dict[str, str], *command: str) -> str:
    return subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False).stdout


def _is_raylet(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "raylet"
    except OSError:
        return False


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
