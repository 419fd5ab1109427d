"""Execute one run from its specification to its retests."""

from collections.abc import Callable
from dataclasses import dataclass

from fmlbench.agents.entry import AgentEntry
from fmlbench.agents.registry import build_agent, find_agent
from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest, RunCancelled, RunExists, TaskInvalid
from fmlbench.core.progress import Progress
from fmlbench.core.run import Isolation, RunSpec
from fmlbench.engine.agent_context import agent_context_of
from fmlbench.engine.budget import Countdown
from fmlbench.engine.journal import Journal, Watch
from fmlbench.engine.model_access import open_run_model
from fmlbench.engine.preparation import prepare
from fmlbench.engine.retest import Retest
from fmlbench.engine.session import RunSession
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.secret import machine_secret
from fmlbench.records.events import RunFinished, RunStarted
from fmlbench.records.folder import RunFolder, open_run
from fmlbench.records.lease import locked
from fmlbench.records.provenance import Provenance, describe_machine
from fmlbench.records.replay import RunState, read_state
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.files import remove_folder
from fmlbench.workspace.information import shared_share
from fmlbench.workspace.snapshots import Snapshots
from fmlbench.workspace.trees import editable_files


@dataclass(frozen=True)
class Run:
    """A run on this machine with everything that its specification names, looked up once."""

    folder: RunFolder
    spec: RunSpec
    task: TaskFolder
    """The task on the run's track."""
    agent: AgentEntry | None
    """None after the search: retests do not need the agent."""
    sandbox: Sandbox
    state: RunState
    """The state when the run was loaded."""
    dirs: Dirs


def execute_run(run: Run, *, progress: Progress, watch: Watch) -> RunState:
    """Execute a run from the end of its log to completion, and return its state; call it again to resume."""
    with locked(run.folder.lock):
        prepared = prepare(
            run.task, run.spec.track, smoke=run.spec.smoke, dirs=run.dirs, sandbox=run.sandbox, progress=progress
        )
        with Journal(run.folder, watch) as journal:
            if journal.state.spec is None:
                journal.append(RunStarted(spec=run.spec, task=prepared.task, provenance=provenance_of(prepared)))
            session = RunSession(
                spec=run.spec,
                prepared=prepared,
                folder=run.folder,
                journal=journal,
                snapshots=Snapshots(run.folder.code),
                tests_later=run.agent is not None and run.agent.is_program,
            )
            session.run_missing_tests()
            if not journal.state.finished:
                session.run_baseline()
                reason = _run_agent(run, session)
                session.run_missing_tests()
                journal.append(RunFinished(reason=reason, reference_similarity=_similarity(session)))
            Retest(session, run.dirs).run(run.spec.retest_seeds)
        remove_folder(run.folder.experiments)
    return journal.state


def _run_agent(run: Run, session: RunSession) -> str:
    """Run the agent until it stops; return the reason."""
    assert run.agent is not None  # noqa: S101 - missing only after the search
    countdown = Countdown(run.spec.budget.hours, lambda: session.journal.state.steps)
    with open_run_model(run.spec, run.folder, run.dirs.models, countdown.seconds_left) as model:
        context = agent_context_of(session, run.dirs, model, is_program=run.agent.is_program)
        try:
            build_agent(run.spec.agent, context, run.agent).run(session)
        except NoMoreCalls as end:
            return str(end)
    return "the agent is done" if session.is_open else "the budget is spent"


def load_run(folder: RunFolder, dirs: Dirs, open_isolation: Callable[[Isolation], Sandbox] = open_sandbox) -> Run:
    """Look up everything that an existing run names."""
    spec, state = folder.read_spec(), read_state(folder)
    if folder.cancelled.exists():
        raise RunCancelled(
            "This run was cancelled.",
            hint="Undo this with 'fmlbench sweep retry STUDY', or remove the run's file 'cancelled'.",
        )
    _require_same_secret(state, dirs)
    return Run(
        folder=folder,
        spec=spec,
        task=_find_task(spec),
        agent=None if state.finished else find_agent(spec.agent.name, spec.agent.file),
        sandbox=open_isolation(spec.isolation),
        state=state,
        dirs=dirs,
    )


def _require_same_secret(state: RunState, dirs: Dirs) -> None:
    """Refuse to resume a run of another machine: its samples cannot be rebuilt here, and its agent is foreign code."""
    if state.provenance and state.provenance.secret != machine_secret(dirs.cache).fingerprint:
        raise BadRequest(
            "This run was started with the secret of another machine.",
            hint="Resume it there. Samples built with the secret of this machine would differ.",
        )


def _find_task(spec: RunSpec) -> TaskFolder:
    task = find_task(spec.task).on(spec.track, smoke=spec.smoke)
    if task.digest != spec.task_digest:
        raise TaskInvalid(
            f"Task '{spec.task}' has changed since this run was started.",
            hint="Restore the original task, or start a new run.",
        )
    return task


def create_run(spec: RunSpec, *, task: TaskFolder, agent: AgentEntry, sandbox: Sandbox, dirs: Dirs) -> Run:
    """Create a new run's folder; everything that the specification names has been looked up before."""
    return Run(create(spec, dirs), spec, task.on(spec.track, smoke=spec.smoke), agent, sandbox, RunState(), dirs)


def create(spec: RunSpec, dirs: Dirs) -> RunFolder:
    """Create a new run's folder."""
    existing = RunFolder(dirs.runs / spec.run_id)
    if existing.spec_file.exists():
        raise RunExists(f"This run exists: {spec.run_id}.", hint=_hint_for(existing))
    return open_run(spec, dirs.runs)


def _hint_for(existing: RunFolder) -> str:
    """A complete run can only be shown; an incomplete one can be resumed."""
    spec, state = existing.read_spec(), read_state(existing)
    if state.task is not None and state.is_complete(spec, state.task.metric):
        return f"Show it with 'fmlbench show {spec.run_id}', or start another one with --seed N or --label NAME."
    return f"Continue it with 'fmlbench resume {spec.run_id}', or start another one with --label NAME."


def _similarity(session: RunSession) -> float | None:
    """The share of the best step's added code that the public expert reference adds too."""
    prepared, best = session.prepared, session.history.best
    if best is None or best.index == 0:
        return None
    baseline = editable_files(prepared.codebase, prepared.task.editable)
    reference = {**baseline, **prepared.folder.files_of(prepared.task.reference, baseline)}
    return round(shared_share(session.code_of(best.index), reference, baseline), 3)


def provenance_of(prepared: PreparedTask) -> Provenance:
    """The provenance of measurements on this machine."""
    return describe_machine(
        environment=prepared.python.executable.parent.parent.name,
        sandbox=str(prepared.sandbox.isolation),
        secret=prepared.secret.fingerprint,
    )
