import subprocess
import sys
from pathlib import Path

from fmlbench.redteam.leftovers import processes_of


def test_a_process_is_found_by_the_name_of_its_run_until_it_ends(tmp_path: Path):
    run = tmp_path / "toy.cpu.redteam.s0.abc"
    waiting = "import sys; sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", waiting, run / "experiments"], stdin=subprocess.PIPE) as process:
        assert processes_of(run) == [process.pid]
    assert processes_of(run) == []
