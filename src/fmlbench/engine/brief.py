"""Write the brief: all information about the task that an agent gets."""

from fmlbench.core.agents import Brief, StageBrief
from fmlbench.core.task import Rule, track_text
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.environments import packages_of
from fmlbench.workspace.editing_rules import WHAT_COUNTS
from fmlbench.workspace.trees import editable_files, repository_files

STANDING_RULES = (
    "A submission consists of the editable files. New files that match the editable patterns are accepted.",
    "Files are text. All changes together may add {information_bytes:,} bytes of information to the baseline.",
    "{what_counts} Data in code (long strings, tables of numbers) is rejected.",
    "Training and exams run in separate sandboxes without network. Only the carry folder ({carry_mb:g} MB) is kept.",
    "Exam inputs have no labels. A separate process computes the score from your answers.",
)

_BY_KIND = {
    "independent": "Each exam item must be answered independently. A random subset is asked again in a different "
    "batch, and the answers must match.",
    "per-episode": "Each episode must be answered independently. A random subset is asked again in a different "
    "order, and the answers must match.",
    "joint": "An answer may depend on all items of the exam.",
}


def write_brief(prepared: PreparedTask, baseline_score: float | None = None) -> Brief:
    """The brief of a prepared task; without a baseline score of this run, the one on record is used."""
    task, track = prepared.task, prepared.track
    calibration = track.calibration
    if baseline_score is None and calibration is not None:
        baseline_score = calibration.baseline.validation.mean
    stages = [(training.name, training.limits) for training in track.training] + [("exam", track.exam.limits)]
    return Brief(
        task=task.name,
        title=task.title,
        question=task.question,
        instructions=prepared.folder.instructions,
        codebase=f"{task.codebase.name} {task.codebase.version} ({task.codebase.licence})",
        repository=tuple(repository_files(prepared.codebase)),
        editable=tuple(sorted(editable_files(prepared.codebase, task.editable))),
        patterns=task.editable.globs,
        suggested=task.editable.suggested,
        information_bytes=task.editable.information_bytes,
        protected=task.protected,
        commands=tuple(
            StageBrief(name=name, command=f"python driver.py  # {name}", limits=limits) for name, limits in stages
        ),
        packages=packages_of(task.environment, prepared.folder.path),
        metric=task.metric,
        baseline_score=baseline_score,
        sigma=calibration.baseline.validation.sd if calibration else None,
        rules=(*_standing_rules(prepared), *(_rule(rule) for rule in task.rules)),
        track=track_text(prepared.track_name, smoke=prepared.smoke),
        sealed=prepared.sandbox.isolation.is_sealed,
    )


def _standing_rules(prepared: PreparedTask) -> tuple[str, ...]:
    track = prepared.track
    facts = {
        "information_bytes": prepared.task.editable.information_bytes,
        "what_counts": WHAT_COUNTS,
        "carry_mb": track.carry_mb,
    }
    return (*(rule.format(**facts) for rule in STANDING_RULES), _BY_KIND[track.exam.answers.kind])


def _rule(rule: Rule) -> str:
    return rule.text
