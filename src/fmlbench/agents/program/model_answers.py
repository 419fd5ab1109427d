"""Whether a program's model answered, which decides whether the run has ended or must be resumed."""

from dataclasses import dataclass
from pathlib import Path

from fmlbench.models.proxy.access import EXCHANGES, ProxyStats
from fmlbench.models.proxy.wire_book import WIRE_EXCHANGES
from fmlbench.records.log import read_records
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
    exchanges = read_records(folder / EXCHANGES, WIRE_EXCHANGES)[since_call:]
    has_any = any(not exchange.failure and not exchange.is_estimate for exchange in exchanges)
    garbage = " ".join(exchanges[-1].answer.split())[:200] if exchanges and exchanges[-1].is_estimate else ""
    return ModelAnswers(
        has_any, counters.trouble() or (f"the response is not a model's answer: {garbage}" if garbage else "")
    )
