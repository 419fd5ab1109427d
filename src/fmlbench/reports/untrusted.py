"""Make text that candidates and agents wrote fit to be shown.

An idea or a log line may hold escape sequences that move the cursor, recolour the screen or retitle the window, and
invisible characters that make a line read differently from what it says. None of that reaches a terminal.
"""

import re
import unicodedata

_ESCAPE_SEQUENCE = re.compile(
    r"""
      (?:\x1b\[|\x9b) [0-?]* [ -/]* [@-~]                   # control sequences: colours, cursor
    | (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]) [^\x07\x1b\x9c\n]* (?:\x07|\x1b\\|\x9c)?   # strings: titles, links
    | \x1b [ -/]* [0-~]                                     # two-character escapes
    """,
    re.VERBOSE,
)
_LINE_BREAK = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")


def clean(text: str) -> str:
    """The text with its lines and tabs, without anything that is not visible."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = _LINE_BREAK.sub("\n", _ESCAPE_SEQUENCE.sub("", text))
    return "".join(letter for letter in text if letter in "\n\t" or not _is_invisible(letter))


def one_line(text: str, width: int | None = None) -> str:
    """The text on one line, cut to a width."""
    line = " ".join(clean(text).split())
    return line if width is None or len(line) <= width else f"{line[: width - 1].rstrip()}…"


def _is_invisible(letter: str) -> bool:
    """Control and format characters (among them those that turn the writing direction), and half surrogates."""
    return unicodedata.category(letter).startswith("C")
