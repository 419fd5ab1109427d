r"""Models that need no key: one answers from a script, another changes random numbers in the code.

A script is a JSON list with one entry for each step: the answer, or the list of answers for the first and later
attempts. After the last entry it starts again.

    ["IDEA: wider\n\nmodel.py\n<<<<<<< SEARCH\n...", ["a first try that will not apply", "a second one"]]
"""

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import TypeAdapter, ValidationError

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.chat import Reply, Request, Tokens, estimate_tokens

TINKER = "tinker"

Script = tuple[str | tuple[str, ...], ...]

_FILE = re.compile(r"^#+ (?P<path>\S+\.py)\n+(?P<fence>`{3,})\w*\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d+|[1-9]\d*)(?![\w.])")
_FACTORS = (0.5, 0.8, 1.25, 2.0)


def read_script(path: Path) -> Script:
    """Read a script from a JSON file."""
    try:
        script = TypeAdapter(Script).validate_json(path.read_bytes())
    except OSError as error:
        raise ModelUnavailable(
            f"The script '{path}' cannot be read: {error.strerror}.",
            hint=f"Write scripted/ and the path of a JSON file, or scripted/{TINKER}.",
        ) from error
    except ValidationError as error:
        raise ModelUnavailable(
            f"The script '{path}' {_problem(error)}.",
            hint="A script is a JSON list of answers, or of lists of answers.",
        ) from error
    if not script or not all(script):
        raise ModelUnavailable(
            f"The script '{path}' has a step without answers.", hint="Write an answer for each step."
        )
    return script


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return f"is not valid JSON: {first['msg'].removeprefix('Invalid JSON: ')}"
    if not first["loc"]:
        return "is not a list"
    return f"has an invalid answer in entry {int(first['loc'][0]) + 1}"


@dataclass(frozen=True)
class ScriptedModel:
    """Answers with the script's text for the step and the attempt."""

    name: str
    script: Script

    def complete(self, request: Request) -> Reply:
        """Answer from the script."""
        place = request.place
        answers = self.script[(place.step - 1) % len(self.script)]
        tries = (answers,) if isinstance(answers, str) else answers
        return _reply(tries[min(place.turn, len(tries) - 1)], request)


@dataclass(frozen=True)
class TinkerModel:
    """Changes one number in one of the shown files; the request and its key determine which one."""

    name: str

    def complete(self, request: Request) -> Reply:
        """Answer with a replacement of one line."""
        rng = Random(f"{request.place.step}/{request.place.turn}/{request.digest}")  # noqa: S311 - not a secret
        files = [(found["path"], found["text"]) for found in _FILE.finditer(request.messages[0].text)]
        lines = [
            (path, line, number)
            for path, text in files
            for line in text.splitlines()
            if text.splitlines().count(line) == 1
            for number in _NUMBER.finditer(line)
        ]
        if not lines:
            return _reply("There is no number to change.", request)
        path, line, number = rng.choice(lines)
        fresh = _changed(number[0], rng.choice(_FACTORS))
        changed = line[: number.start()] + fresh + line[number.end() :]
        idea = f"IDEA: {number[0]} becomes {fresh} in '{line.strip()}'"
        block = f"<<<<<<< SEARCH\n{line}\n=======\n{changed}\n>>>>>>> REPLACE"
        return _reply(f"{idea}\n\n{path}\n{block}\n", request)


def _changed(number: str, factor: float) -> str:
    if "." in number:
        return f"{float(number) * factor:.6g}"
    whole = int(number)
    fresh = round(whole * factor)
    if fresh == whole:
        fresh += 1 if factor > 1 else -1
    return str(fresh if fresh > 0 else whole + 1)


def _reply(text: str, request: Request) -> Reply:
    tokens = Tokens(input=estimate_tokens(request.size_bytes), output=estimate_tokens(len(text.encode())))
    return Reply(text=text, tokens=tokens, served_by="script")
