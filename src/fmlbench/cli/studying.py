"""Write a study file from what was typed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import BadRequest


@dataclass(frozen=True)
class StudyRequest:
    """A study in the words of the command line."""

    tasks: Sequence[str]
    suite: str
    agents: Sequence[str]
    models: Sequence[str]
    seeds: int
    steps: int
    track: str

    def text(self) -> str:
        """The study file; JSON's strings and lists of strings are TOML's as well."""
        asked = {
            "suite": self.suite,
            "tasks": [_from_anywhere(task) for task in self.tasks],
            "agents": list(self.agents),
            "models": [model for model in self.models if model],
            "seeds": self.seeds,
            "track": self.track,
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in asked.items() if value]
        return "\n".join([*lines, "", "[budget]", f"steps = {self.steps}", ""])


def write_study(path: str, request: StudyRequest) -> None:
    """Write the study file; one that is there must say the same."""
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
