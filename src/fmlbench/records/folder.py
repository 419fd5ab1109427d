"""A run's folder.

RUN/
  run.json          the specification; written once
  events.jsonl      the events that the agent may know
  sealed.jsonl      hidden test scores and retests
  calls.jsonl       requests to the language model and its responses
  lock              locked by the process that executes the run
  lease.N           host and PID of that process, with a heartbeat, for other machines
  cancelled         while it exists, no process may execute the run
  attempts.jsonl    how each execution by a sweep ended
  player.log        output of the last such execution
  status.json       cached status of a complete run, for sweeps
  code.git/         every step's editable files; any git tool can browse it
  steps/N/          per step: logs, native results, answers (up to a size limit)
  agent/            for agents that are programs: their working folder, home and output
  retests/KIND-N-S/ the same for step N on retest seed S; KIND is retest, transfer or starved
  experiments/      files of running experiments; removed when they have ended
"""

from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import RunDamaged, RunNotFound
from fmlbench.core.run import RetestKey, RunSpec
from fmlbench.records.lease import CANCELLED, holder_of


@dataclass(frozen=True)
class RunFolder:
    """The paths of one run."""

    path: Path

    @property
    def spec_file(self) -> Path:
        """The specification."""
        return self.path / "run.json"

    @property
    def events(self) -> Path:
        """The log of events that the agent may know."""
        return self.path / "events.jsonl"

    @property
    def sealed(self) -> Path:
        """The log of hidden scores."""
        return self.path / "sealed.jsonl"

    @property
    def calls(self) -> Path:
        """Requests to the language model and its responses."""
        return self.path / "calls.jsonl"

    @property
    def lock(self) -> Path:
        """Locked by the process that executes the run."""
        return self.path / "lock"

    @property
    def cancelled(self) -> Path:
        """While it exists, no process may execute the run."""
        return self.path / CANCELLED

    @property
    def attempts(self) -> Path:
        """How each execution by a sweep ended."""
        return self.path / "attempts.jsonl"

    @property
    def player_log(self) -> Path:
        """Output of the last execution by a sweep."""
        return self.path / "player.log"

    @property
    def status(self) -> Path:
        """Cached status of a complete run, for sweeps."""
        return self.path / "status.json"

    @property
    def code(self) -> Path:
        """The git directory of all snapshots."""
        return self.path / "code.git"

    @property
    def experiments(self) -> Path:
        """Files of running experiments."""
        return self.path / "experiments"

    @property
    def agent(self) -> Path:
        """Files of an agent that is a program."""
        return self.path / "agent"

    @property
    def is_running(self) -> bool:
        """Whether a process executes the run now, judging by its lock and lease."""
        return self.lock.exists() and holder_of(self.path) is not None

    def step(self, index: int) -> Path:
        """The folder of a step."""
        return self.path / "steps" / str(index)

    def retest(self, key: RetestKey) -> Path:
        """The folder of a retest."""
        return self.path / "retests" / f"{key.kind}-{key.index}-{key.seed}"

    def read_spec(self) -> RunSpec:
        """Read the specification."""
        try:
            return RunSpec.model_validate_json(self.spec_file.read_bytes())
        except ValueError as error:
            raise RunDamaged(
                f"{self.spec_file} cannot be read.", hint="Restore it from a copy, or start a new run."
            ) from error

    def make(self, spec: RunSpec) -> None:
        """Create the run's folder with its specification, unless it exists."""
        file = self.spec_file
        if not file.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            fresh = file.with_suffix(".new")
            fresh.write_text(spec.model_dump_json(indent=2) + "\n", "utf-8")
            fresh.replace(file)


def open_run(spec: RunSpec, runs: Path) -> RunFolder:
    """The folder of a run; created if it does not exist."""
    folder = RunFolder(runs / spec.run_id)
    folder.make(spec)
    return folder


def find_run(name: str, runs: Path) -> RunFolder:
    """Find a run by its path, its name, or a unique prefix of its name."""
    for path in (Path(name), runs / name):
        if (path / "run.json").is_file():
            return RunFolder(path.resolve())
    matches = [path.parent for path in sorted(runs.glob("*/run.json")) if path.parent.name.startswith(name)]
    if len(matches) == 1:
        return RunFolder(matches[0].resolve())
    if matches:
        names = ", ".join(path.name for path in matches[:4])
        more = " ..." if len(matches) > 4 else "."
        raise RunNotFound(f"'{name}' matches several runs.", hint=f"Choose one: {names}{more}")
    raise RunNotFound(f"There is no run named '{name}'.", hint=f"'fmlbench runs' lists the runs in {runs}.")
