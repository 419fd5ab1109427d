"""Measure a small local language model as a researcher: how many of its changes apply, and run.

    fmlbench models fetch local/qwen2.5-coder-1.5b
    python benchmarks/local_model.py [--task data-efficiency] [--agents greedy aide ai-scientist] [--seed 0]

Runs are stored with the user's other runs; interrupted ones continue. They share one server, so that the common
beginning of all prompts is cached. `--report` only prints the state.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fmlbench.agents.proposers.llm.proposer import PROPOSE
from fmlbench.agents.registry import agent_spec
from fmlbench.cli.dirs import find_dirs
from fmlbench.core.evaluation import Outcome
from fmlbench.core.progress import Silent
from fmlbench.core.run import Budget, Isolation, RunSpec
from fmlbench.core.steps import Step
from fmlbench.engine.run import execute_run, load_run
from fmlbench.models.call_log import read_calls
from fmlbench.records.events import Event, StepFinished
from fmlbench.records.folder import RunFolder, open_run
from fmlbench.records.replay import read_state
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs

MANNER = {
    "context_tokens": "5000",
    "output_tokens": "700",
    "edit_format": "definitions",
    "shown_changes": "0",
    "choose_target": "1",
    "edit_tries": "4",
    "temperature": "0.5",
    "temperature_step": "0.2",
}
"""Room for the task, the files it suggests first, and the last few steps."""
SIZES = {
    "greedy": {"debug_tries": "0"},
    "aide": {"drafts": "3", "debug_chance": "0"},
    "ai-scientist": {"ideas": "5", "reflections": "1", "runs": "1"},
}
"""So that five steps show more than drafts and repairs, of which this model has none to its name, and each of as many
ideas gets its run."""
COLUMNS = ("agent", "steps", "ran", "applied at once", "applied after feedback", "never applied", "outcomes", "best")
COSTS = ("calls", "tokens read", "of them cached", "written", "model", "experiments")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--task", default="data-efficiency")
    arguments.add_argument("--agents", nargs="+", default=["greedy", "aide", "ai-scientist"])
    arguments.add_argument("--steps", type=int, default=5)
    arguments.add_argument("--seed", type=int, default=0, help="random seed of the data sample and of the agents")
    arguments.add_argument("--model", default="local/qwen2.5-coder-1.5b")
    arguments.add_argument("--report", action="store_true", help="run nothing, only print the state")
    options = arguments.parse_args()
    dirs = find_dirs()
    specs = [spec_of(name, options.task, options.model, options.steps, options.seed) for name in options.agents]
    for spec in () if options.report else specs:
        execute_run(load_run(open_run(spec, dirs.runs), dirs), progress=Silent(), watch=print_step)
    report(specs, dirs)


def spec_of(name: str, task: str, model: str, steps: int, seed: int) -> RunSpec:
    return RunSpec(
        task=task,
        task_digest=find_task(task).on("cpu").digest,
        track="cpu",
        agent=agent_spec(name, MANNER | SIZES.get(name, {}), model),
        seed=seed,
        budget=Budget(steps=steps),
        isolation=Isolation.BUBBLEWRAP,
        retest_seeds=0,
        label="local-model",
    )


def print_step(event: Event) -> None:
    if isinstance(event, StepFinished):
        step = event.step
        print(step.index, step.evaluation.outcome, step.score, f"{step.usage.seconds:.0f} s", step.idea, flush=True)


def report(specs: Sequence[RunSpec], dirs: Dirs) -> None:
    made, costs = Table(*COLUMNS), Table("agent", *COSTS)
    for spec in specs:
        folder = RunFolder(dirs.runs / spec.run_id)
        if folder.spec_file.exists():
            steps = read_state(folder).steps
            made.add_row(spec.agent.name, *count_outcomes(folder.path / "calls.jsonl", steps))
            costs.add_row(spec.agent.name, *taken(steps))
    Console(width=160).print(made, costs)


def count_outcomes(log: Path, steps: Sequence[Step]) -> Iterator[str]:
    """How many proposals applied at once, after feedback, or never, and how many ran."""
    proposed = steps[1:]
    answered = [call.key for call in read_calls(log) if call.key and call.is_answered]
    tries = Counter(step for step, _ in {(key.step, key.turn) for key in answered if key.purpose == PROPOSE})
    made = [step for step in proposed if step.evaluation.outcome is not Outcome.REJECTED]
    outcomes = Counter(str(step.evaluation.outcome) for step in proposed)
    yield str(len(proposed))
    yield str(sum(step.evaluation.is_ok for step in proposed))
    yield str(sum(tries[step.index] == 1 for step in made))
    yield str(sum(tries[step.index] > 1 for step in made))
    yield str(len(proposed) - len(made))
    yield ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    scores = [step.score for step in proposed if step.score is not None]
    baseline = next((step.score for step in steps if step.score is not None), 0.0)
    yield f"{max(scores, default=float('nan')):.4f} (baseline {baseline:.4f})"


def taken(steps: Sequence[Step]) -> Iterator[str]:
    usages = [step.usage for step in steps]
    yield str(sum(usage.calls for usage in usages))
    yield str(sum(usage.input_tokens for usage in usages))
    yield str(sum(usage.cached_tokens for usage in usages))
    yield str(sum(usage.output_tokens for usage in usages))
    yield f"{sum(usage.seconds for usage in usages):.0f} s"
    yield f"{sum(step.evaluation.seconds for step in steps):.0f} s"


if __name__ == "__main__":
    main()
