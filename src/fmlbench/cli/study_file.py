"""Write a study file from command-line options."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import BadRequest
from fmlbench.models.connection import resolved_name

_AGENTS = ("greedy",)
_SEEDS = 3
_STEPS = 20


@dataclass(frozen=True)
class StudyRequest:
    """The options of a study; those not given are empty or None."""

    tasks: Sequence[str]
    suite: str
    agents: Sequence[str]
    models: Sequence[str]
    seeds: int | None
    steps: int | None
    hours: float | None
    dollars: float | None
    track: str | None
    smoke: bool = False

    @property
    def is_requested(self) -> bool:
        """Whether a study file is to be written."""
        return bool(self.tasks or self.suite)

    @property
    def given_options(self) -> list[str]:
        """The options given besides --task and --suite."""
        given = {
            "--agent": self.agents or None,
            "--model": self.models or None,
            "--seeds": self.seeds,
            "--steps": self.steps,
            "--hours": self.hours,
            "--dollars": self.dollars,
            "--track": self.track,
            "--smoke": self.smoke or None,
        }
        return [option for option, value in given.items() if value is not None]

    def text(self) -> str:
        """The content of the study file. JSON syntax for strings, numbers and lists of strings is valid TOML."""
        fields = {
            "suite": self.suite,
            "tasks": [_from_anywhere(task) for task in self.tasks],
            "agents": list(self.agents or _AGENTS),
            "models": [resolved_name(model) for model in self.models if model],
            "seeds": self.seeds or _SEEDS,
            "track": self.track or "cpu",
            "smoke": self.smoke,
        }
        budget = {
            "steps": _STEPS if self.steps is None else self.steps,
            "hours": self.hours,
            "dollars": self.dollars,
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items() if value]
        limits = [f"{key} = {json.dumps(value)}" for key, value in budget.items() if value is not None]
        return "\n".join([*lines, "", "[budget]", *limits, ""])


def write_study(path: str, request: StudyRequest) -> None:
    """Write the study file if --task or --suite is given; an existing file must have the same content."""
    if not request.is_requested:
        if request.given_options:
            raise BadRequest(
                f"{request.given_options[0]} needs --task or --suite, which write the study file '{path}'.",
                hint="Edit the file instead, or add --task or --suite and the path of a new file.",
            )
        return
    file = Path(path)
    text = request.text()
    if file.exists() and file.read_text("utf-8") != text:
        raise BadRequest(
            f"'{path}' already exists with different content.",
            hint="Leave out --task, --suite and the options of the study, or give the path of a new file.",
        )
    file.write_text(text, "utf-8")


def _from_anywhere(task: str) -> str:
    return str(Path(task).resolve()) if "/" in task else task
