from random import Random

from fmlbench.agents.strategies.ai_scientist import AIScientist
from fmlbench.core.notes import IdeaDone
from fmlbench.core.steps import IdeaPlan, Move, Operator
from fmlbench.testing.histories import CRASH, REJECTION, debug, draft, history_of, improve
from tests.unit.agents.strategies.deciding import decide, move_of

FIVE_RUNS = (draft(0.6), *(improve(0.6, of=step) for step in range(1, 5)))


def run_of(move: Move) -> tuple[int, int]:
    """The number of the idea and of its run."""
    assert isinstance(move.plan, IdeaPlan)
    return move.plan.number, move.plan.run


def test_begins_with_the_first_idea():
    move = move_of(AIScientist(), history_of(0.5))
    assert (move.operator, move.parents) == (Operator.DRAFT, (0,))
    assert move.plan == IdeaPlan(number=1, run=1, ideas=25, reflections=3)


def test_has_no_more_ideas_thought_up_than_there_are_steps_to_draft_them_in():
    move = move_of(AIScientist(), history_of(0.5, budget=2))
    assert move.plan == IdeaPlan(number=1, run=1, ideas=2, reflections=3)
    later = move_of(AIScientist(runs=1), history_of(0.5, draft(0.6), budget=2))
    assert later.plan == IdeaPlan(number=2, run=1, ideas=2, reflections=3)


def test_works_an_idea_out_from_its_own_last_code_even_if_that_was_worse():
    move = move_of(AIScientist(), history_of(0.5, draft(0.7), improve(0.3, of=1)))
    assert (move.operator, move.parents) == (Operator.IMPROVE, (2,))
    assert (move.context, move.plan) == ((1, 2), IdeaPlan(number=1, run=3, ideas=25, reflections=3))


def test_takes_up_the_next_idea_after_five_runs_from_the_baseline():
    move = move_of(AIScientist(), history_of(0.5, *FIVE_RUNS))
    assert (move.operator, move.parents, run_of(move)) == (Operator.DRAFT, (0,), (2, 1))


def test_a_failure_is_fixed_and_does_not_count_as_a_run():
    move = move_of(AIScientist(), history_of(0.5, draft(0.6), improve(CRASH, of=1)))
    assert (move.operator, move.parents, run_of(move)) == (Operator.DEBUG, (2,), (1, 2))


def test_abandons_an_idea_after_four_failures_in_a_row():
    failures = (draft(CRASH), *(debug(CRASH, of=step) for step in (1, 2)))
    assert decide(AIScientist(), history_of(0.5, *failures)) == (Operator.DEBUG, (3,))
    move = move_of(AIScientist(), history_of(0.5, *failures, debug(REJECTION, of=3)))
    assert (move.operator, run_of(move)) == (Operator.DRAFT, (2, 1))


def test_failures_of_the_idea_before_do_not_count():
    failures = (draft(CRASH), *(debug(CRASH, of=step) for step in (1, 2, 3)))
    assert decide(AIScientist(), history_of(0.5, *failures, draft(CRASH))) == (Operator.DEBUG, (5,))


def test_a_run_that_works_ends_a_row_of_failures():
    history = history_of(
        0.5, draft(CRASH), debug(CRASH, of=1), debug(CRASH, of=2), debug(0.6, of=3), improve(CRASH, of=4)
    )
    assert decide(AIScientist(), history) == (Operator.DEBUG, (5,))


def test_leaves_an_idea_that_its_proposer_calls_done():
    done = IdeaDone(step=1, text="all completed")
    move = move_of(AIScientist(), history_of(0.5, draft(0.6), notes=[done]))
    assert (move.operator, run_of(move)) == (Operator.DRAFT, (2, 1))
    again = move_of(AIScientist(), history_of(0.5, draft(0.6), draft(0.7), notes=[done]))
    assert (again.operator, again.parents) == (Operator.IMPROVE, (2,))


def test_a_failed_step_is_fixed_first_even_if_its_idea_is_done():
    done = IdeaDone(step=1, text="all completed")
    crashed = history_of(0.5, draft(CRASH), notes=[done])
    assert decide(AIScientist(), crashed) == (Operator.DEBUG, (1,))
    fixed = move_of(AIScientist(), history_of(0.5, draft(CRASH), debug(0.6, of=1), notes=[done]))
    assert (fixed.operator, run_of(fixed)) == (Operator.DRAFT, (2, 1))


def test_a_note_on_a_step_that_was_interrupted_before_it_was_taken_changes_nothing():
    early = IdeaDone(step=2, text="all completed")
    assert decide(AIScientist(), history_of(0.5, draft(0.6), notes=[early])) == (Operator.IMPROVE, (1,))


def test_stops_when_the_ideas_run_out():
    strategy = AIScientist(ideas=2, runs=1)
    assert strategy.next_move(history_of(0.5, draft(0.6)), Random(0)) is not None
    assert strategy.next_move(history_of(0.5, draft(0.6), draft(0.7)), Random(0)) is None


def test_shows_earlier_ideas_to_the_writer_of_the_next():
    assert move_of(AIScientist(runs=1), history_of(0.5, draft(0.6), draft(0.7))).context == (1, 2)
