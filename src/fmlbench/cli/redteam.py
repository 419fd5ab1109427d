"""fmlbench redteam: run known attacks on a task."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from fmlbench.cli.console import show_json, show_lines, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption, SmokeOption, TaskArgument, TrackOption, UnsealedOption
from fmlbench.cli.progress import progress_on
from fmlbench.cli.requests import isolation, sandbox_of
from fmlbench.engine.preparation import prepare
from fmlbench.engine.red_team import AttackRow, attack_task
from fmlbench.reports.untrusted import one_line
from fmlbench.tasks.library import find_task


def redteam(
    task: TaskArgument,
    attacks: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            metavar="NAME",
            help="Run only this attack (repeatable). The output without this option lists all attacks.",
        ),
    ] = None,
    track: TrackOption = "cpu",
    smoke: SmokeOption = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run only the few attacks that 'fmlbench tasks check' uses.")
    ] = False,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run every known attack on a task.

    Every attack is a step of a real run. Prints its outcome, its score and what stopped it. Exits with 1 if an attack
    improved its score, reached anything forbidden, or left files or processes behind.
    """
    dirs = find_dirs()
    folder = find_task(task)
    sandbox = sandbox_of(isolation(unsealed=unsealed))
    families: list[str] = []

    def show_row(row: AttackRow) -> None:
        if as_json:
            return
        if row.family not in families:
            families.append(row.family)
            show_lines(Text(f"\n{row.family}", style="bold"))
        show_lines(_line(row))

    with progress_on(stderr_console()) as progress:
        prepared = prepare(folder, track, smoke=smoke, dirs=dirs, sandbox=sandbox, progress=progress)
        rows = attack_task(prepared, dirs, names=attacks or [], quick=quick, report=show_row, progress=progress)
    if as_json:
        show_json(rows)
    else:
        show_lines(_verdict(rows, sealed=sandbox.isolation.is_sealed))
    if not all(row.is_stopped for row in rows):
        raise typer.Exit(1)


def _line(row: AttackRow) -> Text:
    line = Text("stopped  ", style="green") if row.is_stopped else Text("EARNED   ", style="bold red")
    score = "-" if row.test is None else f"{row.test:.4f}"
    line.append(f"{row.attack:<35}  {row.outcome:<13}  {score:<6}  ", style="default")
    why = row.stopped_by if row.is_stopped else "; ".join((*row.reached, *row.leftovers)) or row.seen
    return line.append(one_line(why, 200), style="default")


def _verdict(rows: Sequence[AttackRow], *, sealed: bool) -> Text:
    seal = "" if sealed else " (UNSEALED)"
    through = [row.attack for row in rows if not row.is_stopped]
    if through:
        return Text(f"\n{len(through)} of {len(rows)} not stopped{seal}: {', '.join(through)}", "bold red")
    bar = f" None beat {rows[0].bar:.4f} on the sealed test (baseline + 2 sigma)." if rows else ""
    return Text(f"\n{len(rows)} tried, all stopped{seal}.{bar}", "bold green")
