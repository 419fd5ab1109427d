"""Whether a program's model answered, which decides whether the run has ended or must be resumed."""

from dataclasses import dataclass
from pathlib import Path

from fmlbench.models.call_log import read_calls
from fmlbench.models.proxy.access import CALLS, ProxyStats
from fmlbench.sandbox.protocol import ExitKind


@dataclass(frozen=True)
class ModelAnswers:
    """How the model answered since the program's start; the defaults are for programs without a model."""

    has_any: bool = True
    trouble: str = ""
    """Why the last call failed; empty if it did not."""


def answers_of(counters: ProxyStats | None, folder: Path, since_call: int, ending: ExitKind) -> ModelAnswers:
    """Summarize the calls after the first ``since_call``, which the proxy has logged in ``folder``."""
    if counters is None:
        return ModelAnswers()
    if ending is ExitKind.OK:
        return ModelAnswers(counters.has_answered(), counters.trouble())
    # A response without usage may be an error page of a gateway. Some servers never report usage, so this only counts
    # if the program failed.
    calls = read_calls(folder / CALLS)[since_call:]
    has_any = any(not call.failure and not call.is_estimate for call in calls)
    garbage = " ".join(calls[-1].answer.split())[:200] if calls and calls[-1].is_estimate else ""
    return ModelAnswers(
        has_any, counters.trouble() or (f"the response is not a model's answer: {garbage}" if garbage else "")
    )
