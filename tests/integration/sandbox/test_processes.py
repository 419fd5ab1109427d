"""Resource usage is read from /proc."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from fmlbench.core.task import Limits
from fmlbench.sandbox.processes import ProcessTree

LIMITS = Limits(cpu_seconds=1, wall_seconds=1, memory_mb=1000, processes=10)

# Root > child > three grandchildren, one of them started by a thread; all wait until their input ends.
FAMILY = """
import os, sys, threading, time
ballast = bytearray(b"x") * (30 * 2**20)
if os.fork() == 0:
    for _ in range(2):
        if os.fork() == 0:
            os.read(0, 1)
            os._exit(0)
    def fork():
        if os.fork() == 0:
            os.read(0, 1)
            os._exit(0)
    thread = threading.Thread(target=lambda: (fork(), os.read(0, 1)), daemon=True)
    thread.start()
    while time.process_time() < 0.5:
        pass
    print("ready", flush=True)
    os.read(0, 1)
    os._exit(0)
os.wait()
print("reaped", flush=True)
time.sleep(1000)
"""


@pytest.fixture
def family() -> Iterator["subprocess.Popen[str]"]:
    root = subprocess.Popen([sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert root.stdout
    assert root.stdout.readline() == "ready\n"
    with root:
        yield root
        root.kill()


def test_all_descendants_are_found(family: "subprocess.Popen[str]") -> None:
    tree = ProcessTree(family.pid, LIMITS)
    assert len(tree.pids()) == 4
    assert family.pid not in tree.pids()
    usage = tree.usage()
    assert usage.processes == 5  # Four processes, one of which has a second thread.
    assert usage.cpu_seconds >= 0.45
    assert usage.memory_bytes >= 4 * 30 * 2**20


def test_shared_memory_counts_once_where_it_matters(family: "subprocess.Popen[str]") -> None:
    tree = ProcessTree(family.pid, LIMITS.model_copy(update={"memory_mb": 50}))
    assert tree.usage().memory_bytes < 50 * 2**20


def test_counting_a_fork_bomb_stops_early(family: "subprocess.Popen[str]") -> None:
    tree = ProcessTree(family.pid, LIMITS.model_copy(update={"processes": 1}))
    assert tree.usage().processes > 1
    assert len(tree.pids()) <= 2


def test_cpu_time_of_ended_processes_still_counts(family: "subprocess.Popen[str]") -> None:
    tree = ProcessTree(family.pid, LIMITS)
    before = tree.usage().cpu_seconds
    assert family.stdin
    assert family.stdout
    family.stdin.close()
    assert family.stdout.readline() == "reaped\n"
    assert tree.pids() == []
    assert tree.usage().cpu_seconds >= before
    family.kill()
    family.wait()
    assert tree.usage().cpu_seconds >= before
