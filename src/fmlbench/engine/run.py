"""Execute one run from its specification to its retests."""

from collections.abc import Callable

from fmlbench.agents.registry import build_agent, is_program
from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest, RunCancelled, RunExists, TaskInvalid
from fmlbench.core.progress import Progress
from fmlbench.core.run import Isolation, RunSpec
from fmlbench.engine.agent_context import agent_context_of
from fmlbench.engine.brief import write_brief
from fmlbench.engine.countdown import Countdown
from fmlbench.engine.journal import Journal, Watch
from fmlbench.engine.model_access import open_run_model
from fmlbench.engine.preparation import prepare
from fmlbench.engine.retest import Retest
from fmlbench.engine.session import RunSession
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.records.events import RunFinished, RunStarted
from fmlbench.records.folder import RunFolder, open_run
from fmlbench.records.lease import locked
from fmlbench.records.provenance import Provenance, describe_machine
from fmlbench.records.replay import RunState, read_state
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.files import remove_folder
from fmlbench.workspace.information import shared_share
from fmlbench.workspace.snapshots import Snapshots
from fmlbench.workspace.trees import editable_files


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


def execute_run(
    folder: RunFolder,
    *,
    dirs: Dirs,
    progress: Progress,
    watch: Watch,
    open_isolation: Callable[[Isolation], Sandbox] = open_sandbox,
) -> None:
    """Execute a run from the end of its log to completion; call it again to resume."""
    spec = folder.read_spec()
    if folder.cancelled.exists():
        raise RunCancelled(
            "This run was cancelled.",
            hint="Undo this with 'fmlbench sweep retry STUDY', or remove the run's file 'cancelled'.",
        )
    with locked(folder.lock):
        prepared = _prepare(spec, dirs, progress, open_isolation(spec.isolation))
        with Journal(folder, watch) as journal:
            _require_same_secret(journal.state, prepared)
            if journal.state.spec is None:
                journal.append(RunStarted(spec=spec, task=prepared.task, provenance=provenance_of(prepared)))
            snapshots = Snapshots(folder.code)
            session = RunSession(
                spec=spec,
                prepared=prepared,
                folder=folder,
                journal=journal,
                snapshots=snapshots,
                write_brief=lambda baseline: write_brief(prepared, baseline),
                # For a finished run the agent is not looked up: retests do not need it.
                tests_later=not journal.state.finished and is_program(spec.agent),
            )
            session.run_missing_tests()
            if not journal.state.finished:
                session.run_baseline()
                reason = _run_agent(spec, prepared, session, dirs)
                session.run_missing_tests()
                journal.append(RunFinished(reason=reason, reference_similarity=_similarity(prepared, session)))
            Retest(spec.run_id, spec.seed, prepared, folder, journal, snapshots, dirs).run(spec.retest_seeds)
        remove_folder(folder.experiments)


def _require_same_secret(state: RunState, prepared: PreparedTask) -> None:
    """Refuse to resume a run of another machine: its samples cannot be rebuilt here, and its agent is foreign code."""
    if state.provenance and state.provenance.secret != prepared.secret.fingerprint:
        raise BadRequest(
            "This run was started with the secret of another machine.",
            hint="Resume it there. Samples built with the secret of this machine would differ.",
        )


def _prepare(spec: RunSpec, dirs: Dirs, progress: Progress, sandbox: Sandbox) -> PreparedTask:
    task = find_task(spec.task).on(spec.track)
    if task.digest != spec.task_digest:
        raise TaskInvalid(
            f"Task '{spec.task}' has changed since this run was started.",
            hint="Restore the original task, or start a new run.",
        )
    return prepare(task, spec.track, dirs=dirs, sandbox=sandbox, progress=progress)


def _run_agent(spec: RunSpec, prepared: PreparedTask, session: RunSession, dirs: Dirs) -> str:
    """Run the agent until it stops; return the reason."""
    countdown = Countdown(spec.budget.hours, lambda: session.journal.state.steps)
    with open_run_model(spec, session.folder, dirs.models, countdown.seconds_left) as model:
        try:
            build_agent(spec.agent, agent_context_of(spec, prepared, session, dirs), model).run(session)
        except NoMoreCalls as end:
            return str(end)
    return "the agent is done" if session.is_open else "the budget is spent"


def _similarity(prepared: PreparedTask, session: RunSession) -> float | None:
    """The share of the best step's added code that the public expert reference adds too."""
    best = session.history.best
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
