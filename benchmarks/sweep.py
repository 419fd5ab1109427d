"""Measure the overhead of sweeps.

    python benchmarks/sweep.py [--quick] [--cache FOLDER]

Ray is measured if it is installed, SLURM if a controller answers. Every figure is printed with its aim. Compare ratios,
because machines are shared and noisy.
"""

import argparse
import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.steps import Move, Operator, Step
from fmlbench.records.events import (
    EVENTS,
    Event,
    ProposalMade,
    Retested,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from fmlbench.records.provenance import describe_machine
from fmlbench.scheduling.engines.engine import JobDone
from fmlbench.scheduling.plan import Plan, PlannedRun, lay_out, make_plan
from fmlbench.scheduling.study import Study, read_study
from fmlbench.scheduling.sweep import Sweep
from fmlbench.scheduling.sweep_status import poll_all, status_of

Row = tuple[str, str, str]

BURN = "import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end:\n    sum(range(10_000))\n"
STUDY = 'tasks = ["toy"]\nseeds = {seeds}\nretest = {retest}\nagents = [{agents}]\nbudget = {{ steps = {steps} }}\n'
SIMULATED_STEPS = 20


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="smaller sizes, for a first look")
    arguments.add_argument("--cache", type=Path, default=Path("build/test-cache"), help="where environments lie")
    arguments.add_argument("--simulate", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.simulate:
        simulate(options.simulate)
        return
    table = Table("what", "measured", "aim")
    with tempfile.TemporaryDirectory(prefix="fmlbench-sweep-") as folder:
        cache = options.cache.resolve()
        for rows in (
            two_workers(Path(folder) / "scaling", cache, seeds=4, seconds=1 if options.quick else 4),
            engines(Path(folder) / "engines", cache, runs=4 if options.quick else 12),
            ten_thousand(Path(folder) / "simulated", runs=1000 if options.quick else 10_000),
        ):
            for row in rows:
                table.add_row(*row)
    Console().print(table)


def two_workers(folder: Path, cache: Path, *, seeds: int, seconds: float) -> Iterator[Row]:
    """Equal CPU-bound runs, one after the other and two at a time.

    A worker alone on two cores prepares the next stage on the second one, so it is also held to one core, which is what
    each of two workers has.
    """
    script = folder / "script.json"
    folder.mkdir()
    burning = {"tinylearn/model.py": BURN.format(seconds=seconds) + toy_file("tinylearn/model.py")}
    script.write_text(json.dumps([{"idea": "burn", "files": burning}] * 2))
    agent = f'{{ name = "scripted", settings = {{ script = "{script}" }} }}'
    study = write_study(folder, seeds=seeds, agents=agent, steps=2)
    both, memory = timed(study, cache, folder / "both", "--parallel", "2")
    held, _ = timed(study, cache, folder / "held", "--parallel", "1", cores=1)
    alone, _ = timed(study, cache, folder / "alone", "--parallel", "1")
    yield (
        f"{seeds} equal CPU-bound runs, 1 worker on 1 core / 2 workers on 2 ({held:.1f} s / {both:.1f} s)",
        f"{held / both:.2f} x",
        ">= 1.9 x on 2 idle cores",
    )
    yield f"the same, 1 worker on 2 cores / 2 workers ({alone:.1f} s)", f"{alone / both:.2f} x", ""
    yield "peak memory of a worker: its runner / its share of the sweep", f"{memory} MB", ""


def toy_file(name: str) -> str:
    from fmlbench.tasks.library import find_task  # noqa: PLC0415

    return (find_task("toy").path / "codebase" / name).read_text("utf-8")


def engines(folder: Path, cache: Path, *, runs: int) -> Iterator[Row]:
    """Runs of nothing but a baseline, two at a time: what an engine adds to each."""
    folder.mkdir()
    study = write_study(folder, seeds=runs, agents='"noop"', steps=0)
    local = timed(study, cache, folder / "local", "--parallel", "2")[0]
    yield f"local: seconds per baseline-only run, 2 at once (n = {runs})", f"{local / runs:.2f} s", ""
    for name in usable_engines():
        took = timed(study, cache, folder / name, "--parallel", "2", "--engine", name)[0]
        yield f"{name}: the same, with the engine's start and end", f"{took / runs:.2f} s", ""
        yield f"{name}: more than local, per run", f"{(took - local) / runs:+.2f} s", ""


def usable_engines() -> Iterator[str]:
    if importlib.util.find_spec("ray"):
        yield "ray"
    if shutil.which("sinfo") and subprocess.run(["sinfo"], capture_output=True, check=False).returncode == 0:
        yield "slurm"


def write_study(folder: Path, *, seeds: int, agents: str, steps: int) -> Path:
    study = folder / "study.toml"
    study.write_text(STUDY.format(seeds=seeds, agents=agents, steps=steps, retest=0) + "[slurm]\npoll_seconds = 1\n")
    return study


def timed(study: Path, cache: Path, runs: Path, *words: str, cores: int | None = None) -> tuple[float, str]:
    """Seconds that a sweep takes, and the most memory that one of its runners and the sweep itself had."""
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    settings = {**os.environ, "FMLBENCH_CACHE": str(cache), "FMLBENCH_RUNS": str(runs)}
    command = [sys.executable, "-m", "fmlbench", "sweep", "start", str(study), *words]
    started = time.monotonic()
    process = subprocess.Popen(
        ["taskset", "--cpu-list", ",".join(map(str, allowed)), *command],
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    runners: dict[int, int] = {}
    own = 0
    while process.poll() is None:
        own = max(own, peak_mb(process.pid))
        for pid in children_of(process.pid):
            runners[pid] = max(runners.get(pid, 0), peak_mb(pid))
        time.sleep(0.05)
    assert process.stderr
    assert process.returncode == 0, process.stderr.read().decode()
    return time.monotonic() - started, f"{max(runners.values(), default=0)} / {own}"


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found.extend(map(int, listing.read_text().split()))
    return found


def peak_mb(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) // 1024
    return 0


def ten_thousand(folder: Path, *, runs: int) -> Iterator[Row]:
    """Planning, status and resuming of a large sweep, in a process of its own."""
    folder.mkdir()
    agents = '"greedy", "random"'
    study = folder / "study.toml"
    study.write_text(STUDY.format(seeds=runs // 2, agents=agents, steps=SIMULATED_STEPS, retest=3))
    done = subprocess.run(
        [sys.executable, __file__, "--simulate", str(folder)], check=True, capture_output=True, text=True
    )
    for what, (seconds, cpu, megabytes) in json.loads(done.stdout).items():
        measured = f"{seconds:.1f} s ({cpu:.1f} CPU s), {megabytes} MB"
        yield f"{runs} runs of {SIMULATED_STEPS} steps: {what}", measured, "< 10 s, < 300 MB"


def simulate(folder: Path) -> None:
    figures: dict[str, tuple[float, float, int]] = {}
    study = read_study(folder / "study.toml")

    def measure(what: str, started: tuple[float, float]) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        figures[what] = (time.perf_counter() - started[0], time.process_time() - started[1], peak)

    started = (time.perf_counter(), time.process_time())
    plan = make_plan(study, folder / "runs")
    lay_out(plan)
    measure("planning, and making the folders", started)
    play(plan, left=len(plan.runs) // 10)
    started = (time.perf_counter(), time.process_time())
    status_of(plan, poll_all(plan))
    measure("first status, 9 of 10 complete, nothing known yet", started)
    started = (time.perf_counter(), time.process_time())
    status_of(again(study, folder), poll_all(plan))
    measure("status, plan included", started)
    started = (time.perf_counter(), time.process_time())
    engine = Turnstile()
    sweep = Sweep(again(study, folder), engine)
    with suppress(Turnstile.Started):
        sweep.run()
    measure("resuming, until the first run is started", started)
    print(json.dumps(figures))


def again(study: Study, folder: Path) -> Plan:
    return make_plan(study, folder / "runs")


class Turnstile:
    """An engine that is left as soon as it is given something to do."""

    class Started(Exception):
        """It was."""

    parallel = 100

    def recovered(self) -> Sequence[PlannedRun]:
        return []

    def room(self) -> int:
        return self.parallel

    def start(self, runs: Sequence[PlannedRun]) -> None:
        assert len(runs) == self.parallel
        raise self.Started

    def finished(self) -> Sequence[JobDone]:
        return []

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass


def play(plan: Plan, *, left: int) -> None:
    """Leave the logs that real runs would have left, in all folders but the last ones."""
    provenance = describe_machine(environment="numpy", sandbox="bubblewrap", secret="0")
    log, retests = lines_of(events()), lines_of(retested(plan.study.retest))
    for run in plan.runs[:-left]:
        started = RunStarted(spec=run.spec, task=run.task, provenance=provenance)
        run.folder.events.write_bytes(lines_of([started]) + log)
        run.folder.sealed.write_bytes(retests)


def lines_of(happened: Iterable[Event]) -> bytes:
    return b"".join(EVENTS.dump_json(event) + b"\n" for event in happened)


def retested(seeds: int) -> Iterator[Event]:
    for index, score in ((0, 0.5), (1, 0.6)):
        for seed in range(seeds):
            yield Retested(index=index, seed=seed, evaluation=Evaluation(outcome=Outcome.OK, score=score))


def events() -> Iterator[Event]:
    tail = "a line of what a candidate printed\n" * 30
    for index in range(SIMULATED_STEPS + 1):
        move = Move(operator=Operator.IMPROVE if index else Operator.BASELINE, parents=(0,) if index else ())
        evaluation = Evaluation(outcome=Outcome.OK, score=0.6 if index == 1 else 0.5, log_tail=tail, seconds=20)
        step = Step(index=index, move=move, idea="an idea " * 10, snapshot="0" * 40, evaluation=evaluation)
        yield ProposalMade(index=index, move=move, idea=step.idea, snapshot=step.snapshot)
        yield StepStarted(index=index, attempt=1)
        yield StepFinished(step=step)
    yield RunFinished(reason="the budget is spent")


if __name__ == "__main__":
    main()
