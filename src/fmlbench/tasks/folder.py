"""A task's folder and the record read from it.

NAME/
  task.toml         the manifest
  instructions.md   the problem description for agents
  experiment/       driver.py: calls the candidate's code in each stage; mounted read-only
  grader/           grade.py: reads labels and answers, imports no candidate code
  data/             recipe.py: builds splits from the raw data, and samples from the splits by seed
  reference/        the expert reference: files that replace those of the codebase
  method_off/       the ablation: the baseline with its method switched off, likewise
  exploits/         known tricks that must not improve the score, one folder each, likewise
  attacks/          build.py of each attack by an adversary who knows all public data
  paper/            files of another track that replace the ones above
  README.md         provenance, licences, and design reasons
"""

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from fmlbench.core.errors import BadRequest, TaskInvalid
from fmlbench.core.record import first_problem
from fmlbench.core.sources import PathSource
from fmlbench.core.task import Task, Track, Variant
from fmlbench.tasks.part import Part

REQUIRED_FILES = ("instructions.md", "experiment/driver.py", "grader/grade.py", "data/recipe.py", "README.md")


@dataclass(frozen=True)
class TaskFolder:
    """A task and its folder."""

    path: Path
    task: Task
    own: str = ""
    """The subfolder with the files of a track, if this is the task on that track."""

    @property
    def experiment(self) -> Part:
        """The driver; mounted for stages that run candidate code."""
        return self._part("experiment")

    @property
    def grader(self) -> Part:
        """The grader; mounted together with the labels."""
        return self._part("grader")

    @property
    def recipe(self) -> Part:
        """The dataset builder: makes splits from raw data, and samples from splits."""
        data = self._part("data")
        return Part(data.folders, tuple(shared_module(name) for name in self.task.shared))

    @property
    def instructions(self) -> str:
        """The problem description for agents."""
        own = self.path / self.own / "instructions.md"
        return (own if own.exists() else self.path / "instructions.md").read_text("utf-8")

    def _part(self, name: str) -> Part:
        of_track, of_task = self.path / self.own / name, self.path / name
        return Part((of_track, of_task) if of_track != of_task and of_track.exists() else (of_task,))

    def on(self, track_name: str) -> "TaskFolder":
        """The task on one of its tracks; runs and caches use this."""
        track = self.track(track_name)
        if list(self.task.tracks) == [track_name] and track.own is None:
            return self
        return TaskFolder(path=self.path, task=self.task.on(track_name), own=track.own.folder if track.own else "")

    def track(self, name: str) -> Track:
        """Return the track with that name."""
        track = self.task.find_track(name)
        if track is None:
            known = ", ".join(sorted(self.task.tracks))
            raise BadRequest(f"Task '{self.task.name}' has no track named '{name}'.", hint=f"Its tracks: {known}.")
        return track

    def files_of(self, variant: Variant) -> dict[str, str]:
        """The files of a variant, by path within the repository."""
        files = Part((self.path / variant.folder,)).files()
        return {name: path.read_text("utf-8") for name, path in sorted(files.items())}

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
        parts = [self.experiment, self.grader, self.recipe]
        if self.task.overlay:
            parts.append(Part((self.path / self.task.overlay,)))
        for part in parts:
            for name, path in sorted(part.files().items()):
                digest.update(f"{part.folders[-1].name}/{name}".encode())
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
            yield from sorted(Part((place,)).files().items())


def shared_module(name: str) -> Path:
    """A module that the suite's dataset builders share."""
    return Path(str(resources.files("fmlbench.suite") / "shared" / name))


def read_task(path: Path) -> TaskFolder:
    """Read a task's folder; raises TaskInvalid with the first problem."""
    manifest = path / "task.toml"
    try:
        task = Task.model_validate(tomllib.loads(manifest.read_text("utf-8")))
    except OSError as error:
        raise TaskInvalid(
            f"'{path}' is not a task folder: {error.strerror}.", hint="A task folder contains a task.toml."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise TaskInvalid(f"{manifest} is not valid TOML: {error}.", hint="Fix that line.") from error
    except ValidationError as error:
        raise TaskInvalid(f"{manifest}: {first_problem(error)}", hint=_hint_for(error)) from error
    _check_files(path, task)
    return TaskFolder(path=path, task=task)


def _check_files(path: Path, task: Task) -> None:
    variants = (task.reference, task.method_off, *task.exploits, *task.attacks)
    owns = [own for track in task.tracks.values() if (own := track.own)]
    own_variants = [variant for own in owns for variant in (own.reference, own.method_off) if variant]
    own_folders = [name for own in owns for name in (own.folder, own.overlay or "")]
    for name in (
        *REQUIRED_FILES,
        *(variant.folder for variant in (*variants, *own_variants)),
        *(f"{attack.folder}/build.py" for attack in task.attacks),
        *own_folders,
        task.overlay,
    ):
        if not (path / name).exists():
            raise TaskInvalid(
                f"Task '{task.name}' lacks {name}.", hint="docs/writing-tasks.md lists the files of a task."
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
