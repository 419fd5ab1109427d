"""Open a run's model: capped by the run's budget, with its calls logged in the run's folder."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.agents.registry import is_program
from fmlbench.core.run import Budget, RunSpec
from fmlbench.models.chat import ChatModel
from fmlbench.models.client import open_model
from fmlbench.models.deadline import Timely
from fmlbench.models.exchanges import ExchangeBook, read_exchanges
from fmlbench.models.metering import Caps, Metered
from fmlbench.models.prices import free
from fmlbench.models.recorded import Recorded
from fmlbench.models.replay import Replayed
from fmlbench.models.retry import PAUSES_SECONDS, Patient
from fmlbench.records.folder import RunFolder


@contextmanager
def open_run_model(
    spec: RunSpec, folder: RunFolder, models: Path, seconds_left: Callable[[], float]
) -> Generator[ChatModel | None]:
    """The model of a run; None if its agent needs none or is a program, which calls its model through the proxy.

    ``models`` is the folder of local models, ``seconds_left`` returns the rest of the run's hours.
    """
    if not spec.agent.model or is_program(spec.agent):
        yield None
        return
    with ExchangeBook(folder.exchanges) as book:
        yield Recorded(_replayed(spec, book) if spec.agent.replay else _asked(spec, book, models, seconds_left), book)


def _replayed(spec: RunSpec, book: ExchangeBook) -> ChatModel:
    record = read_exchanges(RunFolder(Path(spec.agent.replay)).exchanges)
    return Metered(Replayed(spec.agent.model, record), free, _caps(spec.budget), lambda: book.spent)


def _asked(spec: RunSpec, book: ExchangeBook, models: Path, seconds_left: Callable[[], float]) -> ChatModel:
    """Caps and the remaining time are checked before each attempt, not only before the first."""
    opened = open_model(spec.agent.model, models)
    timely = Timely(opened.chat, opened.call_seconds, seconds_left)
    metered = Metered(timely, opened.price, _caps(spec.budget), lambda: book.spent, book.lose)
    return Patient(metered, PAUSES_SECONDS, seconds_left, lambda: book.has_answers)


def _caps(budget: Budget) -> Caps:
    return Caps(tokens=budget.tokens, dollars=budget.dollars)
