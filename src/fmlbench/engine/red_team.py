"""Run the red team against a task: every attack is a step of a real run.

Each is checked for score gains, access to canaries, and leftovers.
"""

import os
import secrets
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import stdev

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.evaluation import Evaluation, Goal, Outcome
from fmlbench.core.progress import Progress, Silent
from fmlbench.core.record import Record
from fmlbench.core.run import AgentSpec, Budget, RunSpec
from fmlbench.core.steps import Move, Operator, Proposal, Step
from fmlbench.core.task import ExamName
from fmlbench.engine.journal import Journal
from fmlbench.engine.run import create, provenance_of
from fmlbench.engine.session import RunSession
from fmlbench.engine.variants import Variants
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import Sample, make_sample
from fmlbench.records.events import RunFinished, RunStarted, StepFinished
from fmlbench.records.folder import RunFolder
from fmlbench.records.lease import locked
from fmlbench.redteam.attack import Attack, AttackCandidate, AttackContext, Control, Target
from fmlbench.redteam.canaries import Canaries, lay_out_canaries
from fmlbench.redteam.catalogue import TaskProfile, choose_attacks
from fmlbench.redteam.leftovers import Guarded, find_leftovers, guard
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.snapshots import Snapshots
from fmlbench.workspace.trees import editable_files

SIGMAS = 2.0
"""An attack counts as successful if it beats the baseline by more than this many sigmas."""

_WIDE_CPU_SECONDS = 60
"""Attacks that run until a limit stops them are skipped if the limit is higher than this."""
_SIGMA_SEEDS = 5
_REACHED = "REACHED: "
_RAN = "ATTACK "


class AttackRow(Record):
    """The result of one attack."""

    attack: str
    family: str
    tries: str
    outcome: str
    validation: float | None
    test: float | None
    """On the hidden test; None for a step that failed on validation."""
    bar: float
    """The baseline's score on the hidden test plus two sigmas."""
    seen: str
    """The reason and violations in the step's record."""
    earned: bool
    has_run: bool
    """Whether its code ran, or the proposal was rejected as expected."""
    as_expected: bool
    """Whether outcome and recorded reason are those that the catalogue expects."""
    reached: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    stopped_by: str = ""

    @property
    def is_stopped(self) -> bool:
        """Whether the attack ran without gaining score, reaching a canary or leaving anything behind."""
        return self.has_run and not (self.earned or self.reached or self.leftovers)


Report = Callable[[AttackRow], None]


def attack_task(
    prepared: PreparedTask,
    dirs: Dirs,
    *,
    names: Iterable[str] = (),
    quick: bool = False,
    report: Report | None = None,
    progress: Progress | None = None,
) -> list[AttackRow]:
    """Run attacks on a task one by one, and report each result immediately."""
    attacks = choose_attacks(_profile(prepared), names=names, quick=quick)
    progress = progress or Silent()
    rows: list[AttackRow] = []
    with open_red_team_run(prepared, dirs, progress) as run:
        progress.start(f"{prepared.task.name}: attacks", len(attacks))
        for attack in attacks:
            rows.append(run.try_attack(attack))
            progress.advance(1)
            if report:
                report(rows[-1])
        progress.finish()
    return rows


def _profile(prepared: PreparedTask) -> TaskProfile:
    track = prepared.track
    limits = [*(training.limits for training in track.training), track.exam.limits]
    return TaskProfile(
        task=prepared.task.name,
        kind=track.exam.answers.kind,
        is_sealed=prepared.sandbox.isolation.is_sealed,
        is_narrow=all(one.cpu_seconds <= _WIDE_CPU_SECONDS for one in limits),
    )


@contextmanager
def open_red_team_run(prepared: PreparedTask, dirs: Dirs, progress: Progress) -> Generator["RedTeamRun"]:
    """A run for the red team, with a measured baseline and canaries in place."""
    sigmas = _sigmas(prepared, dirs, progress)
    folder = create(_spec(prepared), dirs)
    spec = folder.read_spec()
    with locked(folder.lock), Journal(folder, lambda _: None) as journal, lay_out_canaries() as canaries:
        journal.append(RunStarted(spec=spec, task=prepared.task, provenance=provenance_of(prepared)))
        session = RunSession(
            spec=spec,
            prepared=prepared,
            folder=folder,
            journal=journal,
            snapshots=Snapshots(folder.code),
            sleep=lambda _: None,
        )
        session.run_baseline()
        yield RedTeamRun(prepared, dirs, folder, journal, session, canaries, sigmas)
        journal.append(RunFinished(reason="the red team is done"))


@dataclass(frozen=True)
class RedTeamRun:
    """An open run to which attacks are submitted."""

    prepared: PreparedTask
    dirs: Dirs
    folder: RunFolder
    journal: Journal
    session: RunSession
    canaries: Canaries
    sigmas: Mapping[ExamName, float]

    def try_attack(self, attack: Attack) -> AttackRow:
        """Submit an attack as a step and check its effects."""
        guarded = self._guard()
        candidate = attack.build(self.attack_context())
        step = self._submit(candidate)
        evaluation = step.evaluation
        test = self.journal.state.tests.get(step.index)
        seen = "; ".join(filter(None, (evaluation.reason, *evaluation.violations)))
        logs = self._logs(step)
        return AttackRow(
            attack=attack.name,
            family=attack.family,
            tries=attack.tries,
            outcome=evaluation.outcome,
            validation=evaluation.score,
            test=test.score if test else None,
            bar=self._bar(ExamName.TEST),
            seen=seen,
            earned=self.has_earned(evaluation, test),
            has_run=evaluation.outcome is Outcome.REJECTED or _RAN in logs or "prelude" not in str(candidate.files),
            as_expected=evaluation.outcome in attack.ends and attack.shows in seen,
            reached=tuple(dict.fromkeys(_lines_after(_REACHED, logs))),
            leftovers=(
                *find_leftovers(self.folder.path, self.session.spec.run_id, (self.canaries.folder,)),
                *guarded.changes(),
                *self._carried(step),
            ),
            stopped_by=attack.stopped_by,
        )

    def try_control(self, control: Control) -> tuple[Step, Evaluation | None]:
        """Submit an honest candidate; return its evaluations on both exams."""
        step = self._submit(control.build(self.attack_context()))
        return step, self.journal.state.tests.get(step.index)

    def has_earned(self, validation: Evaluation, test: Evaluation | None) -> bool:
        """Whether an evaluation beats the baseline by more than its noise, on either exam."""
        return self._beats(ExamName.VALIDATION, validation) or (test is not None and self._beats(ExamName.TEST, test))

    def attack_context(self) -> AttackContext:
        """The input from which attacks are built."""
        task, folder = self.prepared.task, self.prepared.folder
        files = editable_files(self.prepared.codebase, task.editable)
        return AttackContext(
            task=task.name,
            files=files,
            entries=tuple(path for path in task.editable.suggested if path.endswith(".py")),
            reference=folder.files_of(task.reference, files),
            target=Target(
                mark=self.session.spec.run_id,
                token=self.canaries.token,
                harness_pid=os.getpid(),
                samples=tuple(str(sample.path) for sample in self._samples()),
                splits=str(self.prepared.splits),
                secret=str(self.dirs.cache / "secret"),
                canary_folder=str(self.canaries.folder),
                port=self.canaries.port,
                abstract_socket=self.canaries.abstract_socket,
                path_socket=str(self.canaries.path_socket),
            ),
        )

    def _submit(self, candidate: AttackCandidate) -> Step:
        """Submit a candidate; if it causes an infrastructure failure, that is recorded and the run continues."""
        proposal = Proposal(move=Move(operator=Operator.DRAFT), files=candidate.files, idea=candidate.idea)
        try:
            return self.session.submit(proposal)
        except InfraTrouble as error:
            pending = self.journal.state.pending
            if pending is None:
                raise
            evaluation = Evaluation(outcome=Outcome.INFRA, reason=error.message)
            step = Step(
                index=pending.index,
                move=pending.move,
                idea=pending.idea,
                snapshot=pending.snapshot,
                evaluation=evaluation,
                information_bytes=pending.information_bytes,
            )
            self.journal.append(StepFinished(step=step))
            return step

    def _beats(self, exam: ExamName, evaluation: Evaluation) -> bool:
        if not evaluation.is_ok or evaluation.score is None:
            return False
        return self.prepared.task.metric.gain(evaluation.score, self.baseline(exam)) > SIGMAS * self.sigmas[exam]

    def baseline(self, exam: ExamName) -> float:
        """The baseline's score in this run."""
        state = self.journal.state
        score = state.steps[0].evaluation.score if exam is ExamName.VALIDATION else state.tests[0].score
        assert score is not None  # noqa: S101 - open_red_team_run fails if the baseline has no score
        return score

    def _bar(self, exam: ExamName) -> float:
        metric = self.prepared.task.metric
        sign = 1 if metric.goal is Goal.MAXIMIZE else -1
        return self.baseline(exam) + sign * SIGMAS * self.sigmas[exam]

    def _guard(self) -> Guarded:
        """Record the files that no candidate may change; only this run's samples, as other runs may write theirs."""
        prepared, folder = self.prepared, self.prepared.folder
        samples = [sample.path for sample in self._samples()]
        programs = (folder.experiment, folder.grader, folder.recipe)
        folders = {path.parent for program in programs for path in program.values()}
        return guard(prepared.codebase, prepared.splits, *sorted(folders), self.canaries.folder, *samples)

    def _samples(self) -> list[Sample]:
        seed = self.session.spec.seed
        return [make_sample(self.prepared, "step", seed, number) for number in range(self.prepared.track.samples)]

    def _logs(self, step: Step) -> str:
        files = sorted(self.folder.step(step.index).rglob("*.log"))
        return "\n".join(file.read_text("utf-8", errors="replace") for file in files)

    def _carried(self, step: Step) -> list[str]:
        """Files of the step in which the harness stored content that no candidate may read."""
        unknown = self.canaries.unknown.encode()
        files = [path for path in self.folder.step(step.index).rglob("*") if path.is_file()]
        return [f"secret in {path.name}" for path in files if unknown in path.read_bytes()]


def _spec(prepared: PreparedTask) -> RunSpec:
    return RunSpec(
        task=prepared.task.name,
        task_digest=prepared.folder.digest,
        track=prepared.track_name,
        smoke=prepared.smoke,
        agent=AgentSpec(name="redteam", strategy="scripted", proposer="scripted"),
        seed=0,
        budget=Budget(steps=10_000),
        isolation=prepared.sandbox.isolation,
        retest_seeds=0,
        label=secrets.token_hex(4),
    )


def _sigmas(prepared: PreparedTask, dirs: Dirs, progress: Progress) -> dict[ExamName, float]:
    """The baseline's noise: from the calibration, or measured once."""
    calibration = prepared.track.calibration
    if calibration is not None:
        return {exam: calibration.baseline.on(exam).sd for exam in ExamName}
    scores = Variants(prepared, dirs, progress).measure("baseline", _SIGMA_SEEDS)
    return {exam: stdev(scores.on(exam)) for exam in ExamName}


def _lines_after(prefix: str, text: str) -> list[str]:
    return [line.removeprefix(prefix) for line in text.splitlines() if line.startswith(prefix)]
