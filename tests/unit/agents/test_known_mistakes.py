"""Mistakes of the reference implementations, each as something that does not happen here, whatever the strategy."""

import math
from dataclasses import dataclass, field
from random import Random

import pytest

from fmlbench.agents.registry import AGENTS, agent_spec, build_agent
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.core.agents import Session
from fmlbench.core.evaluation import Evaluation, Metric, Outcome
from fmlbench.core.steps import Move, Operator, Proposal, Step
from fmlbench.testing.context import bare_context
from fmlbench.testing.histories import ACCURACY, ERROR, Result, history_of
from fmlbench.testing.sessions import Experiment, Files, RecordedSession, comparable_steps

SEARCHES = sorted(name for name, entry in AGENTS.items() if entry.proposer == "mutate")
EARLY = {"adaptive": {"window": "5", "branch_steps": "4"}, "ai-scientist": {"runs": "2", "tries": "2"}}
"""Settings with which twenty-five steps are enough to see all of a strategy."""

every_search = pytest.mark.parametrize("name", SEARCHES)


@dataclass
class Telling:
    """A proposer that numbers its candidates and says so; or one whose edits never apply."""

    rejects: bool = False

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        number = len(session.history)
        code = session.code_of(move.parents[0])["code.py"]
        files = {"code.py": f"{code}line{number} = {rng.random()}\n"}
        return Proposal(move, files, f"idea {number}", rejection="did not apply" if self.rejects else "")


@dataclass
class Laboratory:
    """Scores code by its last line, and counts."""

    experiments: list[str] = field(default_factory=list[str])

    def __call__(self, files: Files) -> Result:
        code = files["code.py"]
        self.experiments.append(code)
        chance = Random(code).random()
        if chance < 0.3:
            raise ValueError(f"the {code.splitlines()[-1]} is missing")
        return math.nan if chance < 0.5 else chance


def searched(name: str, experiment: Experiment, *, metric: Metric = ACCURACY, rejects: bool = False) -> RecordedSession:
    built = build_agent(agent_spec(name, EARLY.get(name, {})), bare_context())
    assert isinstance(built, SearchAgent)
    session = RecordedSession({"code.py": "start = 0\n"}, experiment, steps=25, seed=3, metric=metric)
    SearchAgent(built.strategy, Telling(rejects), built.observer).run(session)
    return session


def parents_of(step: Step, session: RecordedSession) -> list[Step]:
    return [session.history[parent] for parent in step.move.parents]


@every_search
@pytest.mark.parametrize("metric", [ACCURACY, ERROR], ids=lambda metric: metric.name)
def test_a_score_that_is_no_number_never_becomes_best(name: str, metric: Metric):
    session = searched(name, Laboratory(), metric=metric)
    scores = [step.score for step in session.history if step.score is not None]
    best = session.history.best
    assert best is not None
    assert best.score == (max(scores) if metric is ACCURACY else min(scores))
    for step in session.history.proposed:
        if step.move.operator in {Operator.IMPROVE, Operator.COMBINE}:
            assert all(parent.score is not None or parent.index == 0 for parent in parents_of(step, session)), step


@every_search
def test_what_is_debugged_is_the_code_that_failed_with_the_end_of_its_traceback(name: str):
    session = searched(name, Laboratory())
    for step in session.history.proposed:
        if step.move.operator is Operator.DEBUG:
            (broken,) = parents_of(step, session)
            assert broken.has_failed
            assert f"line{broken.index} = " in session.code_of(broken.index)["code.py"]
            if broken.evaluation.outcome is Outcome.CRASHED:
                assert broken.evaluation.log_tail.rstrip().endswith("is missing")


@every_search
def test_memory_holds_ideas_and_code_as_they_were(name: str):
    session = searched(name, Laboratory())
    remembered = {index for step in session.history.proposed for index in step.move.context} - {0}
    assert bool(remembered) == (name != "random")
    for index in remembered | {index for step in session.history.proposed for index in step.move.parents} - {0}:
        assert session.history[index].idea == f"idea {index}"
        assert f"line{index} = " in session.code_of(index)["code.py"]


@every_search
def test_an_edit_that_does_not_apply_costs_a_step_and_no_experiment(name: str):
    laboratory = Laboratory()
    session = searched(name, laboratory, rejects=True)
    assert len(laboratory.experiments) == 1
    assert {step.evaluation.outcome for step in session.history.proposed} == {Outcome.REJECTED}
    assert len(session.history.proposed) >= 1


@every_search
def test_an_interrupted_search_goes_on_as_if_nothing_had_been(name: str):
    whole = searched(name, Laboratory())
    built = build_agent(agent_spec(name, EARLY.get(name, {})), bare_context())
    assert isinstance(built, SearchAgent)
    for done in (0, 7, 19):
        resumed = whole.interrupted_after(min(done, len(whole.history) - 1))
        SearchAgent(built.strategy, Telling(), built.observer).run(resumed)
        assert comparable_steps(resumed.history) == comparable_steps(whole.history)


def test_a_success_without_a_score_is_not_a_good_step():
    step = history_of(0.5, 0.6)[1].model_copy(update={"evaluation": Evaluation(outcome=Outcome.OK)})
    assert step.score is None
    assert step.has_failed


def test_the_first_success_is_not_best_where_the_baseline_is_better():
    history = history_of(0.5, 0.4)
    assert history.best is history[0]
