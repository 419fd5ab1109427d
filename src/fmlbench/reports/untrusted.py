"""Sanitise untrusted text from candidates and agents before it is shown, in terminals and in the page's script data.

Ideas and log lines may contain terminal escape sequences (cursor, colours, window title) and invisible or
bidirectional characters. All of them are removed.
"""

import json
import re
import unicodedata

from pydantic_core import to_jsonable_python

_ESCAPE_SEQUENCE = re.compile(
    r"""
      (?:\x1b\[|\x9b) [0-?]* [ -/]* [@-~]                   # control sequences: colours, cursor
    | (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]) [^\x07\x1b\x9c\n]* (?:\x07|\x1b\\|\x9c)?   # strings: titles, links
    | \x1b [ -/]* [0-~]                                     # two-character escapes
    """,
    re.VERBOSE,
)
_LINE_BREAK = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_HTML_LETTERS = "<>&\u2028\u2029"


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


def to_json(value: object) -> str:
    """Serialise records, dataclasses and paths as ASCII JSON; NaN becomes null."""
    return json.dumps(to_jsonable_python(value, inf_nan_mode="null"), indent=2, allow_nan=False)


def to_script_json(value: object) -> str:
    """JSON with HTML special characters escaped, so that no value can close the script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for letter in _HTML_LETTERS:
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def head_of(text: str, room: int) -> str:
    """The beginning of a text, truncated to about ``room`` encoded bytes."""
    return text[: _letters(text, room)]


def tail_of(text: str, room: int) -> str:
    """The end of a text, truncated to about ``room`` encoded bytes."""
    return text[len(text) - _letters(text, room) :]


def _letters(text: str, room: int) -> int:
    """The number of characters that fit into ``room`` bytes, estimated from the mean size of a character."""
    # A character takes at most six bytes, as \u003c does.
    if len(text) * 6 <= room:
        return len(text)
    written = len(to_script_json(text).encode("utf-8"))
    return len(text) if written <= room else len(text) * room // written
