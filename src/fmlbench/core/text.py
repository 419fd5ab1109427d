"""Small text functions that many packages use."""


def to_valid_utf8(text: str) -> str:
    """The text without lone surrogates: models and JSON can contain them, UTF-8 files cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 step, 2 steps."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
