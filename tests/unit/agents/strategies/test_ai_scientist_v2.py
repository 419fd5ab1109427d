import math

import pytest

from fmlbench.agents.strategies.ai_scientist_v2 import AIScientistV2
from fmlbench.core.steps import History, Operator, StagePlan
from fmlbench.testing.histories import CRASH, Tried, debug, draft, history_of, improve
from tests.unit.agents.strategies.deciding import decide, decisions, move_of

CALM = AIScientistV2(debug_chance=0.0)


def plan_of(history: History, strategy: AIScientistV2 = CALM) -> StagePlan:
    plan = move_of(strategy, history).plan
    assert isinstance(plan, StagePlan)
    return plan


def stages(budget: int, strategy: AIScientistV2 = CALM) -> list[str]:
    steps = [0.5] * budget
    return [plan_of(history_of(0.5, *steps[:done], budget=budget), strategy).stage for done in range(budget)]


def test_a_tenth_a_fifth_a_half_and_the_rest():
    assert stages(20) == ["basic"] * 2 + ["tuning"] * 4 + ["creative"] * 10 + ["ablation"] * 4
    hundred = stages(100)
    assert [hundred.count(name) for name in ("basic", "tuning", "creative", "ablation")] == [10, 20, 50, 20]


def test_a_small_budget_gets_something_to_work_first():
    assert stages(3) == ["basic", "creative", "ablation"]
    assert stages(1) == ["basic"]


def test_stages_have_the_shares_they_are_given():
    given = AIScientistV2(basic=0.5, tuning=0.0, creative=0.5)
    assert stages(10, given) == ["basic"] * 5 + ["creative"] * 5


def test_shares_of_more_than_all_steps_are_refused():
    with pytest.raises(ValueError, match="must be at most 1"):
        AIScientistV2(basic=0.5, tuning=0.5, creative=0.5)


def test_every_stage_says_what_it_is_for():
    goals = {plan_of(history_of(0.5, *[0.5] * done, budget=20)).goal for done in (0, 3, 8, 18)}
    assert len(goals) == 4


class TestTheFirstStage:
    def test_begins_with_three_drafts_and_a_fourth_for_want_of_anything_known(self):
        for done in range(4):
            assert decisions(CALM, history_of(0.5, *[draft(0.6)] * done)) == {(Operator.DRAFT, (0,))}

    def test_then_improves_the_best_of_each_tree_once_in_a_batch(self):
        drafts = [draft(score) for score in (0.6, 0.9, 0.8, 0.7)]
        assert decide(CALM, history_of(0.5, *drafts)) == (Operator.IMPROVE, (2,))
        assert decide(CALM, history_of(0.5, *drafts, improve(0.95, of=2))) == (Operator.IMPROVE, (3,))
        third = history_of(0.5, *drafts, improve(0.95, of=2), improve(0.99, of=3))
        assert decide(CALM, third) == (Operator.IMPROVE, (4,))

    def test_what_a_batch_found_is_known_to_the_next(self):
        drafts = [draft(score) for score in (0.6, 0.9, 0.8, 0.7)]
        batch = [improve(0.95, of=2), improve(0.99, of=3), improve(0.5, of=4), improve(0.5, of=1)]
        assert decide(CALM, history_of(0.5, *drafts, *batch)) == (Operator.IMPROVE, (6,))

    def test_fixes_a_failed_leaf_of_an_unused_tree(self):
        eager = AIScientistV2(debug_chance=1.0)
        drafts = [draft(0.6), draft(CRASH), draft(CRASH), draft(0.7)]
        assert decisions(eager, history_of(0.5, *drafts)) == {(Operator.DEBUG, (2,)), (Operator.DEBUG, (3,))}
        assert decisions(eager, history_of(0.5, *drafts, debug(CRASH, of=2))) == {(Operator.DEBUG, (3,))}

    def test_drafts_where_nothing_works(self):
        assert decide(CALM, history_of(0.5, *[draft(CRASH)] * 4)) == (Operator.DRAFT, (0,))


class TestLaterStages:
    """With a budget of 20, stages begin with steps 1, 3, 7 and 17."""

    basic = (draft(0.6), draft(0.8))

    def history(self, *steps: Tried | float):
        return history_of(0.5, *self.basic, *steps, budget=20)

    def test_tuning_varies_the_best_of_the_first_stage_again_and_again(self):
        for found in ((), (improve(0.9, of=2),), (improve(0.9, of=2), improve(0.1, of=2))):
            assert decide(CALM, self.history(*found)) == (Operator.IMPROVE, (2,))

    def test_new_ideas_begin_with_the_best_so_far_and_not_with_the_baseline(self):
        tuned = [improve(score, of=2) for score in (0.7, 0.9, 0.8, 0.85)]
        assert decide(CALM, self.history(*tuned)) == (Operator.DRAFT, (4,))

    def test_what_came_before_is_kept_where_a_stage_found_nothing_better(self):
        worse = [improve(score, of=2) for score in (0.7, 0.7, 0.7, 0.7)]
        assert decide(CALM, self.history(*worse)) == (Operator.DRAFT, (2,))
        creative = [draft(0.3, of=2), *[improve(0.4, of=7)] * 9]
        assert decide(CALM, self.history(*worse, *creative)) == (Operator.IMPROVE, (2,))

    def test_new_ideas_get_a_journal_of_their_own(self):
        tuned = [improve(score, of=2) for score in (0.7, 0.9, 0.8, 0.85)]
        creative = [draft(0.3, of=4), draft(0.2, of=4), draft(0.2, of=4), draft(0.2, of=4)]
        assert decide(CALM, self.history(*tuned, *creative)) == (Operator.IMPROVE, (7,))

    def test_a_stage_after_nothing_but_failures_grows_a_tree(self):
        history = history_of(0.5, draft(CRASH), draft(CRASH), budget=20)
        assert decide(CALM, history) == (Operator.DRAFT, (0,))

    def test_a_score_that_is_no_number_is_never_carried_on(self):
        history = history_of(0.5, draft(0.6), draft(math.nan), budget=20)
        assert decide(CALM, history) == (Operator.IMPROVE, (1,))


class TestParts:
    def part(self, *scores: float) -> int:
        return plan_of(history_of(0.5, *scores)).part

    def test_a_part_ends_after_three_steps_then_when_it_is_half_of_the_stage(self):
        varied = [0.1 * step for step in range(1, 10)]
        assert [self.part(*varied[:done]) for done in range(10)] == [1] * 3 + [2] * 3 + [3] * 4

    def test_a_part_ends_when_scores_stand_still(self):
        long = [0.1 * step for step in range(1, 25)]
        history = history_of(0.5, *long, budget=1000)
        stuck = history_of(0.5, *long[:-3], 0.5, 0.5, 0.5, budget=1000)
        assert plan_of(stuck).part == plan_of(history).part + 1
