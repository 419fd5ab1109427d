"""Run the red team against a task: every attack is a step of a real run."""

from collections.abc import Callable, Iterable

from fmlbench.core.progress import Progress, Silent
from fmlbench.engine.red_team_run import AttackRow, open_red_team_run
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.redteam.catalogue import TaskProfile, choose_attacks
from fmlbench.workspace.dirs import Dirs

_WIDE_CPU_SECONDS = 60
"""Attacks that run until a limit stops them are skipped if the limit is higher than this."""

Report = Callable[[AttackRow], None]


def attack_task(
    prepared: PreparedTask,
    dirs: Dirs,
    *,
    names: Iterable[str] = (),
    quick: bool = False,
    report: Report | None = None,
    progress: Progress | None = None,
) -> list[AttackRow]:
    """Run attacks on a task one by one, and report each result immediately."""
    attacks = choose_attacks(_profile(prepared), names=names, quick=quick)
    progress = progress or Silent()
    rows: list[AttackRow] = []
    with open_red_team_run(prepared, dirs, progress) as run:
        progress.start(f"{prepared.task.name}: attacks", len(attacks))
        for attack in attacks:
            rows.append(run.try_attack(attack))
            progress.advance(1)
            if report:
                report(rows[-1])
        progress.finish()
    return rows


def _profile(prepared: PreparedTask) -> TaskProfile:
    track = prepared.track
    limits = [*(training.limits for training in track.training), track.exam.limits]
    return TaskProfile(
        task=prepared.task.name,
        kind=track.exam.answers.kind,
        is_sealed=prepared.sandbox.isolation.is_sealed,
        is_narrow=all(one.cpu_seconds <= _WIDE_CPU_SECONDS for one in limits),
    )
