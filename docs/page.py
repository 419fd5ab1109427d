"""Format and write generated Markdown pages.

Generators write pages as `mdformat --check` expects them, so `make check` has one format for all pages.
"""

import tomllib
from pathlib import Path

import mdformat

SETTINGS = Path(__file__).parent.parent / ".mdformat.toml"


def format_page(text: str) -> str:
    """The same page, wrapped and aligned by the settings in .mdformat.toml."""
    options = tomllib.loads(SETTINGS.read_text("utf-8"))
    return mdformat.text(text, options=options, extensions=("gfm", "tables"))  # pyright: ignore[reportUnknownMemberType]


def write_page(path: Path, text: str) -> None:
    """Write a page in the format that `make check` demands."""
    path.write_text(format_page(text), "utf-8")
