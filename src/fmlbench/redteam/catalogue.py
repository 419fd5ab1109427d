"""All attacks and honest controls, by name."""

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
    """The properties of a task that determine which attacks apply."""

    task: str
    kind: AnswerKind
    is_sealed: bool
    is_narrow: bool
    """Whether limits are low enough to reach them."""

    def suits(self, attack: Attack) -> bool:
        """Whether an attack applies to the task and is safe at its isolation level."""
        if not attack.suits(self.task, self.kind):
            return False
        return (self.is_sealed or attack.is_harmless) and (self.is_narrow or not attack.is_exhausting)


def choose_attacks(profile: TaskProfile, *, names: Iterable[str] = (), quick: bool = False) -> list[Attack]:
    """The attacks that apply to a task, or those with the given names."""
    wanted = [find_attack(name) for name in names]
    for attack in wanted:
        if not profile.is_sealed and not attack.is_harmless:
            raise BadRequest(
                f"The attack '{attack.name}' cannot run unsealed: it could harm this machine.",
                hint="Run it in the sandbox; 'fmlbench doctor' shows how to enable it.",
            )
    return wanted or [attack for attack in ATTACKS if profile.suits(attack) and (attack.is_quick or not quick)]


def find_attack(name: str) -> Attack:
    """The attack with that name."""
    known = {attack.name: attack for attack in ATTACKS}
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"Did you mean '{close[0]}'?" if close else "docs/redteam.md lists them."
        raise BadRequest(f"There is no attack named '{name}'.", hint=hint)
    return known[name]


def all_controls() -> tuple[Control, ...]:
    """Honest candidates that must not be rejected."""
    return CONTROLS
