"""Sanitise untrusted text from candidates and agents before it is shown.

Ideas and log lines may contain terminal escape sequences (cursor, colours, window title) and invisible or
bidirectional characters. All of them are removed.
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
    """The text without invisible characters; line breaks and tabs are kept."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = _LINE_BREAK.sub("\n", _ESCAPE_SEQUENCE.sub("", text))
    return "".join(letter for letter in text if letter in "\n\t" or not _is_invisible(letter))


def one_line(text: str, width: int | None = None) -> str:
    """The text on one line, truncated to a width."""
    line = " ".join(clean(text).split())
    return line if width is None or len(line) <= width else f"{line[: width - 1].rstrip()}…"


def _is_invisible(letter: str) -> bool:
    """Control and format characters (including those that change the writing direction), and lone surrogates."""
    return unicodedata.category(letter).startswith("C")
