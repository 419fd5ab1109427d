"""Every attack and every honest control, by name."""

import difflib
from collections.abc import Iterable

from fmlbench.core.errors import BadRequest
from fmlbench.core.task import AnswerKind
from fmlbench.redteam.attack import Attack, Control
from fmlbench.redteam.controls import CONTROLS
from fmlbench.redteam.forging import FORGING
from fmlbench.redteam.gaming import GAMING
from fmlbench.redteam.host import HOST
from fmlbench.redteam.labels import LABELS
from fmlbench.redteam.tampering import TAMPERING

ATTACKS: tuple[Attack, ...] = (*FORGING, *TAMPERING, *LABELS, *GAMING, *HOST)


def choose_attacks(
    task: str, kind: AnswerKind, *, names: Iterable[str] = (), quick: bool = False, exhausting: bool = True
) -> list[Attack]:
    """The attacks that suit a task, or those that are asked for by name."""
    wanted = list(names)
    if wanted:
        return [find_attack(name) for name in wanted]
    suitable = (attack for attack in ATTACKS if attack.suits(task, kind))
    return [
        attack for attack in suitable if (attack.is_quick or not quick) and (exhausting or not attack.is_exhausting)
    ]


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
