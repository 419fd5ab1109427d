"""Bring a run's model to where its agent can ask it: metered by the run's budget, recorded in its folder."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.agents.catalogue import is_program
from fmlbench.core.run import Budget, RunSpec
from fmlbench.llm.chat import ChatModel
from fmlbench.llm.exchanges import ExchangeBook, read_exchanges
from fmlbench.llm.metering import Caps, Metered
from fmlbench.llm.opening import OpenModel, open_model
from fmlbench.llm.patience import PAUSES_SECONDS, Patient
from fmlbench.llm.prices import free
from fmlbench.llm.recording import Recorded
from fmlbench.llm.replaying import Replayed
from fmlbench.records.folder import RunFolder


@contextmanager
def consulted(spec: RunSpec, folder: RunFolder, models: Path) -> Generator[ChatModel | None]:
    """The model of a run; None where its agent needs none, or is a program that has a line of its own to it.

    ``models`` is where local ones lie.
    """
    if not spec.agent.model or is_program(spec.agent):
        yield None
        return
    opened = _open(spec, models)
    with ExchangeBook(folder.exchanges) as book:
        metered = Metered(opened.chat, opened.price, _caps(spec.budget), lambda: book.spent)
        yield Recorded(metered, book)


def _open(spec: RunSpec, models: Path) -> OpenModel:
    agent = spec.agent
    if agent.replay:
        return OpenModel(Replayed(agent.model, read_exchanges(RunFolder(Path(agent.replay)).exchanges)), free)
    opened = open_model(agent.model, models)
    patient = Patient(opened.chat, call_seconds=opened.call_seconds, pauses=PAUSES_SECONDS)
    return OpenModel(patient, opened.price)


def _caps(budget: Budget) -> Caps:
    return Caps(tokens=budget.tokens, dollars=budget.dollars)
