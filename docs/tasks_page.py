"""The page about the tasks: all of it is read off their folders."""

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from comparison import comparison, named, score_and_direction

from fmlbench.core.sources import PathSource
from fmlbench.core.task import Calibration, Environment, Figure, Measured, Task, Track
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks

SUITE = "../src/fmlbench/suite"
SHARED = Path(str(resources.files("fmlbench.suite"))) / "environments"


def tasks() -> str:
    """What there is to work on, what it costs, and how it compares with the paper's."""
    folders = sorted(all_tasks(), key=lambda folder: _ORDER.index(_standing(folder.task)))
    lines = [
        "# The tasks",
        "",
        "Generated from the tasks' folders by `python docs/generate.py`. Figures are of the sealed test: mean over",
        "seeds, with the standard deviation of one step's score, which everywhere is sigma. They are measured by",
        "`fmlbench tasks check NAME --calibrate`. A step is training and both exams; downloads are codebase and data,",
        "without the Python packages, which tasks share. Suite `core` has the tasks that passed their admission; suite",
        "`candidate` has those whose calibration is not complete, so their scores prove nothing yet.",
        "",
        "| task | question | baseline | method off | expert reference | on the sibling | step | memory | download |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(folder.task) for folder in folders),
        "",
        "## Suites",
        "",
        "`fmlbench tasks list --suite NAME` lists the tasks of a suite; `fmlbench bench` and `fmlbench tasks prepare`",
        "take `--suite` as well, and a [study file](study-file.md) may name one. A manifest names its task's suites.",
        "",
        *_suites(),
    ]
    for folder in folders:
        lines += ["", *_section(folder)]
    lines += [
        "",
        "## Against the paper",
        "",
        "FML-bench as its public code has it, and what is here instead. The tasks ask the same questions at a size",
        "for CPU seconds, on data from package registries, so that knowledge of public data does not buy a score. The",
        "README of each task gives the reasons. No score compares with one of FML-bench's. `selection` is what",
        "validates and what tests.",
        "",
        *comparison(folders),
    ]
    return "\n".join(lines) + "\n"


_ORDER = ("core", "candidate", "test")


def _standing(shown: Task) -> str:
    """The suite that says whether a task has passed its admission."""
    return next(suite for suite in _ORDER if suite in shown.suites)


def _row(shown: Task) -> str:
    first = f"| [{shown.name}](#{shown.name}) | {shown.title} "
    measured = shown.tracks["cpu"].calibration
    if measured is None:
        return f"{first}| not measured | | | | | | {_size(shown.megabytes)} |"
    better = shown.metric.gain(measured.reference.test.mean, measured.baseline.test.mean) / measured.baseline.test.sd
    baseline, off, reference = map(_on_test, (measured.baseline, measured.method_off, measured.reference))
    return (
        f"{first}| {baseline} | {off} | {reference}, {better:+.0f} sigma | {_sibling(shown, measured)} "
        f"| {measured.step_cpu_seconds:.0f} CPU s | {measured.peak_memory_mb} MB | {_size(shown.megabytes)} |"
    )


def _sibling(shown: Task, measured: Calibration) -> str:
    """What the reference gains on the sibling."""
    if measured.sibling is None or not measured.sibling.baseline.sd:
        return "-"
    gain = shown.metric.gain(measured.sibling.reference.mean, measured.sibling.baseline.mean)
    return f"{gain / measured.sibling.baseline.sd:+.0f} sigma"


def _suites() -> Iterator[str]:
    every = [folder.task for folder in all_tasks()]
    for suite in sorted({suite for task in every for suite in task.suites}):
        yield f"- `{suite}`: {', '.join(task.name for task in every if suite in task.suites)}"


def _section(folder: TaskFolder) -> Iterator[str]:
    shown = folder.task
    metric = shown.metric
    measured = shown.tracks["cpu"].calibration
    yield f"## {shown.name}"
    yield ""
    yield shown.question
    yield ""
    yield _first_paragraph(folder.instructions)
    yield ""
    yield f"- **Score**: {score_and_direction(metric)}; perfect {metric.best:g}, useless {metric.worst:g}."
    yield f"- **Codebase**: {named(shown.codebase)} ({shown.codebase.licence})."
    data = "; ".join(f"{named(item)} ({item.licence})" for item in shown.data)
    yield f"- **Data**: {data or 'made up by the task'}."
    yield from (f"- **Rule**: {rule.text}" for rule in shown.rules)
    yield f"- **Baseline**: {_baseline(folder)}"
    yield f"- **Method off**: {shown.method_off.idea}"
    yield f"- **Expert reference**: {shown.reference.idea} {shown.reference.citation}".rstrip()
    if shown.lab:
        yield f"- **Lab**: {shown.lab}"
    if shown.sibling:
        yield f"- **Sibling**: {shown.sibling}"
    yield f"- **Exploits tried**: {_exploits(shown)}"
    if shown.attacks:
        ideas = "; ".join(attack.idea.rstrip(".") for attack in shown.attacks)
        yield f"- **Attacks of complete knowledge**: {ideas}. What they earned is in the README."
    if measured:
        yield from _measurements(measured)
    yield f"- **Download**: {_download(folder)}"
    for name, track in shown.tracks.items():
        if track.own:
            yield f"- **Track `{name}`**: {_own_track(folder, name, track)}"
    yield f"- Provenance, splits and what differs from the paper: [README]({SUITE}/{shown.name}/README.md)."


def _first_paragraph(page: str) -> str:
    """What comes after the title."""
    return next(part for part in page.split("\n\n") if not part.startswith("#")).strip()


def _baseline(folder: TaskFolder) -> str:
    """What the README says of it."""
    readme = (folder.path / "README.md").read_text("utf-8")
    told = re.search(r"^- \*\*Baseline\*\*: (.+?)(?=\n-|\n\n|\Z)", readme, re.MULTILINE | re.DOTALL)
    return " ".join(told[1].split()) if told else "see the README."


def _exploits(shown: Task) -> str:
    ideas = [exploit.idea.rstrip(".") for exploit in shown.exploits]
    if not ideas:
        return "none of its own; the attacks of [the red team](redteam.md) on every task."
    return f"{'; '.join(ideas)}. What they earned is in the README; [the red team's](redteam.md) attacks besides."


def _measurements(measured: Calibration) -> Iterator[str]:
    when = f"{measured.date}, {measured.machine}, n = {measured.baseline.test.n}"
    test, validation = _figure(measured.baseline.test), _figure(measured.baseline.validation)
    yield f"- **Baseline and noise**: {test} on the sealed test, {validation} on validation; {when}."
    yield (
        f"- **Cost of a step**: {measured.step_cpu_seconds:.0f} CPU seconds for training and both exams; the largest "
        f"process had {measured.peak_memory_mb} MB."
    )


def _on_test(measured: Measured) -> str:
    return _figure(measured.test)


def _figure(figure: Figure) -> str:
    return f"{figure.mean:.3f} ± {figure.sd:.3f}"


def _download(folder: TaskFolder) -> str:
    shown = folder.task
    yours = [material.name for material in shown.data if isinstance(material.sources[0], PathSource)]
    parts = [
        f"{_size(shown.megabytes)} for codebase and data",
        *(f"{name} is made by you, see the README" for name in yours),
        f"Python packages of the environment `{shown.environment.name}`: {_packages(shown.environment, folder.path)}",
    ]
    return "; ".join(parts) + "."


def _packages(environment: Environment, task_folder: Path) -> str:
    """The line ``# download: SIZE`` in an environment's requirements."""
    own = environment.requirements
    requirements = task_folder / own if own else SHARED / f"{environment.name}.txt"
    told = re.search(r"^# download: (.+)$", requirements.read_text("utf-8"), re.MULTILINE)
    return told[1] if told else "size not stated"


def _size(megabytes: float | None) -> str:
    if megabytes is None:
        return "size not stated"
    return f"{megabytes:.1f} MB" if megabytes else "nothing"


def _own_track(folder: TaskFolder, name: str, track: Track) -> str:
    there = folder.on(name)
    measured = "" if track.calibration else " Not calibrated."
    return f"{named(there.task.codebase)} ({there.task.codebase.licence}); {_download(there)}{measured}"
