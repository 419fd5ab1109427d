"""A run's figures, each worked out by hand."""

import pytest

from fmlbench.core.evaluation import Evaluation, Goal, Metric, Outcome
from fmlbench.core.notes import AgentEnded, UsageRecorded, ViolationSeen
from fmlbench.core.run import Isolation
from fmlbench.core.usage import Usage
from fmlbench.records.events import NoteMade, Retested, RunFinished
from fmlbench.reports.summary import RunPhase, RunSummary, RunVerdict, summarise
from tests.handwritten_runs import (
    baseline,
    complete_run,
    hidden_score,
    retested,
    spec_of,
    started,
    state_of,
    step,
    toy,
)

CRASH = Evaluation(outcome=Outcome.CRASHED, reason="boom", seconds=4.0)
END = RunFinished(reason="the budget is spent")


def summary_of_complete_run(**task: float) -> RunSummary:
    spec = spec_of()
    return summarise(spec, state_of(*complete_run(spec)), toy(**task))


def test_baseline_and_best_step_are_told_by_their_validation_scores():
    summary = summary_of_complete_run()
    assert summary.baseline == 0.5
    assert summary.best is not None
    assert (summary.best.index, summary.best.idea, summary.best.validation) == (1, "twice the width", 0.7)


def test_steps_are_counted_by_outcome_and_the_baseline_is_not_one():
    summary = summary_of_complete_run()
    assert (summary.proposed, summary.succeeded) == (2, 1)
    assert summary.outcomes == {"ok": 1, "crashed": 1}


def test_the_retest_gives_means_with_t_intervals():
    test = summary_of_complete_run().test
    assert test is not None
    assert test.best is not None
    assert test.baseline is not None
    # Winner: 0.66, 0.64, 0.68: mean 0.66, sd 0.02, times 4.30265 / sqrt(3) is 0.04968.
    assert test.best.mean == pytest.approx(0.66)
    assert (test.best.low, test.best.high) == (pytest.approx(0.61032, abs=1e-5), pytest.approx(0.70968, abs=1e-5))
    assert test.baseline.mean == pytest.approx(0.48)
    assert test.best.n == test.baseline.n == 3


def test_the_difference_is_paired_by_seed():
    test = summary_of_complete_run().test
    assert test is not None
    assert test.difference is not None
    # By seed 0.16, 0.18, 0.20: mean 0.18, sd 0.02. Unpaired the interval would be wider or based on more freedom.
    assert test.difference.mean == pytest.approx(0.18)
    assert test.difference.low == pytest.approx(0.18 - 0.04968, abs=1e-5)
    assert test.verdict is RunVerdict.BETTER


def test_the_gain_is_told_in_sigma_where_the_noise_is_known():
    known, unknown = summary_of_complete_run(test_sd=0.09).test, summary_of_complete_run().test
    assert known is not None
    assert unknown is not None
    assert known.sigmas == pytest.approx(2.0)
    assert unknown.sigmas is None


def test_where_lower_is_better_a_lower_score_is_a_gain():
    metric = Metric(name="error", goal=Goal.MINIMIZE, best=0, worst=1)
    task = toy().model_copy(update={"metric": metric})
    spec = spec_of(retests=2)
    events = [started(spec), baseline(0.5), step(1, 0.3), END, *retested(0, 0.5, 0.5), *retested(1, 0.3, 0.4)]
    summary = summarise(spec, state_of(*events), task)
    assert summary.best is not None
    assert summary.test is not None
    assert summary.test.difference is not None
    assert summary.best.index == 1
    assert summary.test.difference.mean == pytest.approx(0.15)


def test_an_interval_that_holds_zero_decides_nothing():
    spec = spec_of(retests=2)
    events = [started(spec), baseline(0.5), step(1, 0.6), END, *retested(0, 0.5, 0.5), *retested(1, 0.4, 0.7)]
    test = summarise(spec, state_of(*events), toy()).test
    assert test is not None
    assert test.verdict is RunVerdict.UNDECIDED


def test_a_winner_on_validation_can_be_a_loser_on_the_test():
    spec = spec_of(retests=2)
    events = [started(spec), baseline(0.5), step(1, 0.6), END, *retested(0, 0.5, 0.5), *retested(1, 0.3, 0.31)]
    test = summarise(spec, state_of(*events), toy()).test
    assert test is not None
    assert test.verdict is RunVerdict.WORSE


def test_one_retest_seed_is_no_verdict():
    spec = spec_of(retests=1)
    events = [started(spec), baseline(0.5), step(1, 0.6), END, *retested(0, 0.5), *retested(1, 0.9)]
    test = summarise(spec, state_of(*events), toy()).test
    assert test is not None
    assert test.verdict is RunVerdict.UNKNOWN


def test_a_run_in_which_nothing_beat_the_baseline_says_so():
    spec = spec_of()
    events = [started(spec), baseline(0.5), step(1, 0.4), END, *retested(0, 0.5, 0.46, 0.48)]
    summary = summarise(spec, state_of(*events), toy())
    assert summary.test is not None
    assert (summary.test.verdict, summary.test.best, summary.test.difference) == (RunVerdict.NOTHING_BETTER, None, None)
    assert summary.stage is RunPhase.COMPLETE


def test_a_retest_without_a_score_is_left_out_of_the_pairs_and_counted():
    spec = spec_of(retests=2)
    failed = Retested(index=1, seed=1, evaluation=Evaluation(outcome=Outcome.TIMEOUT))
    events = [started(spec), baseline(0.5), step(1, 0.6), END, *retested(0, 0.5, 0.4), *retested(1, 0.6), failed]
    test = summarise(spec, state_of(*events), toy()).test
    assert test is not None
    assert test.difference is not None
    assert (test.failed, test.difference.n, test.difference.mean) == (1, 1, pytest.approx(0.1))


def test_no_hidden_score_is_told_before_the_agent_is_done():
    spec = spec_of()
    events = [
        started(spec),
        baseline(0.5),
        step(1, 0.7),
        hidden_score(0, 0.48),
        hidden_score(1, 0.66),
        *retested(0, 0.5),
    ]
    assert summarise(spec, state_of(*events), toy()).test is None


def test_the_stage_follows_the_log():
    spec = spec_of(retests=1)
    searching = [started(spec), baseline(0.5), step(1, 0.7)]
    stages = [
        summarise(spec, state_of(*events), toy()).stage
        for events in (
            [],
            searching,
            [*searching, END, *retested(0, 0.5)],
            [*searching, END, *retested(0, 0.5), *retested(1, 0.7)],
        )
    ]
    assert stages == [RunPhase.WAITING, RunPhase.SEARCHING, RunPhase.RETESTING, RunPhase.COMPLETE]


def test_what_is_not_complete_and_nobody_plays_was_stopped():
    spec = spec_of(retests=1)
    searched = [started(spec), baseline(0.5), step(1, 0.7)]
    retesting = [*searched, END, *retested(0, 0.5)]
    summaries = [
        summarise(spec, state_of(*events), toy(), is_played=False)
        for events in ([], searched, retesting, [*retesting, *retested(1, 0.7)])
    ]
    assert [summary.stage for summary in summaries] == [
        RunPhase.WAITING,
        RunPhase.STOPPED,
        RunPhase.STOPPED,
        RunPhase.COMPLETE,
    ]
    assert [summary.is_over for summary in summaries] == [False, False, True, True]


def test_time_is_split_into_proposing_and_experimenting():
    spec = spec_of()
    summary = summarise(spec, state_of(started(spec), baseline(seconds=3.0), step(1, 0.7), step(2, CRASH)), toy())
    assert summary.proposing_seconds == 2.0
    assert summary.experiment_seconds == 3.0 + 2.0 + 4.0


def test_dollars_are_added_up_unless_one_price_is_not_known():
    spec = spec_of()
    known = [started(spec), baseline(), step(1, 0.7, usage=Usage(dollars=0.25)), step(2, 0.7, usage=Usage(dollars=0.5))]
    assert summarise(spec, state_of(*known), toy()).dollars == 0.75
    last_words = Usage(calls=2, input_tokens=30, dollars=1.0)
    chatty = [*known, NoteMade(note=UsageRecorded(step=3, usage=last_words))]
    summary = summarise(spec, state_of(*chatty), toy())
    assert (summary.dollars, summary.calls, summary.input_tokens) == (1.75, 2, 30)
    unknown = [*known, step(3, 0.7, usage=Usage(dollars=None))]
    assert summarise(spec, state_of(*unknown), toy()).dollars is None


def test_what_an_agent_tried_at_the_desk_counts_as_a_violation():
    spec = spec_of()
    tried = NoteMade(note=ViolationSeen(step=1, text="forged"))
    assert summarise(spec, state_of(started(spec), baseline(), tried), toy()).violations == 1


def test_the_cpu_seconds_of_a_program_are_added_up_over_interruptions():
    spec = spec_of()
    parts = [NoteMade(note=UsageRecorded(step=1, usage=Usage(cpu_seconds=s))) for s in (1.5, 2.0)]
    assert summarise(spec, state_of(started(spec), baseline(), *parts), toy()).program_cpu_seconds == 3.5


def test_how_a_program_ended_is_told_in_its_own_words_once_the_run_is_over():
    spec = spec_of()
    events = [started(spec), baseline(), NoteMade(note=AgentEnded(step=1, reason="crashed: exit code 7"))]
    assert summarise(spec, state_of(*events), toy()).ended == ""
    over = RunFinished(reason="the agent is done")
    assert summarise(spec, state_of(*events, over), toy()).ended == "crashed: exit code 7"
    assert summarise(spec, state_of(*events[:2], over), toy()).ended == "the agent is done"


def test_violations_on_the_hidden_test_count_once_the_run_is_over():
    spec = spec_of()
    caught = Evaluation(outcome=Outcome.OK, score=0.6, violations=("wrote outside", "left a link"))
    hidden = hidden_score(1, 0.6).model_copy(update={"evaluation": caught})
    events = [started(spec), baseline(), step(1, caught), hidden]
    assert summarise(spec, state_of(*events), toy()).violations == 2
    assert summarise(spec, state_of(*events, END), toy()).violations == 4


def test_an_unsealed_run_is_known_as_one():
    sealed, unsealed = spec_of(), spec_of(Isolation.NONE)
    assert summarise(sealed, state_of(), toy()).is_sealed
    assert not summarise(unsealed, state_of(), toy()).is_sealed
