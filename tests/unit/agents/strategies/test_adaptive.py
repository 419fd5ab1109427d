import pytest

from fmlbench.agents.strategies.adaptive import Adaptive
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.agents.strategies.sketches import Sketch, effective_dimension
from fmlbench.core.steps import History, Operator
from fmlbench.testing.histories import ACCURACY, CRASH, ERROR, Tried, debug, history_of, improve
from tests.unit.agents.strategies.deciding import decide, move_of, sketched

KEPT = (0.6, 0.7, 0.8)
"""Three steps that greedy kept, 1 to 3."""


def stagnant(*steps: Tried | float, budget: int = 100) -> History:
    """Three steps that were kept, then 51 that were not: the search forks after step 53."""
    return history_of(0.5, *KEPT, *[0.1] * 50, *steps, budget=budget)


class TestTheFork:
    def test_is_greedy_as_long_as_it_pays(self):
        history = history_of(0.5, 0.6, CRASH)
        assert decide(Adaptive(), history) == decide(Greedy(), history) == (Operator.DEBUG, (2,))
        assert "branch" not in move_of(Adaptive(), history_of(0.5, *KEPT, *[0.1] * 49)).tags

    def test_forks_when_fifty_steps_brought_nothing(self):
        assert move_of(Adaptive(), stagnant()).tags["branch"] == "1"

    def test_is_not_asked_before_the_fifty_first_step(self):
        assert move_of(Adaptive(), history_of(0.5, *[0.1] * 50)).tags == {}
        assert move_of(Adaptive(), history_of(0.5, *[0.1] * 51)).tags["branch"] == "1"

    def test_forks_at_the_slope_it_was_given_and_no_steeper(self):
        """From a useless 0.2 to a perfect 1.0: a gain of 0.02 is 0.025 of the way, over ten steps 0.0025 each."""
        metric = ACCURACY.model_copy(update={"worst": 0.2})
        history = history_of(0.5, *[0.5] * 2, *[0.52] * 9, budget=100, metric=metric)
        assert "branch" in move_of(Adaptive(window=10, slope=0.0025 + 1e-9), history).tags
        assert "branch" not in move_of(Adaptive(window=10, slope=0.0025 - 1e-9), history).tags

    @pytest.mark.parametrize(("left", "branches"), [(3, 0), (4, 1), (15, 1), (16, 2), (30, 2), (31, 3), (90, 3)])
    def test_begins_as_many_branches_as_the_steps_left_allow(self, left: int, branches: int):
        tags = [move_of(Adaptive(), stagnant(*[0.1] * done, budget=53 + left)).tags for done in range(5)]
        assert {tag["branch"] for tag in tags if tag} == {str(place + 1) for place in range(branches)}

    @pytest.mark.parametrize(("budget", "forks"), [(54, False), (55, True)])
    def test_is_greedy_in_fewer_than_fifty_five_steps(self, budget: int, forks: bool):
        moves = (move_of(Adaptive(), history_of(0.5, *[0.1] * done, budget=budget)) for done in range(budget))
        assert any("branch" in move.tags for move in moves) is forks

    def test_does_not_fork_twice(self):
        """What the branches find later does not undo the fork."""
        assert move_of(Adaptive(), stagnant(0.99, 0.99, 0.99)).tags["branch"] == "1"

    def test_copes_without_a_baseline_score_and_with_a_perfect_one(self):
        assert move_of(Adaptive(window=2), history_of(CRASH, CRASH, CRASH, CRASH)).tags["branch"] == "1"
        assert move_of(Adaptive(window=2), history_of(1.0, 0.5, 0.5, 0.5)).tags["branch"] == "1"


class TestBranches:
    def test_begin_with_the_best_steps_that_were_kept(self):
        parents = [decide(Adaptive(), stagnant(*[0.0] * done))[1] for done in range(3)]
        assert parents == [(3,), (2,), (1,)]

    def test_begin_with_the_smallest_errors_where_errors_are_counted(self):
        history = history_of(0.5, 0.4, 0.3, *[0.9] * 50, metric=ERROR)
        assert decide(Adaptive(), history) == (Operator.IMPROVE, (2,))

    def test_begin_with_the_baseline_where_too_little_was_kept(self):
        history = history_of(0.5, 0.6, *[0.1] * 50, 0.0)
        assert move_of(Adaptive(), history).tags["branch"] == "2"
        assert decide(Adaptive(), history) == (Operator.IMPROVE, (0,))

    def test_climb_on_their_own(self):
        """54 to 56 are the first steps of three branches; the second found something better than its root."""
        steps = (improve(0.1, of=3), improve(0.75, of=2), improve(0.1, of=1))
        assert decide(Adaptive(), stagnant(*steps)) == (Operator.IMPROVE, (3,))
        assert decide(Adaptive(), stagnant(*steps, 0.0)) == (Operator.IMPROVE, (55,))

    def test_fix_their_own_failures_in_turn(self):
        steps = (improve(CRASH, of=3), improve(0.1, of=2), improve(0.1, of=1))
        assert decide(Adaptive(), stagnant(*steps)) == (Operator.DEBUG, (54,))
        fixed = (*steps, debug(CRASH, of=54), 0.1, 0.1, debug(CRASH, of=57), 0.1, 0.1)
        assert decide(Adaptive(), stagnant(*fixed)) == (Operator.IMPROVE, (3,))

    def test_know_what_the_others_began_with_and_the_last_thirty_steps(self):
        late = stagnant(*[0.1] * 40)
        context = move_of(Adaptive(), late).context
        assert {54, 55, 56} <= set(context)
        assert context[3:] == tuple(range(64, 94))


class TestHints:
    def hint(self, strategy: Adaptive, *shifts: tuple[int, int], scores: tuple[float, ...] = ()) -> str:
        """The hint for a single branch whose steps 5, 6 and so on lie where they are said to; step 1 lies far off."""
        own = scores or (0.1,) * len(shifts)
        notes = [sketched(1, shift=(100, 0)), *(sketched(5 + place, shift=shift) for place, shift in enumerate(shifts))]
        history = history_of(0.5, *[0.1] * 4, *own, notes=notes, budget=18)
        return move_of(strategy, history).hint

    single = Adaptive(window=3, slope=0.0, branches=1)

    def test_the_first_step_is_to_differ(self):
        assert "differs" in self.hint(self.single)

    def test_nothing_is_said_before_the_fifth_step(self):
        assert self.hint(self.single, *[(1, 0)] * 4) == ""

    def test_a_branch_close_to_the_baseline_is_to_go_deeper(self):
        assert self.hint(self.single, *[(30, 0)] * 5).startswith("Go deeper")
        assert self.hint(self.single, *[(31, 0)] * 5) == ""

    def test_a_branch_that_goes_many_ways_is_to_stay_coherent(self):
        assert self.hint(self.single, *[(90, 0), (0, 90)] * 3).startswith("Stay coherent")

    def test_both_can_be_said_at_once(self):
        both = self.hint(self.single, *[(9, 0), (0, 9)] * 3)
        assert both.startswith("Go deeper")
        assert "Stay coherent" in both

    def test_a_branch_that_finds_things_is_left_alone(self):
        assert self.hint(self.single, *[(9, 0), (0, 9)] * 3, scores=(0.6, 0.7, 0.8, 0.81, 0.82, 0.83)) == ""


class TestGeometry:
    def test_a_step_lies_as_far_away_as_its_shift_is_long(self):
        assert Sketch(size=1, diversity=0.0, shift=(3, 4)).distance == 5.0

    def test_one_direction_is_one_dimension_and_right_angles_are_more(self):
        assert effective_dimension([(1, 0), (3, 0), (-2, 0)]) == pytest.approx(1.0)
        assert effective_dimension([(1, 0, 0), (0, 1, 0), (0, 0, 1)]) == pytest.approx(3.0)

    def test_unequal_ways_count_for_less(self):
        """Moments 4 and 1: (4 + 1)^2 / (16 + 1)."""
        assert effective_dimension([(2, 0), (0, 1)]) == pytest.approx(25 / 17)

    def test_nothing_moved_is_no_dimension(self):
        assert effective_dimension([(0, 0)]) == 0.0
        assert effective_dimension([]) == 0.0
