"""Text as it stands in the page's script data, and how much of it there is room for."""

import json

_HTML_LETTERS = "<>&\u2028\u2029"


def to_json(value: object) -> str:
    """JSON none of whose letters HTML takes for its own, so that nothing in it can end the element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for letter in _HTML_LETTERS:
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def head_of(text: str, room: int) -> str:
    """The beginning of a text, about as long as there is room for when it is written."""
    return text[: _letters(text, room)]


def tail_of(text: str, room: int) -> str:
    """The end of a text, the same."""
    return text[len(text) - _letters(text, room) :]


def _letters(text: str, room: int) -> int:
    """How many letters of a text fit into so many bytes, as long as they are much like each other."""
    # A letter takes six bytes at most, as \u003c does.
    if len(text) * 6 <= room:
        return len(text)
    written = len(to_json(text).encode("utf-8"))
    return len(text) if written <= room else len(text) * room // written
