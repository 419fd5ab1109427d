from fmlbench.agents.strategies.linear import Linear
from fmlbench.core.steps import Operator
from fmlbench.testing.histories import CRASH, INFRA, debug, history_of, improve
from tests.unit.agents.strategies.deciding import decide, move_of


def test_goes_on_from_the_last_step_even_if_it_was_worse():
    assert decide(Linear(), history_of(0.5, 0.9, improve(0.2, of=1))) == (Operator.IMPROVE, (2,))


def test_fixes_a_failure_in_place_and_never_goes_back():
    history = history_of(0.5, 0.9, improve(CRASH, of=1), *(debug(CRASH, of=step) for step in range(2, 9)))
    assert decide(Linear(), history) == (Operator.DEBUG, (9,))


def test_begins_with_the_baseline_whether_it_works_or_not():
    assert decide(Linear(), history_of(0.5)) == (Operator.IMPROVE, (0,))
    assert decide(Linear(), history_of(CRASH)) == (Operator.IMPROVE, (0,))


def test_does_not_fix_infrastructure_failures():
    assert decide(Linear(), history_of(0.5, INFRA)) == (Operator.IMPROVE, (1,))


def test_remembers_all_it_did():
    assert move_of(Linear(), history_of(0.5, 0.6, improve(0.7, of=1))).context == (1, 2)
