"""Runs in the terminal: the summary of one, and a table of several."""

import shlex
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fmlbench.core.evaluation import Outcome
from fmlbench.core.run import Isolation
from fmlbench.core.text import counted, score_text
from fmlbench.reports.number_text import (
    VERDICTS,
    brief_estimate_text,
    dollars_text,
    duration_text,
    estimate_text,
    mean_text,
    moment_text,
    seal_text,
)
from fmlbench.reports.summary import RunPhase, RunSummary, RunVerdict, TestResult
from fmlbench.reports.table import Cells, Layouts, fitting_table
from fmlbench.reports.untrusted import one_line

Row = tuple[str, Text]

_VERDICT_STYLES = {RunVerdict.BETTER: "bold green", RunVerdict.WORSE: "bold red"}


def render_summary(summary: RunSummary, place: str, *, has_tree: bool = False) -> RenderableType:
    """The summary of the run in folder ``place``, with the next commands; ``has_tree`` if the step tree follows."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, value in (
        *_search_rows(summary),
        *_test_rows(summary),
        *_effort_rows(summary),
        ("run", Text(place, overflow="fold")),
        *_next_rows(summary, has_tree=has_tree),
    ):
        rows.add_row(name, value)
    return Group(run_header(summary), rows)


def run_header(summary: RunSummary) -> Text:
    """The run, its phase, and its isolation level."""
    spec = summary.spec
    task = spec.task.rstrip("/").rsplit("/", 1)[-1]
    header = Text(f"{task}, track {spec.track_text}, agent {spec.agent.slug}, seed {spec.seed}: {summary.stage}, ")
    header.stylize("bold")
    header.append_text(seal(spec.isolation))
    return header


def seal(isolation: Isolation) -> Text:
    """The isolation level in colour."""
    return Text(seal_text(isolation), style="green" if isolation.is_sealed else "bold red")


def _search_rows(summary: RunSummary) -> list[Row]:
    baseline = Text(f"{summary.metric} {score_text(summary.baseline)} on validation")
    return [("baseline", baseline), ("best step", Text(_best_step(summary)))]


def _best_step(summary: RunSummary) -> str:
    best = summary.best
    if best is None:
        return "no step has a score yet"
    if best.index == 0:
        return "the baseline; no step beat it on validation"
    score = f"{summary.metric} {score_text(best.validation)} on validation"
    return f"{score}, step {best.index}: {one_line(best.idea, 300)}"


def _test_rows(summary: RunSummary) -> list[Row]:
    name = "sealed test" if summary.is_sealed else "test"
    if summary.test is None:
        return [(name, Text(_why_no_test(summary)))]
    lines = [Text(line) if summary.is_sealed else _unsealed(line) for line in _test_lines(summary.test)]
    verdict = summary.test.verdict
    return [
        *_under_one_name(name, lines),
        ("verdict", Text(VERDICTS[verdict], _VERDICT_STYLES.get(verdict, "bold"))),
        *_transfer_rows(summary),
        *_under_one_name("flags", [Text(flag, style="bold red") for flag in summary.flags]),
    ]


def _transfer_rows(summary: RunSummary) -> list[Row]:
    """The gain of the best step on the task's sibling."""
    if summary.transfer is None:
        return []
    return _under_one_name("transfer", [Text(line) for line in _test_lines(summary.transfer)])


def _why_no_test(summary: RunSummary) -> str:
    if not summary.is_over:
        return "hidden until the run is finished"
    return "retests are disabled (--retest 0)" if summary.stage is RunPhase.COMPLETE else "not retested yet"


def _test_lines(test: TestResult) -> list[str]:
    lines: list[str] = []
    if test.best:
        lines.append(f"best step  {estimate_text(test.best)}")
    if test.baseline:
        lines.append(f"baseline   {estimate_text(test.baseline)}")
    if test.difference:
        sigmas = f", {test.sigmas:+.1f} sigma" if test.sigmas is not None else ""
        lines.append(f"gain      {estimate_text(test.difference, signed=True)}, paired by seed{sigmas}")
    if test.failed:
        lines.append(f"{test.failed} of the retests have no score")
    return lines


def _unsealed(line: str) -> Text:
    return Text(f"{line}  ").append_text(seal(Isolation.NONE))


def _effort_rows(summary: RunSummary) -> list[Row]:
    proposing, experimenting = duration_text(summary.proposing_seconds), duration_text(summary.experiment_seconds)
    program = (
        f"; {summary.program_cpu_seconds:.1f} CPU seconds of the agent program" if summary.program_cpu_seconds else ""
    )
    rows = [
        ("steps", Text(_step_counts(summary))),
        ("time", Text(f"{proposing} proposing, {experimenting} experiments{program}")),
    ]
    if summary.spec.agent.model:
        rows.append(("model", Text(_model_use(summary))))
    if summary.dollars != 0:
        rows.append(("cost", Text(dollars_text(summary.dollars))))
    if summary.violations:
        rows.append(
            ("violations", Text(f"{summary.violations} detected; listed in the tree of steps", style="bold red"))
        )
    return rows


def _model_use(summary: RunSummary) -> str:
    agent = summary.spec.agent
    use = (
        f"{counted(summary.calls, 'call')}, {summary.input_tokens:,} input and {summary.output_tokens:,} output tokens"
    )
    return f"{agent.model}{', replayed' if agent.replay else ''}: {use}"


def _step_counts(summary: RunSummary) -> str:
    failures = [f"{count} {outcome}" for outcome, count in summary.outcomes.items() if outcome != Outcome.OK]
    counts = f"{summary.succeeded} of {summary.proposed} have a score"
    if failures:
        counts += f" ({', '.join(failures)})"
    if summary.proposed == summary.spec.budget.steps:
        return counts
    why = f"; ended early: {one_line(summary.ended)}" if summary.ended else ""
    return f"{counts}; the budget is {summary.spec.budget.steps}{why}"


def _next_rows(summary: RunSummary, *, has_tree: bool) -> list[Row]:
    run = shlex.quote(summary.run)
    commands = [] if has_tree else [f"fmlbench show {run}"]
    if summary.best is not None and summary.best.index:
        commands.append(f"fmlbench show {run} --diff {summary.best.index}")
    if summary.stage is not RunPhase.COMPLETE:
        commands = [f"fmlbench resume {run}"]
    return _under_one_name("next", [Text(command) for command in commands])


def _under_one_name(name: str, texts: Sequence[Text]) -> list[Row]:
    return [(name if number == 0 else "", text) for number, text in enumerate(texts)]


_RUN_CELLS: Cells[RunSummary] = {
    "run": lambda run: Text(run.run, style="bold"),
    "label": lambda run: Text(run.spec.label),
    "started": lambda run: Text(moment_text(run.started)),
    "state": lambda run: Text(str(run.stage)),
    "steps": lambda run: Text(f"{run.proposed} of {run.spec.budget.steps}"),
    "baseline": lambda run: Text(score_text(run.baseline)),
    "best": lambda run: Text(_best_score(run)),
    "test gain [95% interval]": lambda run: Text(_gain(run)),
    "seal": lambda run: seal(run.spec.isolation),
    "test gain": lambda run: Text(_short_gain(run)),
    "best score": lambda run: _marked(_best_score(run), run),
}

_RUN_LAYOUTS = (
    ("run", "label", "started", "state", "steps", "baseline", "best", "test gain [95% interval]", "seal"),
    ("run", "label", "started", "state", "steps", "best score", "test gain"),
    ("run", "label", "started", "state", "steps", "best score"),
    ("run", "label", "started", "state", "best score"),
    ("run", "label", "started", "state"),
    ("run", "started", "state"),
    ("run", "started"),
)


def run_table(runs: Sequence[RunSummary]) -> Layouts:
    """One row per run. Hidden scores of unfinished runs are not shown; unsealed scores are always marked."""
    left_out = set[str]() if any(run.spec.label for run in runs) else {"label"}
    layouts = [[heading for heading in layout if heading not in left_out] for layout in _RUN_LAYOUTS]
    return fitting_table(runs, _RUN_CELLS, layouts, line=("started", "run"))


def _best_score(run: RunSummary) -> str:
    return score_text(run.best.validation if run.best else None)


def _gain(run: RunSummary) -> str:
    if run.test is None:
        return "-"
    if run.test.difference is None:
        return str(run.test.verdict)
    return brief_estimate_text(run.test.difference, signed=True)


def _short_gain(run: RunSummary) -> str:
    return mean_text(run.test.difference, signed=True) if run.test and run.test.difference else _gain(run)


def _marked(score: str, run: RunSummary) -> Text:
    """A score marked UNSEALED if necessary, for layouts without the seal column."""
    return Text(score) if run.is_sealed else Text(f"{score} ").append_text(seal(run.spec.isolation))
