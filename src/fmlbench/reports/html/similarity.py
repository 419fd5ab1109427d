"""Similarity of the winners of a task to each other and to the expert reference."""

from collections.abc import Mapping, Sequence

from fmlbench.core.errors import RunDamaged
from fmlbench.reports.html.run_records import RunRecord
from fmlbench.reports.table import DataTable
from fmlbench.workspace.information import shared_share
from fmlbench.workspace.snapshots import Snapshots

Code = Mapping[str, str]

_NOTE = (
    "The share of the information that the row's winner adds to the baseline that the column's code adds too. "
    "Each agent is represented by its run with the best validation score."
)


def similarity_table(runs: Sequence[RunRecord]) -> DataTable | None:
    """The similarity of the agents' winners; None if fewer than two agents have one."""
    best = _best_runs(runs)
    code = {agent: found for agent, run in best.items() if (found := _winner_and_baseline(run))}
    if len(code) < 2:
        return None
    return DataTable(
        columns=("agent", "seed", "expert reference", *code),
        rows=[
            (
                agent,
                str(best[agent].spec.seed),
                _percent(best[agent].trace.reference_similarity),
                *("" if agent == other else _percent(_share(code[agent], code[other])) for other in code),
            )
            for agent in code
        ],
        notes=(_NOTE,),
    )


def _best_runs(runs: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Each agent's run with the best validation score, if its winner is not the baseline."""
    best: dict[str, RunRecord] = {}
    for run in runs:
        winner = run.trace.winner
        if winner is None or winner.index == 0 or winner.evaluation.score is None:
            continue
        rival = best[run.agent].trace.winner if run.agent in best else None
        rival_score = rival.evaluation.score if rival else None
        if rival_score is None or run.trace.metric.gain(winner.evaluation.score, rival_score) > 0:
            best[run.agent] = run
    return best


def _winner_and_baseline(run: RunRecord) -> tuple[Code, Code] | None:
    """The code of a run's winner and of its baseline; None if snapshots are missing."""
    winner = run.trace.winner
    assert winner is not None  # noqa: S101 - called only for runs with a winner
    snapshots = Snapshots(run.folder.code)
    try:
        return snapshots.read(winner.snapshot), snapshots.read(run.state.steps[0].snapshot)
    except RunDamaged:
        return None


def _share(one: tuple[Code, Code], other: tuple[Code, Code]) -> float:
    (files, baseline), (others, _) = one, other
    return shared_share(files, others, baseline)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
