"""The tree of steps shows where each one came from and what became of it."""

from dataclasses import replace

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.notes import ViolationSeen
from fmlbench.core.steps import IdeaPlan, Move, Operator, StagePlan
from fmlbench.records.events import Event, NoteMade
from fmlbench.reports.steps import DEEPEST, StepRow, step_rows, step_tree
from tests.handwritten_runs import baseline, complete_run, rendered, spec_of, started, state_of, step, toy

HOSTILE = "\x1b[2J\x1b]0;owned\x07[bold red]not markup[/bold red]\n\u202efake step"


def rows_of(*events: Event) -> list[StepRow]:
    return step_rows(state_of(*events), toy().metric)


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" │├└─"))


def test_steps_hang_below_their_first_parent():
    lines = rendered(step_tree(rows_of(*complete_run(spec_of())))).splitlines()
    assert [indent_of(line) for line in lines] == [0, 4, 8]


def test_outcome_score_idea_and_reason_stand_in_the_line():
    lines = rendered(step_tree(rows_of(*complete_run(spec_of())))).splitlines()
    assert "1 ok 0.7000 best (test 0.6600)" in lines[1]
    assert "twice the width" in lines[1]
    assert "2 crashed" in lines[2]
    assert "NameError: eyes" in lines[2]


def test_what_a_step_adds_stands_in_the_line():
    rows = [replace(row, information_bytes=1234) for row in rows_of(*complete_run(spec_of()))]
    lines = rendered(step_tree(rows), width=300).splitlines()
    assert ["adds 1,234 bytes" in line for line in lines] == [False, True, True]


def test_hidden_scores_are_left_out_while_the_agent_is_at_work():
    events = [event for event in complete_run(spec_of()) if event.event != "run-finished"]
    assert "test" not in rendered(step_tree(rows_of(*events)))


def test_what_a_candidate_wrote_is_text_and_nothing_else():
    hostile = Evaluation(outcome=Outcome.CRASHED, reason=HOSTILE, violations=(HOSTILE,))
    shown = rendered(step_tree(rows_of(baseline(), step(1, hostile, idea=HOSTILE))), width=500)
    assert len(shown.splitlines()) == 2
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("[bold red]not markup[/bold red] fake step") == 3


def test_what_an_agent_tried_stands_with_the_step_it_was_on_its_way_to():
    tried = [NoteMade(note=ViolationSeen(step=at, text=f"forged {at}")) for at in (1, 2, 3)]
    rows = rows_of(baseline(), tried[0], step(1, 0.6), tried[1], step(2, 0.6), tried[2])
    assert [row.violations for row in rows] == [(), ("forged 1",), ("forged 2", "forged 3")]
    assert "violation: forged 3" in rendered(step_tree(rows), width=200)


def test_further_parents_of_a_combination_are_named():
    events = (baseline(), step(1, 0.6), step(2, 0.6), step(3, 0.7, parents=(1, 2)))
    shown = rendered(step_tree(rows_of(*events)))
    assert next(line for line in shown.splitlines() if "on 2" in line).lstrip(" │├└─").startswith("3 ok")


def test_all_parents_are_named_where_a_step_stands_beside_the_first():
    line = [step(index, 0.6, parents=(index - 1,)) for index in range(1, 4)]
    shown = rendered(step_tree(rows_of(baseline(), *line, step(4, 0.7, parents=(3, 1)))))
    assert "4 ok 0.7000 best  improve on 3 and 1: an idea" in shown


def test_what_a_strategy_calls_a_step_is_told_where_one_word_says_it():
    plan = StagePlan(stage="tuning", part=2, goal="Tune what works.")
    move = Move(
        operator=Operator.IMPROVE, plan=plan, hint="Go deeper.", tags={"branch": "3", "odd": HOSTILE, "none": ""}
    )
    line = rendered(step_tree(rows_of(baseline(), step(1, 0.6, move=move))), width=200).splitlines()[1]
    assert "improve, stage tuning, part 2, branch 3: an idea" in line


def test_the_idea_that_a_step_implements_is_shown():
    move = Move(operator=Operator.DRAFT, plan=IdeaPlan(number=4, run=2, ideas=25, reflections=3))
    assert "draft, idea 4, run 2: an idea" in rendered(step_tree(rows_of(baseline(), step(1, 0.6, move=move))))


def test_a_line_of_descent_is_drawn_as_a_line():
    steps = [step(index, 0.5, parents=(index - 1,)) for index in range(1, 200)]
    lines = rendered(step_tree(rows_of(baseline(), *steps))).splitlines()
    assert len(lines) == 200
    assert [indent_of(line) for line in lines] == [0, 4, *[8] * 198]
    assert "on 2" in lines[3]
    assert "on 198" in lines[-1]


def test_a_line_ends_where_the_tree_branches():
    steps = [step(index, 0.5, parents=(index - 1,)) for index in range(1, 5)]
    lines = rendered(step_tree(rows_of(baseline(), *steps, step(5, 0.5, parents=(4,)), step(6, 0.5, parents=(4,)))))
    shown = {line.lstrip(" │├└─").split()[0]: line for line in lines.splitlines()}
    assert "on 4" in shown["5"]
    assert "on 4" in shown["6"]


def test_a_very_deep_tree_stays_on_the_screen():
    steps = [step(index, 0.5, parents=(max(0, index - 2),)) for index in range(1, 200)]
    lines = rendered(step_tree(rows_of(baseline(), *steps))).splitlines()
    assert len(lines) == 200
    assert max(indent_of(line) for line in lines) <= 4 * (DEEPEST + 1)


def test_a_run_without_steps_has_a_tree_all_the_same():
    assert rendered(step_tree(rows_of(started(spec_of())))) == "no step yet\n"


def test_a_step_was_best_when_it_finished_and_is_best_only_if_nothing_came_after():
    rows = rows_of(baseline(0.5), step(1, 0.6), step(2, 0.55), step(3, 0.7))
    assert [row.was_best for row in rows] == [True, True, False, True]
    assert [row.is_best for row in rows] == [False, False, False, True]
