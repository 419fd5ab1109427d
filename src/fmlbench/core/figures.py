"""The number format of scores in tables, reports and prompts."""


def score_text(score: float | None) -> str:
    """A score with four decimals, or four significant digits if it is very small or large; a dash for None."""
    return "-" if score is None else format(score, form_of(score))


def form_of(*figures: float, signed: bool = False) -> str:
    """The format specification that suits the largest of these figures."""
    largest = max(abs(figure) for figure in figures)
    return ("+" if signed else "") + (".4f" if largest == 0 or 0.001 <= largest < 1000 else ".4g")
