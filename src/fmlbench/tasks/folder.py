"""A task's folder and the record read from it.

NAME/
  task.toml         every fact about the task, once
  instructions.md   what an agent is told about the problem
  experiment/       driver.py: calls the candidate's code in each stage; mounted read-only
  grader/           grade.py: holds the labels, reads the answers, imports no candidate code
  data/             recipe.py: makes pools from the raw data, and draws from them by seed
  reference/        the expert reference, as files laid over the codebase
  method_off/       the baseline with its method switched off, likewise
  exploits/         cheap tricks that must not pay, one folder each, likewise
  attacks/          build.py of each attack that an adversary with all public knowledge would try
  paper/            whatever of the above another track has of its own, file by file
  README.md         provenance, licences, and why it is the way it is
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
    """A task with the place it was read from."""

    path: Path
    task: Task
    own: str = ""
    """A folder in it that has a track's own parts, where this is the task on that track."""

    @property
    def experiment(self) -> Part:
        """What is mounted beside the candidate: the driver."""
        return self._part("experiment")

    @property
    def grader(self) -> Part:
        """What is mounted beside the labels."""
        return self._part("grader")

    @property
    def recipe(self) -> Part:
        """How raw data becomes pools, and pools become draws."""
        own = self._part("data")
        return Part(own.folders, tuple(shared_module(name) for name in self.task.shared))

    @property
    def instructions(self) -> str:
        """The problem in words."""
        own = self.path / self.own / "instructions.md"
        return (own if own.exists() else self.path / "instructions.md").read_text("utf-8")

    def _part(self, name: str) -> Part:
        own, ours = self.path / self.own / name, self.path / name
        return Part((own, ours) if own != ours and own.exists() else (ours,))

    def on(self, track_name: str) -> "TaskFolder":
        """The task on one of its tracks: what every run, and all that is kept about one, starts from."""
        track = self.track(track_name)
        if list(self.task.tracks) == [track_name] and track.own is None:
            return self
        return TaskFolder(path=self.path, task=self.task.on(track_name), own=track.own.folder if track.own else "")

    def track(self, name: str) -> Track:
        """Return the track of that name."""
        track = self.task.find_track(name)
        if track is None:
            known = ", ".join(sorted(self.task.tracks))
            raise BadRequest(f"Task '{self.task.name}' has no track named '{name}'.", hint=f"Its tracks: {known}.")
        return track

    def files_of(self, variant: Variant) -> dict[str, str]:
        """The files a variant lays over the codebase, by path within the repository."""
        files = Part((self.path / variant.folder,)).files()
        return {name: path.read_text("utf-8") for name, path in sorted(files.items())}

    @cached_property
    def digest(self) -> str:
        """A hash of all that can change a score; what was measured or tried, and prose, are not part of it."""
        forgotten = Track.model_fields["smoke"].default
        tracks = {
            name: track.model_copy(update={"calibration": None, "smoke": forgotten})
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
        """What the manifest names by path and pins by no hash, as far as it is there: it can change under its feet."""
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
    """A module that recipes of the suite share."""
    return Path(str(resources.files("fmlbench.suite") / "shared" / name))


def read_task(path: Path) -> TaskFolder:
    """Read a task's folder, or say what is wrong with it."""
    manifest = path / "task.toml"
    try:
        task = Task.model_validate(tomllib.loads(manifest.read_text("utf-8")))
    except OSError as error:
        raise TaskInvalid(
            f"'{path}' is not a task folder: {error.strerror}.", hint="A task folder holds a task.toml."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise TaskInvalid(f"{manifest} is not valid TOML: {error}.", hint="Mend that line.") from error
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
                f"Task '{task.name}' lacks {name}.", hint="docs/writing-tasks.md lists what a task holds."
            )
    for name in task.shared:
        if not shared_module(name).is_file():
            raise TaskInvalid(
                f"Task '{task.name}' names the shared module '{name}', which does not exist.",
                hint=f"Shared modules are in {shared_module('').as_posix()}.",
            )


def _hint_for(error: ValidationError) -> str:
    if error.errors()[0]["type"] == "extra_forbidden":
        return "There is no such field; look for a typing error."
    return "docs/manifest.md lists every field."
