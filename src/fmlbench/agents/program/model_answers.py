"""What a program got from its model, as far as that decides whether its run is over."""

from dataclasses import dataclass
from pathlib import Path

from fmlbench.models.proxy.access import EXCHANGES, ProxyStats
from fmlbench.models.proxy.wire_book import WIRE_EXCHANGES
from fmlbench.records.log import read_records
from fmlbench.sandbox.protocol import ExitKind


@dataclass(frozen=True)
class ModelAnswers:
    """How a model answered a program since that was started; without a model there is nothing to wait for."""

    has_any: bool = True
    trouble: str = ""
    """Why the last call brought no answer, if it did not."""


def answers_of(counters: ProxyStats | None, folder: Path, since_call: int, ending: ExitKind) -> ModelAnswers:
    """Look at the calls after the first so many, which the proxy has written down in ``folder``."""
    if counters is None:
        return ModelAnswers()
    if ending is ExitKind.OK:
        return ModelAnswers(counters.has_answered(), counters.trouble())
    # What does not say what it took is no answer of a model, but a page of some gateway, say. There are servers that
    # never say it, so it counts only where the program could not go on.
    exchanges = read_records(folder / EXCHANGES, WIRE_EXCHANGES)[since_call:]
    has_any = any(not exchange.failure and not exchange.is_estimate for exchange in exchanges)
    garbage = " ".join(exchanges[-1].answer.split())[:200] if exchanges and exchanges[-1].is_estimate else ""
    return ModelAnswers(
        has_any, counters.trouble() or (f"what came is not an answer of a model: {garbage}" if garbage else "")
    )
