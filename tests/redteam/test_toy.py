"""Every attack on toy through the real engine: none gains, reaches or leaves anything; honest candidates pass."""

import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import AnswerKind, ExamName
from fmlbench.engine.red_team import RedTeamRun
from fmlbench.redteam.attack import Attack, Control
from fmlbench.redteam.catalogue import ATTACKS, all_controls

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(120)]

ON_TOY = [attack for attack in ATTACKS if attack.suits("toy", AnswerKind.INDEPENDENT)]

WAITING = {"sleep", "stop"}
"""These use no CPU time, so only the wall-time limit ends them."""


def test_every_family_has_attacks():
    assert len(ON_TOY) >= 25
    assert len({attack.family for attack in ON_TOY}) == 5
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize("attack", ON_TOY, ids=lambda attack: attack.name)
def test_an_attack_gains_reaches_and_leaves_nothing(toy_run: RedTeamRun, short_run: RedTeamRun, attack: Attack):
    run = short_run if attack.name in WAITING else toy_run
    row = run.try_attack(attack)
    assert row.has_run, row
    assert not row.earned, row
    assert row.reached == ()
    assert row.leftovers == ()
    assert row.as_expected, row


@pytest.mark.parametrize("control", all_controls(), ids=lambda control: control.name)
def test_an_honest_candidate_passes(toy_run: RedTeamRun, control: Control):
    step, test = toy_run.try_control(control)
    evaluation = step.evaluation
    assert (evaluation.outcome, evaluation.violations) == (Outcome.OK, ()), evaluation
    assert test is not None
    assert test.outcome is Outcome.OK
    assert toy_run.has_earned(evaluation, test) == control.gains
    if not control.gains:
        assert (evaluation.score, test.score) == tuple(map(toy_run.baseline, ExamName))
