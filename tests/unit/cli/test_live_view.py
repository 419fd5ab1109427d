"""What is shown while a run is played."""

import io

from rich.console import Console

from fmlbench.cli.live_view import RunView, jobs_left
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.notes import AgentEnded
from fmlbench.core.run import Isolation, RunSpec
from fmlbench.records.events import Event, NoteMade, RunFinished, Trouble
from fmlbench.records.replay import RunState
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

END = RunFinished(reason="the budget is spent")


def shown(
    spec: RunSpec, *events: Event, state: RunState | None = None, terminal: bool = False, pause: float = 0.0
) -> list[str]:
    """What a view prints of events that come so many seconds apart."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=100, highlight=False, markup=False)
    now = [0.0]
    with RunView(console, spec, toy(), state or RunState(), clock=lambda: now[0]) as view:
        for event in events:
            now[0] += pause
            view(event)
    return screen.getvalue().splitlines()


def test_every_step_is_a_line_with_outcome_score_time_and_idea():
    lines = shown(spec_of(), started(spec_of()), baseline(0.5), step(1, 0.7, idea="wider"))
    assert lines[1].split()[:7] == ["step", "0/3", "ok", "0.5000", "*", "2.0", "s"]
    assert lines[2].split()[:8] == ["step", "1/3", "ok", "0.7000", "*", "3.0", "s", "wider"]


def test_only_a_new_best_is_marked():
    lines = shown(spec_of(), baseline(0.5), step(1, 0.4), step(2, 0.6))
    assert ["*" in line for line in lines[1:]] == [True, False, True]


def test_a_step_without_a_score_tells_why():
    crash = Evaluation(outcome=Outcome.CRASHED, reason="NameError: eyes")
    line = shown(spec_of(), baseline(), step(1, crash))[-1]
    assert "crashed" in line
    assert "[NameError: eyes]" in line


def test_no_hidden_score_is_shown_at_any_time():
    for terminal in (False, True):
        text = "\n".join(shown(spec_of(), *complete_run(spec_of()), terminal=terminal))
        assert not any(hidden in text for hidden in ("0.48", "0.66", "0.64", "0.68", "0.46"))


def test_an_idea_is_text_and_nothing_else():
    lines = shown(spec_of(), baseline(), step(1, 0.7, idea="\x1b[2J[red]idea[/red]\nstep 9/9 ok 1.0"))
    assert len(lines) == 3
    assert "[red]idea[/red] step 9/9 ok 1.0" in lines[2]
    assert "\x1b" not in lines[2]


def test_the_remaining_time_comes_from_the_mean_step():
    # The 10 s before the run's start went into preparation and do not count. After the baseline one job has taken
    # 10 s, and 3 steps and 6 retests remain: 90 s. Then two jobs have taken 20 s, and 8 remain.
    lines = shown(spec_of(), started(spec_of()), baseline(), step(1, 0.7), pause=10.0)
    assert lines[1].endswith("(about 1 min 30 s left)")
    assert lines[2].endswith("(about 1 min 20 s left)")


def test_a_finished_run_has_only_its_retests_left():
    spec = spec_of()
    state = state_of(started(spec), baseline(0.5), step(1, 0.7), END)
    assert jobs_left(spec, state, winner=1) == 6
    assert jobs_left(spec, state, winner=0) == 3
    assert jobs_left(spec, state_of(*complete_run(spec)), winner=1) == 0


def test_a_resumed_run_goes_on_with_the_best_so_far():
    spec = spec_of()
    lines = shown(spec, step(2, 0.6), state=state_of(started(spec), baseline(0.5), step(1, 0.7)))
    assert lines[0].endswith("resuming after step 1")
    assert "*" not in lines[1]


def test_trouble_with_the_machine_is_told():
    line = shown(spec_of(), baseline(), Trouble(index=1, reason="no memory\x1b[2J"))[-1]
    assert line == "step 1: infrastructure failure (no memory)"


def test_how_a_program_ended_is_told():
    note = AgentEnded(step=1, reason="crashed: exit code 2: no such file\x1b[2J; 0 CPU seconds")
    assert shown(spec_of(), baseline(), NoteMade(note=note))[-1] == (
        "The agent ended: crashed: exit code 2: no such file; 0 CPU seconds."
    )


def test_an_unsealed_run_is_called_so_from_the_first_line():
    assert "UNSEALED" in shown(spec_of(Isolation.NONE))[0]


def test_it_is_announced_whose_retests_follow():
    won = shown(spec_of(), baseline(0.5), step(1, 0.7), END)[-1]
    assert won.endswith("Now the best step and the baseline are retested on 3 fresh seeds.")
    lost = shown(spec_of().model_copy(update={"retest_seeds": 1}), baseline(0.5), step(1, 0.4), END)[-1]
    assert lost.endswith("Now the baseline is retested on 1 fresh seed.")


def test_retests_are_counted_but_not_told():
    lines = shown(spec_of(), baseline(0.5), step(1, 0.7), hidden_score(1, 0.6), END, *retested(0, 0.5, 0.4))
    assert [line.split(",")[0] for line in lines[-2:]] == ["retest 1/6 done", "retest 2/6 done"]


def test_a_terminal_sees_what_goes_on_and_keeps_only_the_lines():
    text = "\n".join(shown(spec_of(), *complete_run(spec_of()), terminal=True))
    assert "the sealed exam" in text
    assert "\x1b[?25h" in text
