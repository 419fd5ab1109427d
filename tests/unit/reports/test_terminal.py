"""The summary at the end of a run, as a person reads it."""

from collections.abc import Sequence

from fmlbench.core.run import Isolation, RunSpec
from fmlbench.core.usage import Usage
from fmlbench.records.events import Event, RunFinished
from fmlbench.reports.summary import summarise
from fmlbench.reports.terminal import render_summary, run_table
from tests.handwritten_runs import (
    baseline,
    complete_run,
    hidden_score,
    rendered,
    spec_of,
    started,
    state_of,
    step,
    toy,
)

END = RunFinished(reason="the budget is spent")


def page_of(spec: RunSpec, events: Sequence[Event], *, terminal: bool = False, test_sd: float | None = None) -> str:
    summary = summarise(spec, state_of(*events), toy(test_sd=test_sd))
    return rendered(render_summary(summary, place="runs/here"), terminal=terminal)


def test_the_page_of_a_complete_run_tells_all():
    spec = spec_of()
    page = page_of(spec, complete_run(spec), test_sd=0.09)
    for words in (
        "toy, track cpu, agent greedy, seed 7: complete, sealed by bubblewrap",
        "accuracy 0.5000 on validation",
        "accuracy 0.7000 on validation, step 1: twice the width",
        "best step  0.6600 [0.6103, 0.7097] (95% interval, n = 3 seeds)",
        "baseline   0.4800 [0.4303, 0.5297] (95% interval, n = 3 seeds)",
        "gain      +0.1800 [+0.1303, +0.2297] (95% interval, n = 3 seeds), paired by seed, +2.0 sigma",
        "better than the baseline",
        "1 of 2 have a score (1 crashed)",
        "2.0 s proposing, 6.0 s experiments",
        "runs/here",
        f"fmlbench show {spec.run_id} --diff 1",
    ):
        assert words in page, words
    assert "UNSEALED" not in page


def test_every_test_score_of_an_unsealed_run_is_marked():
    spec = spec_of(Isolation.NONE)
    lines = page_of(spec, complete_run(spec)).splitlines()
    assert "UNSEALED" in lines[0]
    assert all("UNSEALED" in line for line in lines if "95% interval" in line)
    assert not any("sealed test" in line for line in lines)


def test_a_run_in_progress_shows_no_hidden_score_and_says_how_to_go_on():
    spec = spec_of()
    page = page_of(spec, [started(spec), baseline(), step(1, 0.7), hidden_score(1, 0.6612)])
    assert "0.6612" not in page
    assert "hidden until the run is finished" in page
    assert f"fmlbench resume {spec.run_id}" in page


def test_a_run_without_retests_says_that_none_was_asked_for():
    spec = spec_of(retests=0)
    assert "retests are disabled (--retest 0)" in page_of(spec, [started(spec), baseline(), END])


def test_cost_is_told_only_where_there_is_one():
    spec = spec_of()
    assert "cost" not in page_of(spec, [started(spec), baseline()])
    paid = [started(spec), baseline(), step(1, 0.7, usage=Usage(dollars=1.5))]
    assert "$1.50" in page_of(spec, paid)


def test_a_single_call_of_a_model_is_a_call():
    spec = spec_of()
    spec = spec.model_copy(update={"agent": spec.agent.model_copy(update={"model": "openai/gpt-5"})})
    once = [started(spec), baseline(), step(1, 0.7, usage=Usage(calls=1, input_tokens=1000, output_tokens=9))]
    assert "openai/gpt-5: 1 call, 1,000 input and 9 output tokens" in page_of(spec, once)


def test_an_idea_cannot_recolour_the_page():
    spec = spec_of()
    page = page_of(spec, [started(spec), baseline(), step(1, 0.7, idea="\x1b[41m[red]idea[/red]\nfake row")])
    assert "step 1: [red]idea[/red] fake row" in page
    assert "\x1b" not in page


def test_the_page_has_colours_only_on_a_terminal():
    spec = spec_of()
    assert "\x1b[" in page_of(spec, complete_run(spec), terminal=True)
    assert "\x1b[" not in page_of(spec, complete_run(spec))


def test_the_list_of_runs_marks_the_unsealed_ones():
    sealed, unsealed = spec_of(), spec_of(Isolation.NONE)
    summaries = [summarise(spec, state_of(*complete_run(spec)), toy()) for spec in (sealed, unsealed)]
    lines = rendered(run_table(summaries)).splitlines()
    assert [("UNSEALED" in line, "+0.1800" in line) for line in lines[2:]] == [(False, True), (True, True)]
