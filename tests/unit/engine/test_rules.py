from fmlbench.core.task import Rule
from fmlbench.engine.rules import find_broken_rule

FLOOR = Rule(metric="accuracy", text="Accuracy must not fall.", at_least=-0.02, relative_to_baseline=True)


def test_a_floor_relative_to_the_baseline_has_two_standard_errors_of_grace():
    # The floor is 0.70 - 0.02 = 0.68; with a standard error of 0.01, 0.66 still passes.
    assert find_broken_rule((FLOOR,), {"accuracy": 0.661}, {"accuracy": 0.01}, {"accuracy": 0.70}) == ""
    broken = find_broken_rule((FLOOR,), {"accuracy": 0.659}, {"accuracy": 0.01}, {"accuracy": 0.70})
    assert "Accuracy must not fall." in broken
    assert "0.659" in broken


def test_an_absolute_ceiling():
    rule = Rule(metric="leak", text="No leak.", at_most=0.1)
    assert find_broken_rule((rule,), {"leak": 0.1}, {}, {}) == ""
    assert find_broken_rule((rule,), {"leak": 0.11}, {}, {})


def test_the_baseline_itself_keeps_every_relative_rule():
    assert find_broken_rule((FLOOR,), {"accuracy": 0.1}, {}, {}) == ""
