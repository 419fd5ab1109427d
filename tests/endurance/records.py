"""Compare runs by everything that must not depend on interruptions."""

from collections import Counter
from typing import Any

from fmlbench.core.evaluation import Evaluation
from fmlbench.records.events import ProposalMade, Retested, StepFinished, StepStarted, TestScored
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import read_events
from fmlbench.records.replay import read_state

_MEASURED = {"seconds", "cpu_seconds", "peak_memory_mb"}


def essence(folder: RunFolder) -> dict[str, Any]:
    """A run's record without times and sizes, which differ between executions."""
    state = read_state(folder)
    return {
        "steps": [
            {
                **step.model_dump(exclude={"evaluation", "usage"}),
                "evaluation": _essence_of(step.evaluation),
            }
            for step in state.steps
        ],
        "notes": state.notes,
        "finished": state.finished,
        "tests": {index: _essence_of(evaluation) for index, evaluation in state.tests.items()},
        "retests": {key: _essence_of(evaluation) for key, evaluation in state.retests.items()},
    }


def _essence_of(evaluation: Evaluation) -> dict[str, Any]:
    return evaluation.model_dump(exclude=_MEASURED)


def times_logged(folder: RunFolder) -> Counter[tuple[str, Any]]:
    """How often each event that must occur once was logged."""
    counted: Counter[tuple[str, Any]] = Counter()
    for event in (*read_events(folder.events), *read_events(folder.sealed)):
        match event:
            case ProposalMade():
                counted["proposal", event.index] += 1
            case StepFinished():
                counted["step", event.step.index] += 1
            case TestScored():
                counted["test", event.index] += 1
            case Retested():
                counted["retest", event.key] += 1
            case _:
                pass
    return counted


def experiments_begun(folder: RunFolder) -> Counter[int]:
    """How often each step's experiment was started."""
    return Counter(event.index for event in read_events(folder.events) if isinstance(event, StepStarted))
