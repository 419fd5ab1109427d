"""A session of a run with a budget of one step."""

from collections.abc import Generator
from contextlib import contextmanager

from fmlbench.agents.registry import agent_spec
from fmlbench.core.run import Budget, Isolation, RunSpec
from fmlbench.engine.journal import Journal
from fmlbench.engine.session import RunSession
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.records.folder import open_run
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.snapshots import Snapshots


@contextmanager
def open_session(prepared: PreparedTask, dirs: Dirs) -> Generator[RunSession]:
    spec = RunSpec(
        task=prepared.task.name,
        task_digest=prepared.folder.digest,
        track=prepared.track_name,
        agent=agent_spec("noop", {}),
        seed=3,
        budget=Budget(steps=1),
        isolation=Isolation.BUBBLEWRAP,
    )
    folder = open_run(spec, dirs.runs)
    with Journal(folder, lambda _: None) as journal:
        yield RunSession(
            spec=spec,
            prepared=prepared,
            folder=folder,
            journal=journal,
            snapshots=Snapshots(folder.code),
        )
