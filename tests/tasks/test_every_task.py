"""What must hold for every task of the benchmark, at its real size: one seed each, so that it stays affordable.

``fmlbench tasks check NAME`` is the whole examination.
"""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from fmlbench.core.progress import Silent
from fmlbench.core.task import Calibration, ExamName, Figure, World
from fmlbench.engine.admission import QUICK_EFFORT, QUICK_MINED_STEPS, try_exploit
from fmlbench.engine.leaks import find_leaks
from fmlbench.engine.preparation import find_changed, prepare
from fmlbench.engine.variants import Variants
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import all_tasks, find_task
from fmlbench.workspace.dirs import Dirs

TASKS = [folder.task.name for folder in all_tasks() if not {"core", "candidate"}.isdisjoint(folder.task.suites)]
ADMITTED = [folder.task.name for folder in all_tasks("core")]
EXPLOITS = [(folder.task.name, exploit.label) for folder in all_tasks("core") for exploit in folder.task.exploits]
ATTACKS = [(folder.task.name, attack.folder) for folder in all_tasks("core") for attack in folder.task.attacks]
SIGMAS = 4.0
"""How far one seed may lie from the mean on record; farther is one chance in ten thousand."""
EARNED_SIGMAS = 2.0
KNOWLEDGE_SIGMAS = 3.0
"""Admission asks for two over three seeds; one seed alone scatters more."""

pytestmark = [pytest.mark.real, pytest.mark.sandbox, pytest.mark.timeout(900)]


class Bench(NamedTuple):
    """A task that is ready, with its variants in the sandbox and, since they are trusted, on a fork server."""

    prepared: PreparedTask
    variants: Variants
    forked: Variants

    @property
    def record(self) -> Calibration:
        calibration = self.prepared.track.calibration
        assert calibration, f"{self.prepared.task.name} has no calibration on record"
        return calibration


class Benches:
    """Makes tasks ready when they are first asked for."""

    def __init__(self, dirs: Dirs, sandbox: Sandbox, server: ForkServer) -> None:
        self._places = dirs
        self._sandbox = sandbox
        self._server = server
        self._ready: dict[str, Bench] = {}

    def __getitem__(self, name: str) -> Bench:
        if name not in self._ready:
            ready = prepare(find_task(name), "cpu", dirs=self._places, sandbox=self._sandbox, progress=Silent())
            sealed, forked = (
                Variants(replace(ready, sandbox=sandbox), self._places, Silent())
                for sandbox in (self._sandbox, self._server)
            )
            self._ready[name] = Bench(ready, sealed, forked)
        return self._ready[name]


@pytest.fixture(scope="module")
def benches(cache: Path, sandbox: Sandbox) -> Generator[Benches]:
    with ForkServer() as server:
        yield Benches(Dirs(cache=cache, runs=cache / "no-runs"), sandbox, server)


@pytest.mark.parametrize("name", TASKS)
def test_the_baseline_scores_the_same_in_the_sandbox_and_on_a_fork_server(benches: Benches, name: str):
    sealed, forked = (one.measure("baseline", 1) for one in (benches[name].variants, benches[name].forked))
    assert (forked.validation, forked.test) == (sealed.validation, sealed.test)


@pytest.mark.parametrize("name", ADMITTED)
def test_the_baseline_scores_as_its_record_says(benches: Benches, name: str):
    bench = benches[name]
    first = bench.variants.measure("baseline", 1)
    assert _is_near(first.validation[0], bench.record.baseline.validation)
    assert _is_near(first.test[0], bench.record.baseline.test)


@pytest.mark.parametrize("name", TASKS)
def test_codebase_and_data_are_what_their_sources_give(benches: Benches, name: str):
    bench = benches[name]
    assert find_changed(bench.prepared, bench.variants.dirs, Silent()) == []


@pytest.mark.parametrize("name", TASKS)
def test_nothing_in_reach_gives_answers_away(benches: Benches, name: str):
    prepared = benches[name].prepared
    assert find_leaks(prepared, make_sample(prepared, "check", 0, 0)) == []


@pytest.mark.parametrize("name", TASKS)
def test_there_is_something_to_practise_on(benches: Benches, name: str):
    prepared = benches[name].prepared
    assert prepared.task.lab
    assert any(make_sample(prepared.in_lab(), "practice", 0, 0).questions(ExamName.VALIDATION).iterdir())


@pytest.mark.parametrize("name", ADMITTED)
def test_the_record_shows_a_method_that_works_and_can_be_beaten(benches: Benches, name: str):
    bench, metric = benches[name], benches[name].prepared.task.metric
    baseline, off, reference = bench.record.baseline, bench.record.method_off, bench.record.reference
    assert min(figure.n for one in (baseline, off, reference) for figure in (one.validation, one.test)) >= 10
    assert metric.gain(baseline.test.mean, off.test.mean) >= 2 * baseline.test.sd
    assert metric.gain(reference.test.mean, baseline.test.mean) >= 3 * baseline.test.sd
    assert metric.improvement(reference.test.mean, baseline.test.mean) <= 2 / 3


@pytest.mark.parametrize("name", ADMITTED)
def test_the_record_shows_that_the_reference_transfers(benches: Benches, name: str):
    bench, sibling = benches[name], benches[name].record.sibling
    assert sibling, f"{name} has no calibration of its sibling"
    assert min(figure.n for figure in (sibling.baseline, sibling.method_off, sibling.reference)) >= 10
    gain = bench.prepared.task.metric.gain(sibling.reference.mean, sibling.baseline.mean)
    assert gain >= 2 * sibling.baseline.sd


@pytest.mark.parametrize(("name", "folder"), ATTACKS)
def test_knowledge_of_the_public_data_earns_nothing(benches: Benches, name: str, folder: str):
    """Built with a twentieth of the computing time; `fmlbench tasks check` has the whole one."""
    bench = benches[name]
    attack = next(one for one in bench.prepared.task.attacks if one.folder == folder)
    gained = bench.forked.try_attack(attack, 1, World.SCORED, effort=QUICK_EFFORT)
    sigma = bench.record.baseline.test.sd
    assert isinstance(gained, str) or gained <= KNOWLEDGE_SIGMAS * sigma, f"{gained / sigma:+.1f} sigma"


@pytest.mark.parametrize("name", ADMITTED)
def test_mining_the_validation_score_earns_nothing(benches: Benches, name: str):
    bench = benches[name]
    gained, sigma = bench.forked.mine_validation(QUICK_MINED_STEPS).test, bench.record.baseline.test.sd
    assert gained <= EARNED_SIGMAS * sigma, f"{gained / sigma:+.1f} sigma"


@pytest.mark.parametrize(("name", "label"), EXPLOITS)
def test_a_trick_that_the_problem_invites_earns_nothing(benches: Benches, name: str, label: str):
    bench = benches[name]
    exploit = next(one for one in bench.prepared.task.exploits if one.label == label)
    sigma = bench.record.baseline.test.sd
    gained = try_exploit(exploit, bench.forked, bench.variants, 1, sigma)
    assert isinstance(gained, str) or gained <= EARNED_SIGMAS * sigma, f"{gained / sigma:+.1f} sigma"


def _is_near(score: float, figure: Figure) -> bool:
    return abs(score - figure.mean) <= SIGMAS * figure.sd
