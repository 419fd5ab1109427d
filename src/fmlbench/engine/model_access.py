"""Open a run's model: capped by the run's budget, with its calls logged in the run's folder."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.agents.registry import is_program
from fmlbench.core.run import RunSpec
from fmlbench.models.call_log import CallLog, read_calls
from fmlbench.models.chat import ChatModel
from fmlbench.models.client import PAUSES_SECONDS, open_client
from fmlbench.models.connection import Connection, open_model, replay_model
from fmlbench.models.meter import Caps
from fmlbench.models.replay import Replay
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
    caps = Caps(tokens=spec.budget.tokens, dollars=spec.budget.dollars)
    with CallLog(folder.calls) as log:
        if spec.agent.replay:
            yield open_client(_replayed(spec), log, caps)
        else:
            yield open_client(open_model(spec.agent.model, models), log, caps, seconds_left, PAUSES_SECONDS)


def _replayed(spec: RunSpec) -> Connection:
    return replay_model(spec.agent.model, Replay(read_calls(RunFolder(Path(spec.agent.replay)).calls)))
