"""How scores are written, wherever somebody reads them."""


def score_text(score: float | None) -> str:
    """A score with four decimals, or with four digits where decimals would not do; a dash for none."""
    return "-" if score is None else format(score, form_of(score))


def form_of(*figures: float, signed: bool = False) -> str:
    """The format that suits the largest of some figures."""
    largest = max(abs(figure) for figure in figures)
    return ("+" if signed else "") + (".4f" if largest == 0 or 0.001 <= largest < 1000 else ".4g")
