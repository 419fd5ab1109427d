"""What a run gives to its agent: the task's reference for the oracle, quarters for programs."""

from collections.abc import Mapping
from functools import cached_property

from fmlbench.agents.context import AgentContext, AgentWorkspace
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.run import RunSpec
from fmlbench.engine.budget import hours_spent
from fmlbench.engine.session import RunSession
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.sandbox.protocol import Mount, mounts_of
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.trees import editable_files

DEFAULT_HOURS = 24.0
"""A program is ended after so long if the run's budget says nothing about time."""


def agent_context_of(spec: RunSpec, prepared: PreparedTask, session: RunSession, dirs: Dirs) -> AgentContext:
    """The surroundings of one run's agent."""
    reference = prepared.task.reference
    return AgentContext(
        reference=prepared.folder.files_of(reference),
        reference_idea=reference.idea,
        budget=spec.budget,
        workspace=lambda: _quarters(spec, prepared, session, dirs),
    )


def _quarters(spec: RunSpec, prepared: PreparedTask, session: RunSession, dirs: Dirs) -> AgentWorkspace:
    folder = session.folder.agent
    folder.mkdir(exist_ok=True)
    # A program may leave anything there, such as files that would run with this user's rights.
    folder.chmod(0o700)
    lab = prepared.in_lab()
    draw = make_sample(lab, "public", 0)
    parts = sorted({part for training in prepared.track.training for part in training.data})
    return AgentWorkspace(
        run_id=spec.run_id,
        folder=folder,
        codebase=prepared.codebase,
        editable=prepared.task.editable,
        python=prepared.python,
        sandbox=prepared.sandbox,
        visible=(
            *(Mount(draw.visible(part), f"data/{part}") for part in parts),
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
    """Experiments in the lab; they leave nothing but what the desk notes."""

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
        """What rules that are relative to the baseline start from: the untouched code on the same questions."""
        task = self._prepared.task
        if not task.has_relative_rules:
            return {}
        return self._try(editable_files(self._prepared.codebase, task.editable), {}).metrics

    def _try(self, files: Mapping[str, str], baseline: Mapping[str, float]) -> Evaluation:
        self._trials += 1
        evaluator = CandidateEvaluator(
            prepared=self._prepared,
            files=files,
            folder=self._session.folder.bench / f"practice-{self._trials}",
            label=f"{self._run_id}-practice-{self._trials}",
            purpose=("practice", 0),
        )
        try:
            return evaluator.validate(baseline)
        finally:
            evaluator.clear()
