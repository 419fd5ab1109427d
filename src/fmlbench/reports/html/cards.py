"""The key numbers at the top of a run."""

from dataclasses import dataclass

from fmlbench.core.text import score_text
from fmlbench.reports.number_text import VERDICTS, brief_estimate_text, dollars_text, duration_text
from fmlbench.reports.summary import RunSummary, TestResult
from fmlbench.reports.untrusted import one_line


@dataclass(frozen=True)
class Card:
    """A key number with a remark."""

    name: str
    figure: str
    remark: str


def cards_of(summary: RunSummary) -> list[Card]:
    """The key numbers of a run."""
    best = summary.best
    cards = [
        Card("baseline", score_text(summary.baseline), f"{summary.metric} on validation"),
        Card(
            "best step",
            score_text(best.validation if best else None),
            f"step {best.index}" if best and best.index else "no step beat the baseline",
        ),
    ]
    if summary.test is not None:
        name = "gain on the sealed test" if summary.is_sealed else "gain on the test, UNSEALED"
        cards.append(_test_card(name, summary.test))
    if summary.transfer is not None:
        cards.append(_test_card("gain on the sibling", summary.transfer))
    cards += [
        Card("steps", f"{summary.proposed} of {summary.spec.budget.steps}", _steps_remark(summary)),
        Card(
            "time",
            duration_text(summary.proposing_seconds + summary.experiment_seconds),
            f"including {duration_text(summary.proposing_seconds)} proposing",
        ),
        Card("price", dollars_text(summary.dollars), "of all proposals"),
    ]
    return cards


def _steps_remark(summary: RunSummary) -> str:
    """The number of steps with a score, and why the run ended early if it did."""
    early = summary.ended if summary.proposed < summary.spec.budget.steps else ""
    return "; ".join(filter(None, (f"{summary.succeeded} have a score", one_line(early, 200))))


def _test_card(name: str, test: TestResult) -> Card:
    if test.difference is None:
        return Card(name, "-", VERDICTS[test.verdict])
    figure, _, remark = brief_estimate_text(test.difference, signed=True).partition(" ")
    sigmas = f"; {test.sigmas:+.1f} sigma" if test.sigmas is not None else ""
    return Card(name, figure.rstrip(","), f"{remark}{sigmas}")
