"""A plan has every run once, and says beforehand what it takes."""

from pathlib import Path

import pytest

from fmlbench.core.errors import StudyInvalid
from fmlbench.core.run import AgentSpec, Budget, RunSpec
from fmlbench.records.folder import RunFolder
from fmlbench.scheduling.cost import HARNESS_SECONDS, cost_of, makespan
from fmlbench.scheduling.plan import lay_out, make_plan, needs_of, require_model_for_caps
from fmlbench.scheduling.study import SweepCaps
from fmlbench.tasks.library import find_task
from tests.handwritten_runs import spec_of, toy
from tests.handwritten_studies import study

TASK = toy(test_sd=0.01).model_copy(update={"sibling": ""})  # one CPU second per step, 100 MB


def test_every_task_agent_and_seed_comes_once_seed_by_seed(tmp_path: Path):
    plan = make_plan(study(agents=("greedy", "random"), seeds=3), tmp_path)
    assert [(run.spec.seed, run.spec.agent.name) for run in plan.runs] == [
        (seed, agent) for seed in range(3) for agent in ("greedy", "random")
    ]
    assert len({run.folder.path for run in plan.runs}) == 6
    assert all(run.spec.task_digest == find_task("toy").on("cpu").digest for run in plan.runs)


def test_planning_writes_nothing_and_laying_out_writes_what_was_planned(tmp_path: Path):
    plan = make_plan(study(seeds=2), tmp_path / "runs")
    assert not (tmp_path / "runs").exists()
    lay_out(plan)
    lay_out(plan)
    assert [RunFolder(run.folder.path).read_spec() for run in plan.runs] == [run.spec for run in plan.runs]


def test_planning_twice_gives_the_same_folders(tmp_path: Path):
    first, second = (make_plan(study(seeds=2), tmp_path) for _ in range(2))
    assert [run.folder for run in first.runs] == [run.folder for run in second.runs]


def test_a_cap_in_dollars_needs_an_agent_with_a_model(tmp_path: Path):
    capped = study().model_copy(update={"budget": Budget(steps=2, dollars=5)})
    with pytest.raises(StudyInvalid, match="A cap in dollars or tokens needs a model"):
        require_model_for_caps(make_plan(capped, tmp_path))
    require_model_for_caps(make_plan(capped.model_copy(update={"models": ("", "scripted/tinker")}), tmp_path))
    require_model_for_caps(make_plan(study(), tmp_path))


def test_time_is_steps_baseline_and_retests_as_calibrated():
    each = 1 + HARNESS_SECONDS
    spec = spec_of(steps=20, retests=3)
    assert cost_of(spec, TASK, is_first=False).seconds == pytest.approx((20 + 1 + 3) * each)
    # The first run of a task and seed retests the baseline, and the others find its scores in the cache.
    assert cost_of(spec, TASK, is_first=True).seconds == pytest.approx((20 + 1 + 6) * each)
    # A task with a sibling tests winner and baseline there, too, and the winner once more without training data.
    task = TASK.model_copy(update={"sibling": "other rows"})
    assert cost_of(spec, task, is_first=False).seconds == pytest.approx((20 + 1 + 6 + 1) * each)
    assert cost_of(spec, task, is_first=True).seconds == pytest.approx((20 + 1 + 12 + 1) * each)


def test_a_budget_of_hours_bounds_the_search():
    spec = spec_of(steps=20, retests=0).model_copy(update={"budget": Budget(steps=20, hours=10 / 3600)})
    assert cost_of(spec, TASK, is_first=False).seconds == pytest.approx(10 + 1 + HARNESS_SECONDS)


def test_nobody_knows_how_long_an_uncalibrated_task_takes():
    track = TASK.tracks["cpu"].model_copy(update={"calibration": None})
    task = TASK.model_copy(update={"tracks": {"cpu": track}})
    assert cost_of(spec_of(), task, is_first=False).seconds is None
    assert needs_of(track).memory_mb > 1024  # what it is allowed


def with_model(spec: RunSpec, dollars: float | None) -> RunSpec:
    agent = AgentSpec(name="aide", strategy="aide", proposer="llm")
    return spec.model_copy(update={"agent": agent, "budget": Budget(steps=3, dollars=dollars)})


def test_dollars_are_none_for_who_sends_no_bill_and_at_most_the_cap_for_others():
    assert cost_of(spec_of(), TASK, is_first=False).dollars == 0
    assert cost_of(with_model(spec_of(), 2.5), TASK, is_first=False).dollars == 2.5
    assert cost_of(with_model(spec_of(), None), TASK, is_first=False).dollars is None
    own = with_model(spec_of(), None)
    own = own.model_copy(update={"agent": own.agent.model_copy(update={"model": "local/qwen2.5-coder-1.5b"})})
    assert cost_of(own, TASK, is_first=False).dollars == 0


def test_the_sweeps_own_cap_bounds_the_bill(tmp_path: Path):
    assert make_plan(study(caps=SweepCaps(dollars=5)), tmp_path).dollars == 0


@pytest.mark.parametrize(("parallel", "seconds"), [(1, 60), (2, 40), (3, 30), (9, 30)])
def test_the_time_of_jobs_beside_each_other(parallel: int, seconds: float):
    # Two workers: 10 and 20 first, then 30 after the 10.
    assert makespan([10, 20, 30], parallel) == seconds
