"""A run's folder.

RUN/
  run.json          what was asked for; written once
  events.jsonl      what happened, as far as the agent's side may know
  sealed.jsonl      hidden test scores and retests
  exchanges.jsonl   what a language model was asked, and what it answered
  lock              held by the one process that plays the run
  lease.N           who that is, with a heartbeat, for other machines
  cancelled         there while nobody may play the run
  attempts.jsonl    what came of each time that a sweep had it played
  player.log        what the last such player said
  glance.json       what a sweep wants to know of it, read off the logs once it is complete
  code.git/         every step's editable files; any git tool can browse it
  steps/N/          per step: logs, native results, answers (kept up to a size)
  agent/            for agents that are programs: their working folder, home and output
  retests/KIND-N-S/ the same of step N, tested again on retest seed S: on fresh samples, in transfer, or starved
  bench/            the experiment in flight; emptied when it is over
"""

from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import RunDamaged, RunNotFound
from fmlbench.core.retests import RetestKey
from fmlbench.core.run import RunSpec
from fmlbench.records.lease import CANCELLED, holder_of


@dataclass(frozen=True)
class RunFolder:
    """The paths of one run."""

    path: Path

    @property
    def spec_file(self) -> Path:
        """What was asked for."""
        return self.path / "run.json"

    @property
    def events(self) -> Path:
        """The log the agent's side may know."""
        return self.path / "events.jsonl"

    @property
    def sealed(self) -> Path:
        """The log of hidden scores."""
        return self.path / "sealed.jsonl"

    @property
    def exchanges(self) -> Path:
        """What a language model was asked and answered."""
        return self.path / "exchanges.jsonl"

    @property
    def lock(self) -> Path:
        """Held by the process that plays the run."""
        return self.path / "lock"

    @property
    def cancelled(self) -> Path:
        """There while nobody may play the run."""
        return self.path / CANCELLED

    @property
    def attempts(self) -> Path:
        """What came of each time that a sweep had it played."""
        return self.path / "attempts.jsonl"

    @property
    def player_log(self) -> Path:
        """What the last of those players said."""
        return self.path / "player.log"

    @property
    def status(self) -> Path:
        """What a sweep wants to know of a run that is complete."""
        return self.path / "glance.json"

    @property
    def code(self) -> Path:
        """The git directory of all snapshots."""
        return self.path / "code.git"

    @property
    def bench(self) -> Path:
        """Where the experiment in flight lies."""
        return self.path / "bench"

    @property
    def agent(self) -> Path:
        """What belongs to an agent that is a program of its own."""
        return self.path / "agent"

    @property
    def is_played(self) -> bool:
        """Whether somebody plays the run now, as far as anybody can tell."""
        return self.lock.exists() and holder_of(self.path) is not None

    def step(self, index: int) -> Path:
        """What is kept of a step."""
        return self.path / "steps" / str(index)

    def retest(self, key: RetestKey) -> Path:
        """What is kept of a retest."""
        return self.path / "retests" / f"{key.kind}-{key.index}-{key.seed}"

    def read_spec(self) -> RunSpec:
        """What was asked for."""
        try:
            return RunSpec.model_validate_json(self.spec_file.read_bytes())
        except ValueError as error:
            raise RunDamaged(
                f"{self.spec_file} cannot be read.", hint="Restore it from a copy, or start the run anew."
            ) from error

    def make(self, spec: RunSpec) -> None:
        """Make the folder of what is asked for, if it is not there."""
        file = self.spec_file
        if not file.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            fresh = file.with_suffix(".new")
            fresh.write_text(spec.model_dump_json(indent=2) + "\n", "utf-8")
            fresh.replace(file)


def open_run(spec: RunSpec, runs: Path) -> RunFolder:
    """The folder of a run, made if it is not there."""
    folder = RunFolder(runs / spec.run_id)
    folder.make(spec)
    return folder


def find_run(name: str, runs: Path) -> RunFolder:
    """A run by its path, its name, or the beginning of its name if that tells it apart."""
    for path in (Path(name), runs / name):
        if (path / "run.json").is_file():
            return RunFolder(path.resolve())
    matches = [path.parent for path in sorted(runs.glob("*/run.json")) if path.parent.name.startswith(name)]
    if len(matches) == 1:
        return RunFolder(matches[0].resolve())
    if matches:
        names = ", ".join(path.name for path in matches[:4])
        more = " ..." if len(matches) > 4 else "."
        raise RunNotFound(f"'{name}' could be several runs.", hint=f"Say which: {names}{more}")
    raise RunNotFound(f"There is no run named '{name}'.", hint=f"fmlbench runs lists what lies in {runs}.")
