"""Format steps and practice runs for people, models and programs."""

from fmlbench.core.evaluation import Evaluation
from fmlbench.core.steps import Step
from fmlbench.core.text import score_text
from fmlbench.models.meter import Caps

_LOG_CHARACTERS = 2000
"""How much of the log of a successful step is shown."""


def line_of(step: Step) -> str:
    """A step in one line."""
    is_measured = step.index > 0 and step.information_bytes is not None
    added = f", adds {step.information_bytes:,} bytes of information" if is_measured else ""
    return f"step {step.index}: {outcome_of(step.evaluation)}{added}. {step.idea}"


def outcome_of(evaluation: Evaluation) -> str:
    """The outcome, with the score or the reason."""
    score = f", score {score_text(evaluation.score)}" if evaluation.is_ok else ""
    reason = f" ({evaluation.reason})" if evaluation.reason else ""
    return f"{evaluation.outcome}{score}{reason}"


def with_details(head: str, evaluation: Evaluation) -> str:
    """Add side metrics, CPU time and the end of the log; failed steps show more of it."""
    lines = [head]
    if evaluation.metrics:
        lines.append(f"Side metrics: {', '.join(f'{name} {value:.4g}' for name, value in evaluation.metrics.items())}.")
    if evaluation.cpu_seconds:
        lines.append(f"CPU time: {evaluation.cpu_seconds:.1f} s, peak memory: {evaluation.peak_memory_mb:.0f} MB.")
    if log := evaluation.log_tail.strip():
        lines += ["", "End of the log:", log[-_LOG_CHARACTERS:] if evaluation.is_ok else log]
    return "\n".join(lines)


def caps_of(caps: Caps) -> list[str]:
    """The remaining tokens and dollars of the model, if they are capped."""
    tokens = [] if caps.tokens is None else [f"{caps.tokens} tokens of your model"]
    return tokens if caps.dollars is None else [*tokens, f"${caps.dollars:.2f} for your model"]


def step_data(step: Step) -> dict[str, object]:
    """A step as data for programs."""
    return {"step": step.index, **data_of(step.evaluation), "information_bytes": step.information_bytes}


def data_of(evaluation: Evaluation) -> dict[str, object]:
    """An evaluation as data for programs."""
    return {
        "outcome": str(evaluation.outcome),
        "score": evaluation.score if evaluation.is_ok else None,
        "reason": evaluation.reason,
        "seconds": evaluation.seconds,
        "cpu_seconds": evaluation.cpu_seconds,
        "metrics": dict(evaluation.metrics),
    }
