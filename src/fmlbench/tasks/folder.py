"""A task's folder and the record read from it.

NAME/
  task.toml         the manifest
  instructions.md   the problem description for agents
  experiment/       driver.py: calls the candidate's code in each stage; mounted read-only
  grader/           grade.py: reads labels and answers, imports no candidate code
  data/             recipe.py: builds splits from the raw data, and samples from the splits by seed
  overlay/          files that are copied over the codebase
  reference/        the expert reference: files that replace those of the codebase
  method_off/       the ablation: the baseline with its method switched off, likewise
  exploits/         known tricks that must not improve the score, one folder each, likewise
  attacks/          build.py of each attack by an adversary who knows all public data
  README.md         provenance, licences, and design reasons

Variants that change a few lines are edits in the manifest and need no folder. A task that `extends` another one takes
over its manifest, programs and instructions, as far as it does not have its own.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from fmlbench.core.errors import BadRequest, TaskInvalid
from fmlbench.core.record import first_problem
from fmlbench.core.sources import PathSource
from fmlbench.core.task import Task, Track, Variant

REQUIRED_FILES = ("instructions.md", "experiment/driver.py", "grader/grade.py", "data/recipe.py")
LEFT_OUT = frozenset({".git", "__pycache__"})
"""Folders that tools create in a working copy; always ignored."""
_KITS = resources.files("fmlbench.experiment") / "kit"
_OF_THE_CODEBASE = ("overlay", "editable", "reference", "method_off", "exploits", "attacks")
"""Fields that do not make sense with another codebase."""

ProgramFiles = Mapping[str, Path]
"""The files of a program (driver, grader or dataset builder), by their paths within it."""
_Table = dict[str, Any]


@dataclass(frozen=True)
class TaskFolder:
    """A task and its folder."""

    path: Path
    task: Task
    bases: tuple[Path, ...] = ()
    """The folders of the tasks that it extends, nearest first; files of nearer ones override those of others."""

    @property
    def experiment(self) -> ProgramFiles:
        """The driver; mounted for stages that run candidate code."""
        return self._program("experiment")

    @property
    def grader(self) -> ProgramFiles:
        """The grader, with its library; mounted together with the labels."""
        return {"gradekit.py": Path(str(_KITS / "gradekit.py")), **self._program("grader")}

    @property
    def recipe(self) -> ProgramFiles:
        """The dataset builder: makes splits from raw data, and samples from splits; with its libraries."""
        shared = {name: shared_module(name) for name in self.task.shared}
        return {"datasetkit.py": Path(str(_KITS / "datasetkit.py")), **shared, **self._program("data")}

    @property
    def instructions(self) -> str:
        """The problem description for agents."""
        return self._nearest("instructions.md").read_text("utf-8")

    def _program(self, name: str) -> ProgramFiles:
        folders = [folder / name for folder in (self.path, *self.bases)]
        return {path: file for folder in reversed(folders) for path, file in program_files(folder).items()}

    def _nearest(self, name: str) -> Path:
        return next(path for folder in (self.path, *self.bases) if (path := folder / name).exists())

    def on(self, track_name: str, *, smoke: bool = False) -> "TaskFolder":
        """The task on one of its tracks, or on its smoke test; runs and caches use this."""
        track = self.track(track_name, smoke=smoke)
        if self.task.tracks == {track_name: track}:
            return self
        return TaskFolder(path=self.path, task=self.task.on(track_name, smoke=smoke), bases=self.bases)

    def track(self, name: str, *, smoke: bool = False) -> Track:
        """Return the track with that name, or its smoke test."""
        track = self.task.track(name, smoke=smoke)
        if track is None and name in self.task.tracks:
            raise BadRequest(
                f"Track '{name}' of task '{self.task.name}' has no smoke test.",
                hint=f"Leave out --smoke, or add 'smoke' to [tracks.{name}] in its manifest.",
            )
        if track is None:
            known = ", ".join(sorted(self.task.tracks))
            raise BadRequest(f"Task '{self.task.name}' has no track named '{name}'.", hint=f"Its tracks: {known}.")
        return track

    def files_of(self, variant: Variant, baseline: Mapping[str, str]) -> dict[str, str]:
        """The files that a variant changes or adds, by path within the repository."""
        whole = program_files(self.path / variant.folder) if variant.folder else {}
        files = {name: path.read_text("utf-8") for name, path in sorted(whole.items())}
        for edit in variant.edits:
            try:
                files[edit.file] = edit.apply({**baseline, **files}.get(edit.file, ""))
            except ValueError as error:
                raise TaskInvalid(
                    f"An edit of '{variant.idea}' in task '{self.task.name}' does not apply: {error}.",
                    hint="Edits change the editable files of the baseline.",
                ) from error
        return files

    @cached_property
    def digest(self) -> str:
        """A hash of everything that can change a score; calibration, exploits, attacks and the README are excluded."""
        no_smoke = Track.model_fields["smoke"].default
        tracks = {
            name: track.model_copy(update={"calibration": None, "smoke": no_smoke})
            for name, track in self.task.tracks.items()
        }
        facts = self.task.model_copy(update={"tracks": tracks, "suites": (), "exploits": (), "attacks": ()})
        digest = hashlib.sha256(facts.model_dump_json().encode())
        programs = {"experiment": self.experiment, "grader": self.grader, "data": self.recipe}
        if self.task.overlay:
            programs["overlay"] = program_files(self.path / self.task.overlay)
        for program, files in programs.items():
            for name, path in sorted(files.items()):
                digest.update(f"{program}/{name}".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        digest.update(self.instructions.encode())
        for name, path in self._unpinned_files():
            digest.update(name.encode("utf-8", "surrogateescape") + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def _unpinned_files(self) -> Iterator[tuple[str, Path]]:
        """Existing files that the manifest refers to by path without a hash; they can change at any time."""
        materials = [material for material in (self.task.codebase, *self.task.data) if material.digest is None]
        sources = [source for material in materials for source in material.sources]
        names = [source.path for source in sources if isinstance(source, PathSource)]
        if self.task.environment.requirements:
            names.append(self.task.environment.requirements)
        for place in (self.path / name for name in names):
            if place.is_file():
                yield place.name, place
            yield from sorted(program_files(place).items())


def program_files(folder: Path) -> dict[str, Path]:
    """All files below a folder, by their paths within it."""
    inside = ((path.relative_to(folder), path) for path in folder.rglob("*") if path.is_file())
    return {name.as_posix(): path for name, path in inside if LEFT_OUT.isdisjoint(name.parts)}


def shared_module(name: str) -> Path:
    """A module that the suite's dataset builders share."""
    return Path(str(resources.files("fmlbench.suite") / "shared" / name))


def read_task(path: Path) -> TaskFolder:
    """Read a task's folder; raises TaskInvalid with the first problem."""
    table, bases = _read_manifest(path, ())
    try:
        task = Task.model_validate(table)
    except ValidationError as error:
        raise TaskInvalid(f"{path / 'task.toml'}: {first_problem(error)}", hint=_hint_for(error)) from error
    folder = TaskFolder(path=path, task=task, bases=bases)
    _check_files(folder)
    return folder


def _read_manifest(path: Path, extending: tuple[Path, ...]) -> tuple[_Table, tuple[Path, ...]]:
    """A task's manifest, completed by those of the tasks that it extends, and their folders."""
    manifest = path / "task.toml"
    try:
        table: _Table = tomllib.loads(manifest.read_text("utf-8"))
    except OSError as error:
        raise TaskInvalid(
            f"'{path}' is not a task folder: {error.strerror}.", hint="A task folder contains a task.toml."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise TaskInvalid(f"{manifest} is not valid TOML: {error}.", hint="Fix that line.") from error
    extends = table.get("extends")
    if not isinstance(extends, str) or not extends:
        return table, ()
    base = (path / extends).resolve()
    if base in (*extending, path.resolve()):
        raise TaskInvalid(f"{manifest} extends itself through {base.name}.", hint="Remove one of the 'extends'.")
    inherited, bases = _read_manifest(base, (*extending, path.resolve()))
    return {**_inherit(inherited, extends, table), **table}, (base, *bases)


def _inherit(base: _Table, extends: str, table: _Table) -> _Table:
    """The fields that a task takes over: no suites and calibrations, and no paths that miss its folder."""
    left_out = {"suites", *(_OF_THE_CODEBASE if "codebase" in table else ())}
    kept = {name: value for name, value in base.items() if name not in left_out}
    tracks: _Table = kept.get("tracks", {})
    kept["tracks"] = {
        name: {field: value for field, value in track.items() if field != "calibration"}
        for name, track in tracks.items()
    }
    return _with_prefix(kept, extends)


def _with_prefix(value: Any, extends: str) -> Any:
    """The same table, with all relative paths of the other task's folder relative to this one's."""
    if isinstance(value, list):
        return [_with_prefix(item, extends) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    table = cast("_Table", value)
    return {
        name: f"{extends}/{inner}" if _is_path(name, inner, table) else _with_prefix(inner, extends)
        for name, inner in table.items()
    }


def _is_path(name: str, value: Any, table: _Table) -> bool:
    """Whether a field of a manifest is a path in the task's folder."""
    if not isinstance(value, str) or not value or value.startswith("/"):
        return False
    return name in ("overlay", "folder", "requirements") or (name == "path" and table.get("kind") == "path")


def _check_files(folder: TaskFolder) -> None:
    task, path = folder.task, folder.path
    variants = (task.reference, task.method_off, *task.exploits, *task.attacks)
    names = [
        "README.md",
        *(variant.folder for variant in variants),
        *(f"{attack.folder}/build.py" for attack in task.attacks),
        task.overlay,
    ]
    absent = [name for name in names if not (path / name).exists()]
    absent += [name for name in REQUIRED_FILES if not any((one / name).exists() for one in (path, *folder.bases))]
    if absent:
        raise TaskInvalid(
            f"Task '{task.name}' lacks {absent[0]}.", hint="docs/writing-tasks.md lists the files of a task."
        )
    for name in task.shared:
        if not shared_module(name).is_file():
            raise TaskInvalid(
                f"Task '{task.name}' names the shared module '{name}', which does not exist.",
                hint=f"Shared modules are in {shared_module('').as_posix()}.",
            )


def _hint_for(error: ValidationError) -> str:
    if error.errors()[0]["type"] == "extra_forbidden":
        return "There is no such field; check its spelling."
    return "docs/manifest.md lists every field."
