"""Write a study file from what was typed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import BadRequest
from fmlbench.models.client import resolved_name

_AGENTS = ("greedy",)
_SEEDS = 3
_STEPS = 20


@dataclass(frozen=True)
class StudyRequest:
    """A study in the words of the command line; what was not said is empty or None."""

    tasks: Sequence[str]
    suite: str
    agents: Sequence[str]
    models: Sequence[str]
    seeds: int | None
    steps: int | None
    hours: float | None
    dollars: float | None
    track: str | None

    @property
    def is_made(self) -> bool:
        """Whether a study is to be written at all."""
        return bool(self.tasks or self.suite)

    @property
    def said(self) -> list[str]:
        """The options beside --task and --suite that were given."""
        given = {
            "--agent": self.agents or None,
            "--model": self.models or None,
            "--seeds": self.seeds,
            "--steps": self.steps,
            "--hours": self.hours,
            "--dollars": self.dollars,
            "--track": self.track,
        }
        return [option for option, value in given.items() if value is not None]

    def text(self) -> str:
        """The study file; JSON's strings, numbers and lists of strings are TOML's as well."""
        asked = {
            "suite": self.suite,
            "tasks": [_from_anywhere(task) for task in self.tasks],
            "agents": list(self.agents or _AGENTS),
            "models": [resolved_name(model) for model in self.models if model],
            "seeds": self.seeds or _SEEDS,
            "track": self.track or "cpu",
        }
        budget = {
            "steps": _STEPS if self.steps is None else self.steps,
            "hours": self.hours,
            "dollars": self.dollars,
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in asked.items() if value]
        limits = [f"{key} = {json.dumps(value)}" for key, value in budget.items() if value is not None]
        return "\n".join([*lines, "", "[budget]", *limits, ""])


def write_study(path: str, request: StudyRequest) -> None:
    """Write the study file, if one is asked for; one that is there must say the same."""
    if not request.is_made:
        if request.said:
            raise BadRequest(
                f"{request.said[0]} is for a study that is written, and '{path}' is only read.",
                hint="Change the file, or give --task or --suite and the path of a new file.",
            )
        return
    file = Path(path)
    text = request.text()
    if file.exists() and file.read_text("utf-8") != text:
        raise BadRequest(
            f"'{path}' is there already and says something else.",
            hint="Leave out --task, --suite and what goes with them, or give the path of a new file.",
        )
    file.write_text(text, "utf-8")


def _from_anywhere(task: str) -> str:
    return str(Path(task).resolve()) if "/" in task else task
