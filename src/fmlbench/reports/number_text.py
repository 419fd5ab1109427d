"""How figures are written, the same in every report."""

from datetime import datetime

from fmlbench.core.figures import form_of
from fmlbench.core.run import Isolation
from fmlbench.metrics.intervals import Estimate
from fmlbench.reports.summary import RunVerdict

VERDICTS = {
    RunVerdict.BETTER: "better than the baseline: the whole interval lies above zero",
    RunVerdict.WORSE: "worse than the baseline: the whole interval lies below zero",
    RunVerdict.UNDECIDED: "not told apart from the baseline: the interval holds zero",
    RunVerdict.NOTHING_BETTER: "no step beat the baseline",
    RunVerdict.UNKNOWN: "not known: it takes two retest seeds or more",
}
"""What a run's retest says, in words."""


def estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """A mean with its interval and its n, in full."""
    seeds = f"n = {estimate.n} {'seed' if estimate.n == 1 else 'seeds'}"
    figures = _figures(estimate, signed=signed)
    return f"{figures} ({seeds}, so no interval)" if estimate.low is None else f"{figures} (95% interval, {seeds})"


def brief_estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """The same for a column whose heading says what the brackets are."""
    return f"{_figures(estimate, signed=signed)}, n = {estimate.n}"


def mean_text(estimate: Estimate, *, signed: bool = False) -> str:
    """The mean alone, where there is no room for more."""
    return format(estimate.mean, form_of(estimate.mean, signed=signed))


def _figures(estimate: Estimate, *, signed: bool) -> str:
    """The mean and its interval, all in one form."""
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return mean_text(estimate, signed=signed)
    form = form_of(estimate.mean, low, high, signed=signed)
    return f"{estimate.mean:{form}} [{low:{form}}, {high:{form}}]"


def duration_text(seconds: float) -> str:
    """A duration a person can grasp."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def moment_text(at: str) -> str:
    """When something happened, by the clock on the wall; as wide for what has not."""
    return f"{datetime.fromisoformat(at).astimezone():%d %b %H:%M}" if at else f"{'-':12}"


def dollars_text(dollars: float | None) -> str:
    """An amount, or that it is not known."""
    return "not known (a price is missing)" if dollars is None else f"${dollars:.2f}"


def seal_text(isolation: Isolation) -> str:
    """Whether scores can be trusted; said wherever a score is shown."""
    return f"sealed by {isolation}" if isolation.is_sealed else "UNSEALED"
