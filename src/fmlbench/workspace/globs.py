"""Match paths with globs.

Paths are relative and use ``/``. ``**`` as a complete part matches any number of folders, including none; ``*`` and
``?`` match within one part. A glob that ends in ``**`` matches every file below. No other character is special.
"""

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether any of the globs matches this path."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    *folders, last = glob.split("/")
    pattern = "".join("(?:[^/]+/)*" if part == "**" else f"{_part(part)}/" for part in folders)
    return re.compile(pattern + ("(?:[^/]+/)*[^/]+" if last == "**" else _part(last)))


def _part(part: str) -> str:
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(letter) or re.escape(letter) for letter in part)
