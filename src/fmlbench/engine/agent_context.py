"""What a run provides to its agent: the task's reference for the oracle, a workspace for programs."""

from collections.abc import Mapping
from functools import cached_property

from fmlbench.agents.entry import AgentContext, AgentWorkspace
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.engine.budget import hours_spent
from fmlbench.engine.session import RunSession
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.models.chat import ChatModel
from fmlbench.sandbox.protocol import Mount, mounts_of
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.trees import editable_files

DEFAULT_HOURS = 24.0
"""Time limit of a program if the run's budget has no hours."""


def agent_context_of(
    session: RunSession, dirs: Dirs, model: ChatModel | None = None, *, is_program: bool = False
) -> AgentContext:
    """The context of one run's agent; only programs get a workspace."""
    prepared = session.prepared
    reference = prepared.task.reference
    return AgentContext(
        reference=prepared.folder.files_of(reference, editable_files(prepared.codebase, prepared.task.editable)),
        reference_idea=reference.idea,
        budget=session.spec.budget,
        model=model,
        workspace=_workspace(session, dirs) if is_program else None,
    )


def _workspace(session: RunSession, dirs: Dirs) -> AgentWorkspace:
    spec, prepared = session.spec, session.prepared
    folder = session.folder.agent
    folder.mkdir(exist_ok=True)
    # Private, because a program may write anything there, for example setuid files owned by this user.
    folder.chmod(0o700)
    lab = prepared.in_lab()
    sample = make_sample(lab, "public", 0)
    parts = sorted({part for training in prepared.track.training for part in training.data})
    return AgentWorkspace(
        run_id=spec.run_id,
        folder=folder,
        codebase=prepared.codebase,
        editable=prepared.task.editable,
        python=prepared.python,
        sandbox=prepared.sandbox,
        visible=(
            *(Mount(sample.visible(part), f"data/{part}") for part in parts),
            *mounts_of(prepared.folder.experiment, "task"),
        ),
        programs=dirs.programs,
        hours_left=lambda: (spec.budget.hours or DEFAULT_HOURS) - _hours_spent(session),
        practice=_Practice(spec.run_id, lab, session) if prepared.task.lab else None,
    )


def _hours_spent(session: RunSession) -> float:
    state = session.journal.state
    return hours_spent(state.steps, state.notes)


class _Practice:
    """Runs practice experiments on the lab data; they are logged only as notes of the submission server."""

    def __init__(self, run_id: str, prepared: PreparedTask, session: RunSession) -> None:
        self._run_id = run_id
        self._prepared = prepared
        self._session = session
        self._trials = 0

    def __call__(self, files: Mapping[str, str]) -> Evaluation:
        if rejection := self._session.violation_of(files):
            return Evaluation(outcome=Outcome.REJECTED, reason=rejection)
        return self._try(files, self._baseline)

    @cached_property
    def _baseline(self) -> Mapping[str, float]:
        """The baseline's metrics on the same questions, for rules that are relative to the baseline."""
        task = self._prepared.task
        if not task.has_relative_rules:
            return {}
        return self._try(editable_files(self._prepared.codebase, task.editable), {}).metrics

    def _try(self, files: Mapping[str, str], baseline: Mapping[str, float]) -> Evaluation:
        self._trials += 1
        evaluator = CandidateEvaluator(
            prepared=self._prepared,
            files=files,
            folder=self._session.folder.experiments / f"practice-{self._trials}",
            label=f"{self._run_id}-practice-{self._trials}",
            purpose=("practice", 0),
        )
        try:
            return evaluator.validate(baseline)
        finally:
            evaluator.clear()
