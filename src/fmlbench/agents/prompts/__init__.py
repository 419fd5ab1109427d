"""Templates of the prompts for language models; a run's record contains their digest."""

import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(name: str, **values: object) -> str:
    """Fill in a template; a value that is missing is an error."""
    return _environment().get_template(f"{name}.md").render(**values)


def digest() -> str:
    """A digest of all templates: equal for equal prompts."""
    texts = sorted((path.name, path.read_bytes()) for path in files(__name__).iterdir() if path.name.endswith(".md"))
    return hashlib.sha256(repr(texts).encode()).hexdigest()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__name__, "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - no web page: prompts are plain text
    )
