"""A frozen job does nothing, however many processes it has and starts."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fmlbench.core.task import Limits
from fmlbench.sandbox.freeze import Freezer
from fmlbench.sandbox.processes import ProcessTree

LIMITS = Limits(cpu_seconds=60, wall_seconds=600, memory_mb=1000, disk_mb=100, files=100, processes=200)
COUNT = """
import os, sys, threading, time
for child in range(3):
    if not os.fork():
        break
def count(name):
    with open(f"{sys.argv[1]}/{os.getpid()}.{name}", "ab", 0) as file:
        while True:
            file.write(b".")
            time.sleep(0.001)
for name in ("a", "b"):
    threading.Thread(target=count, args=[name]).start()
for _ in range(100_000):  # and a child that ends, again and again
    if not os.fork():
        os._exit(0)
    os.wait()
    time.sleep(0.001)
os._exit(0)
"""


@pytest.fixture
def freezer(tmp_path: Path) -> Iterator[Freezer]:
    """Freezes a tree of processes that write continuously."""
    words = [
        sys.executable,
        "-c",
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {COUNT!r}, *sys.argv[1:]])",
    ]
    root = subprocess.Popen([*words, str(tmp_path)])
    tree = ProcessTree(root.pid, LIMITS)
    held = Freezer()
    held.begin(tree.pids)
    wait_until(lambda: len(list(tmp_path.iterdir())) == 8)
    try:
        yield held
    finally:
        with held.frozen():
            for pid in tree.pids():
                subprocess.run(["kill", "-KILL", str(pid)], check=False)
        root.wait()


def wait_until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.01)


def written(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir()}


def test_a_frozen_job_does_nothing_and_continues_afterwards(freezer: Freezer, tmp_path: Path):
    with freezer.frozen():
        before = written(tmp_path)
        time.sleep(0.3)
        assert written(tmp_path) == before
    wait_until(lambda: all(size > before[name] for name, size in written(tmp_path).items()))


def test_a_job_continues_after_an_error_in_the_context(freezer: Freezer, tmp_path: Path):
    with pytest.raises(ZeroDivisionError), freezer.frozen():
        raise ZeroDivisionError
    before = written(tmp_path)
    wait_until(lambda: all(size > before[name] for name, size in written(tmp_path).items()))
