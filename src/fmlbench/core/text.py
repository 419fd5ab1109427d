"""Text for tables, reports and prompts: valid UTF-8, counts and scores."""


def to_valid_utf8(text: str) -> str:
    """The text without lone surrogates: models and JSON can contain them, UTF-8 files cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 step, 2 steps."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def score_text(score: float | None) -> str:
    """A score with four decimals, or four significant digits if it is very small or large; a dash for None."""
    return "-" if score is None else format(score, form_of(score))


def form_of(*figures: float, signed: bool = False) -> str:
    """The format specification that suits the largest of these figures."""
    largest = max(abs(figure) for figure in figures)
    return ("+" if signed else "") + (".4f" if largest == 0 or 0.001 <= largest < 1000 else ".4g")
