"""Number formats shared by all reports."""

from datetime import datetime

from fmlbench.core.run import Isolation
from fmlbench.core.text import form_of
from fmlbench.metrics.intervals import Estimate
from fmlbench.reports.summary import RunVerdict

VERDICTS = {
    RunVerdict.BETTER: "better than the baseline: the interval lies above zero",
    RunVerdict.WORSE: "worse than the baseline: the interval lies below zero",
    RunVerdict.UNDECIDED: "not significantly different from the baseline: the interval contains zero",
    RunVerdict.NOTHING_BETTER: "no step beat the baseline",
    RunVerdict.UNKNOWN: "unknown: needs at least two retest seeds",
}
"""The verdict of a run's retests as text."""


def estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """A mean with its interval and n, in full."""
    seeds = f"n = {estimate.n} {'seed' if estimate.n == 1 else 'seeds'}"
    figures = _figures(estimate, signed=signed)
    return f"{figures} ({seeds}, so no interval)" if estimate.low is None else f"{figures} (95% interval, {seeds})"


def brief_estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """The same for a column whose heading explains the brackets."""
    return f"{_figures(estimate, signed=signed)}, n = {estimate.n}"


def mean_text(estimate: Estimate, *, signed: bool = False) -> str:
    """The mean alone."""
    return format(estimate.mean, form_of(estimate.mean, signed=signed))


def _figures(estimate: Estimate, *, signed: bool) -> str:
    """The mean and its interval, in one number format."""
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return mean_text(estimate, signed=signed)
    form = form_of(estimate.mean, low, high, signed=signed)
    return f"{estimate.mean:{form}} [{low:{form}}, {high:{form}}]"


def duration_text(seconds: float) -> str:
    """A duration in readable units."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def moment_text(at: str) -> str:
    """A time in the local time zone; a dash of the same width if empty."""
    return f"{datetime.fromisoformat(at).astimezone():%d %b %H:%M}" if at else f"{'-':12}"


def dollars_text(dollars: float | None) -> str:
    """An amount, or 'unknown'."""
    return "unknown (a price is missing)" if dollars is None else f"${dollars:.2f}"


def seal_text(isolation: Isolation) -> str:
    """The isolation level; shown wherever a score is shown."""
    return f"sealed by {isolation}" if isolation.is_sealed else "UNSEALED"
