"""How figures are written, the same in every report."""

from fmlbench.core.run import Rung
from fmlbench.reports.intervals import Estimate


def score_text(score: float | None) -> str:
    """A score with four decimals, or with four digits where decimals would not do; a dash for none."""
    if score is None:
        return "-"
    fits = score == 0 or 0.001 <= abs(score) < 1000
    return f"{score:.4f}" if fits else f"{score:.4g}"


def gain_text(gain: float) -> str:
    """A difference, always with its sign."""
    return score_text(gain) if gain < 0 else f"+{score_text(gain)}"


def estimate_text(estimate: Estimate, *, signed: bool = False) -> str:
    """A mean with its interval and its n."""
    write = gain_text if signed else score_text
    seeds = f"n = {estimate.n} {'seed' if estimate.n == 1 else 'seeds'}"
    if estimate.low is None or estimate.high is None:
        return f"{write(estimate.mean)} ({seeds}, so no interval)"
    return f"{write(estimate.mean)} [{write(estimate.low)}, {write(estimate.high)}] (95% interval, {seeds})"


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


def dollars_text(dollars: float | None) -> str:
    """An amount, or that it is not known."""
    return "not known (a price is missing)" if dollars is None else f"${dollars:.2f}"


def seal_text(rung: Rung) -> str:
    """Whether scores can be trusted; said wherever a score is shown."""
    return f"sealed by {rung}" if rung.is_sealed else "UNSEALED"
