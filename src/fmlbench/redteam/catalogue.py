"""Every attack and every honest control, by name."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from fmlbench.core.errors import BadRequest
from fmlbench.core.task import AnswerKind
from fmlbench.redteam.attack import Attack, Control
from fmlbench.redteam.controls import CONTROLS
from fmlbench.redteam.evaluator_tampering import TAMPERING
from fmlbench.redteam.host import HOST
from fmlbench.redteam.label_access import LABELS
from fmlbench.redteam.metric_gaming import GAMING
from fmlbench.redteam.score_forging import FORGING

ATTACKS: tuple[Attack, ...] = (*FORGING, *TAMPERING, *LABELS, *GAMING, *HOST)


@dataclass(frozen=True)
class TaskProfile:
    """What decides which attacks make sense."""

    task: str
    kind: AnswerKind
    is_sealed: bool
    is_narrow: bool
    """Whether limits are low enough to run into them."""

    def suits(self, attack: Attack) -> bool:
        """Whether an attack makes sense here, and does no harm."""
        if not attack.suits(self.task, self.kind):
            return False
        return (self.is_sealed or attack.is_harmless) and (self.is_narrow or not attack.is_exhausting)


def choose_attacks(profile: TaskProfile, *, names: Iterable[str] = (), quick: bool = False) -> list[Attack]:
    """The attacks that suit a task, or those that are asked for by name."""
    wanted = [find_attack(name) for name in names]
    for attack in wanted:
        if not profile.is_sealed and not attack.is_harmless:
            raise BadRequest(
                f"The attack '{attack.name}' is not tried without a seal: nothing would keep it from doing harm.",
                hint="Try it in the sandbox ('fmlbench doctor' says how to get one).",
            )
    return wanted or [attack for attack in ATTACKS if profile.suits(attack) and (attack.is_quick or not quick)]


def find_attack(name: str) -> Attack:
    """The attack of that name."""
    known = {attack.name: attack for attack in ATTACKS}
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"Did you mean '{close[0]}'?" if close else "docs/redteam.md lists them."
        raise BadRequest(f"There is no attack named '{name}'.", hint=hint)
    return known[name]


def all_controls() -> tuple[Control, ...]:
    """Honest candidates that must not be mistaken for attacks."""
    return CONTROLS
