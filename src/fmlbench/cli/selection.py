"""Find and measure the runs that command-line arguments select."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from fmlbench.cli.dirs import find_dirs
from fmlbench.core.errors import BadRequest
from fmlbench.core.run import agent_names
from fmlbench.metrics.embedding.catalogue import cache_for, find_embedder
from fmlbench.metrics.embedding.clouds import embed_run
from fmlbench.metrics.embedding.embedder import Embedder
from fmlbench.metrics.measurement import MeasuredRun, measure_run
from fmlbench.metrics.trace import read_trace
from fmlbench.records.folder import RunFolder, find_run
from fmlbench.records.replay import read_state
from fmlbench.reports.summary import task_of
from fmlbench.scheduling.plan import make_plan
from fmlbench.scheduling.study import read_study
from fmlbench.workspace.dirs import Dirs


def select_all(words: Sequence[str], runs: Path) -> list[RunFolder]:
    """The runs that the arguments select, each once."""
    return list({run.path: run for word in words for run in select_runs(word, runs)}.values())


def select_runs(word: str, runs: Path) -> Sequence[RunFolder]:
    """All runs of a study file, a folder, a pattern or an agent; or the run of that name."""
    if word.endswith(".toml"):
        return _some(_runs_of_study(Path(word), runs), word, runs)
    if "*" in word or "?" in word:
        return _some([run for run in _runs_in(runs) if fnmatchcase(run.path.name, word)], word, runs)
    folder = Path(word)
    if folder.is_dir() and not (folder / "run.json").exists():
        return _some(_runs_in(folder), word, folder)
    if (folder / "run.json").is_file() or (runs / word / "run.json").is_file():
        return [find_run(word, runs)]
    return runs_of_agent(word, runs) or [find_run(word, runs)]


def runs_of_agent(word: str, runs: Path) -> list[RunFolder]:
    """The runs of an agent, by its plain name or by its name with settings."""
    found = _runs_in(runs)
    agents = [run.read_spec().agent for run in found]
    names = agent_names(agents)
    return [run for run, agent, name in zip(found, agents, names, strict=True) if word in {agent.slug, name}]


def _runs_in(folder: Path) -> list[RunFolder]:
    return [RunFolder(path.parent.resolve()) for path in sorted(folder.glob("*/run.json"))]


def _runs_of_study(file: Path, runs: Path) -> list[RunFolder]:
    """The runs of a study that have started."""
    planned = (run.folder for run in make_plan(read_study(file), runs).runs)
    return [folder for folder in planned if folder.events.exists()]


def _some(found: list[RunFolder], word: str, runs: Path) -> list[RunFolder]:
    if not found:
        raise BadRequest(f"'{word}' matches no run.", hint=f"'fmlbench runs' lists the runs in {runs}.")
    return found


def measure_selected(words: Sequence[str], embedder: str) -> list[MeasuredRun]:
    """Measure the selected runs, each once."""
    dirs = find_dirs()
    found = find_embedder(embedder)
    return [measure_folder(folder, found, dirs) for folder in select_all(words, dirs.runs)]


def measure_folder(folder: RunFolder, embedder: Embedder | None, dirs: Dirs) -> MeasuredRun:
    """Measure a run, with embedded code if an embedder is given."""
    state = read_state(folder)
    task = task_of(folder.read_spec(), state)
    if embedder is None:
        return measure_run(read_trace(folder, task))
    cloud = embed_run(folder, state.steps, task, embedder, cache_for(embedder, dirs.embeddings))
    return measure_run(read_trace(folder, task, cloud))


def group_by_agent(runs: Sequence[MeasuredRun]) -> dict[str, list[MeasuredRun]]:
    """The runs of each agent, by its display name."""
    names = agent_names([run.spec.agent for run in runs])
    return {name: [run for run, run_name in zip(runs, names, strict=True) if run_name == name] for name in names}
