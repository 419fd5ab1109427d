"""Every attack on toy, through the real engine: none earns, reaches or leaves anything; honest candidates pass."""

import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import AnswerKind, ExamName
from fmlbench.engine.red_team_run import RedTeamRun
from fmlbench.redteam.attack import Attack, Control
from fmlbench.redteam.catalogue import ATTACKS, all_controls

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(120)]

ON_TOY = [attack for attack in ATTACKS if attack.suits("toy", AnswerKind.INDEPENDENT)]

WAITING = {"sleep", "stop"}
"""These use no CPU seconds, so that only the clock on the wall ends them."""


def test_there_are_attacks_of_every_kind():
    assert len(ON_TOY) >= 25
    assert len({attack.family for attack in ON_TOY}) == 5
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize("attack", ON_TOY, ids=lambda attack: attack.name)
def test_an_attack_earns_reaches_and_leaves_nothing(toy_arena: RedTeamRun, hurried_arena: RedTeamRun, attack: Attack):
    open_red_team_run = hurried_arena if attack.name in WAITING else toy_arena
    row = open_red_team_run.try_attack(attack)
    assert row.has_run, row
    assert not row.earned, row
    assert row.reached == ()
    assert row.leftovers == ()
    assert row.as_expected, row


@pytest.mark.parametrize("control", all_controls(), ids=lambda control: control.name)
def test_an_honest_candidate_passes(toy_arena: RedTeamRun, control: Control):
    step, test = toy_arena.try_control(control)
    evaluation = step.evaluation
    assert (evaluation.outcome, evaluation.violations) == (Outcome.OK, ()), evaluation
    assert test is not None
    assert test.outcome is Outcome.OK
    assert toy_arena.has_earned(evaluation, test) == control.gains
    if not control.gains:
        assert (evaluation.score, test.score) == tuple(map(toy_arena.baseline, ExamName))
