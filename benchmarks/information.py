"""How much information honest patches add, and how much hidden data costs.

    python benchmarks/information.py                 summary: honest patches by source, and the attacks
    python benchmarks/information.py --patches       every patch in a row
    python benchmarks/information.py --write         summary to benchmarks/results/information.md

Honest patches are what ships with the tasks, the changes of single numbers, the steps of the study, and the recorded
answers of a language model. The paper tracks are measured against their overlays alone, which gives larger figures.
"""

import argparse
import os
import platform
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median, quantiles

from fmlbench.agents.registry import agent_spec, build_agent
from fmlbench.cli.dirs import find_dirs
from fmlbench.core.progress import Silent
from fmlbench.core.task import Editable
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import read_state
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.testing.context import bare_context
from fmlbench.testing.sessions import RecordedSession
from fmlbench.workspace.information import added_information, runtime_text
from fmlbench.workspace.materials import obtain
from fmlbench.workspace.snapshots import Snapshots
from fmlbench.workspace.trees import editable_files

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from docs.page import write_page  # noqa: E402
from tests.carriers import BASELINE, COUNTED, REMOVED, room_of  # noqa: E402
from tests.unit.agents.llm.test_recorded_runs import MODEL, RECORDED, Recorded, replayed  # noqa: E402

BUDGET = Editable(globs=("**",), suggested=()).information_bytes
Files = Mapping[str, str]


@dataclass(frozen=True)
class Patch:
    """The files of a proposal, and those of its baseline."""

    source: str
    name: str
    files: Files
    baseline: Files


@dataclass(frozen=True)
class Measured:
    """A patch and its figures."""

    patch: Patch
    raw: int
    """Of the lines that the baseline's file of that name does not have."""
    information: int
    problem: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--patches", action="store_true", help="print every patch")
    arguments.add_argument("--write", action="store_true", help="write benchmarks/results/information.md")
    options = arguments.parse_args()
    measured = [measure(patch) for patch in all_patches()]
    if options.patches:
        print("\n".join(table_of_patches(measured)))
        return
    page = "\n".join((*head(), *table_of_sources(measured), "", *table_of_attacks()))
    if options.write:
        target = ROOT / "benchmarks" / "results" / "information.md"
        target.parent.mkdir(exist_ok=True)
        write_page(target, page + "\n")
    print(page)


def measure(patch: Patch) -> Measured:
    changed = [path for path, text in patch.files.items() if patch.baseline.get(path) != text]
    known = {path: set(patch.baseline.get(path, "").splitlines()) for path in changed}
    raw = sum(
        len(line.encode()) + 1 for path in changed for line in patch.files[path].splitlines() if line not in known[path]
    )
    use = added_information(patch.files, patch.baseline)
    return Measured(patch, raw, use.bytes, use.problem)


def all_patches() -> Iterator[Patch]:
    for folder in all_tasks():
        yield from variants(folder)
        yield from single_numbers(folder)
    yield from study_steps()
    yield from recorded_answers()
    yield from upstream_modules()


def variants(folder: TaskFolder) -> Iterator[Patch]:
    for track in folder.task.tracks:
        on_track = folder.on(track)
        task, baseline = on_track.task, baseline_of(folder, track)
        for kind, variant in (("reference", task.reference), ("method off", task.method_off)):
            yield Patch(kind, f"{task.name}.{track}", {**baseline, **on_track.files_of(variant, baseline)}, baseline)
        for exploit in task.exploits:
            name = f"{task.name}.{track} {exploit.label}"
            yield Patch("exploit", name, {**baseline, **on_track.files_of(exploit, baseline)}, baseline)


def single_numbers(folder: TaskFolder) -> Iterator[Patch]:
    listed = folder.path / "single_numbers.toml"
    if not listed.exists():
        return
    baseline = baseline_of(folder)
    for change in tomllib.loads(listed.read_text("utf-8"))["change"]:
        for new in change["replace"]:
            text = baseline[change["file"]].replace(change["search"], new)
            files = {**baseline, change["file"]: text}
            yield Patch("single number", f"{folder.task.name}: {new}", files, baseline)


def study_steps() -> Iterator[Patch]:
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(ROOT / "docs" / "study" / "runs.tar.xz") as archive:
        archive.extractall(scratch, filter="data")
        for path in sorted(Path(scratch).iterdir()):
            state = read_state(RunFolder(path))
            files = Snapshots(path / "code.git").read_all([step.snapshot for step in state.steps])
            baseline = files[state.steps[0].snapshot]
            for step in state.steps[1:]:
                yield Patch("study step", f"{path.name} {step.index}", files[step.snapshot], baseline)


def recorded_answers() -> Iterator[Patch]:
    """What a language model wrote, applied as in tests/unit/agents/llm/test_recorded_runs.py."""
    (folder,) = (one for one in all_tasks() if one.task.name == "data-efficiency")
    overlay = folder.path / "overlay"
    baseline = {str(path.relative_to(overlay)): path.read_text("utf-8") for path in overlay.glob("fewshot/*.py")}
    for path in RECORDED:
        recorded = Recorded.model_validate_json(path.read_bytes())
        results = iter(recorded.results)
        session = RecordedSession(baseline, lambda _, results=results: next(results), steps=len(recorded.steps))
        model = replayed(recorded)
        build_agent(agent_spec(recorded.agent, recorded.settings, MODEL), bare_context(model=model)).run(session)
        for step in session.history.proposed:
            yield Patch("model's step", f"{path.stem} {step.index}", session.code_of(step.index), baseline)


def upstream_modules() -> Iterator[Patch]:
    """Each editable upstream module that a proposal could contain, as if it were new."""
    for folder in all_tasks():
        baseline = baseline_of(folder)
        for path, text in sorted(baseline.items()):
            if path.endswith(".py") and 2000 <= len(runtime_text(path, text).encode()) <= 10_000:
                rest = {other: content for other, content in baseline.items() if other != path}
                yield Patch("upstream module", f"{folder.task.name} {path}", baseline, rest)


def baseline_of(folder: TaskFolder, track: str = "cpu") -> dict[str, str]:
    """The editable files of the codebase; of other tracks only those in the task's folder, to save the downloads."""
    task = folder.on(track).task
    overlay = editable_files(folder.path / task.overlay, task.editable) if task.overlay else {}
    if track != "cpu":
        return overlay
    upstream = obtain(task.codebase, task_folder=folder.path, dirs=find_dirs(), progress=Silent())
    return {**editable_files(upstream, task.editable), **overlay}


def head() -> list[str]:
    machine = f"{platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    return [
        "# Information that proposals add to the baseline",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, {machine}, `python benchmarks/information.py --write`.",
        f"The budget is {BUDGET:,} bytes.",
        "",
        "## Honest patches",
        "",
        "An upstream module is an editable module of 2 to 10 kB without comments, measured as if it were new.",
        "",
    ]


def table_of_sources(measured: Sequence[Measured]) -> Iterator[str]:
    yield "| source | patches | most raw bytes | information: median | 95% | largest | of the budget | rejected |"
    yield "|---|---|---|---|---|---|---|---|"
    for source in dict.fromkeys(one.patch.source for one in measured):
        group = [one for one in measured if one.patch.source == source]
        sizes = sorted(one.information for one in group)
        high = quantiles(sizes, n=20, method="inclusive")[-1] if len(sizes) > 1 else sizes[0]
        rejected = sum(bool(one.problem) or one.information > BUDGET for one in group)
        yield (
            f"| {source} | {len(group):,} | {max(one.raw for one in group):,} | {median(sizes):,.0f} | {high:,.0f} "
            f"| {sizes[-1]:,} | {sizes[-1] / BUDGET:.0%} | {rejected} |"
        )


def table_of_patches(measured: Sequence[Measured]) -> Iterator[str]:
    yield "| source | patch | raw bytes added | information bytes | of the budget | problem |"
    yield "|---|---|---|---|---|---|"
    for one in measured:
        share = one.information / BUDGET
        yield (
            f"| {one.patch.source} | {one.patch.name} | {one.raw:,} | {one.information:,} | {share:.1%} "
            f"| {one.problem} |"
        )


def table_of_attacks() -> Iterator[str]:
    yield "## Hidden data"
    yield ""
    yield "Random bytes, hidden by the carriers of tests/carriers.py. 'Removed' means that the payload is not laid out."
    yield ""
    yield "| carrier | payload bytes | information bytes | bits counted per bit | also rejected as data |"
    yield "|---|---|---|---|---|"
    for carrier in (*COUNTED, *REMOVED):
        payload = Random(0).randbytes(room_of(carrier))
        use = added_information(carrier(payload), BASELINE)
        rate = f"{use.bytes / len(payload):.2f}" if carrier in COUNTED else "removed"
        name = carrier.__name__.removeprefix("in_").replace("_", " ")
        yield f"| {name} | {len(payload):,} | {use.bytes:,} | {rate} | {'yes' if use.problem else 'no'} |"


if __name__ == "__main__":
    main()
