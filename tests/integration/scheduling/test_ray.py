"""What is asked of Ray and handed on to runners; Ray itself is stood in for by an object of its shape."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fmlbench.scheduling.engines.ray_cluster import play
from tests.integration.scheduling.test_job import new_run, runner


@pytest.mark.parametrize(
    ("given", "passed_on"),
    [([1, 3], ["--gpu", "1", "--gpu", "3"]), (["2"], ["--gpu", "2"]), ([], []), (["GPU-8a"], [])],
)
def test_a_task_shows_its_run_the_gpus_that_ray_gave_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[int | str], passed_on: list[str]
):
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(get_gpu_ids=lambda: given))
    run = new_run(tmp_path)
    play(str(run.path), runner(tmp_path, f'echo "$*" > {tmp_path}/said'))
    assert (tmp_path / "said").read_text().split()[4:] == passed_on
