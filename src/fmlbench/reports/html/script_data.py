"""Escape and truncate text for the page's script data."""

import json

_HTML_LETTERS = "<>&\u2028\u2029"


def to_json(value: object) -> str:
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
    written = len(to_json(text).encode("utf-8"))
    return len(text) if written <= room else len(text) * room // written
