"""Words and text that are written down in many places."""


def to_valid_utf8(text: str) -> str:
    """The text without halves of characters: models and JSON can spell them, no file can hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def counted(number: int, noun: str) -> str:
    """So many of something: 1 step, 2 steps."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
