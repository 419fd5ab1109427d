"""How a trained classifier decides."""

from odds.keeping import take_up


def decide(kept, dataset):
    """Return the label, 0 or 1, of each row of a BinaryLabelDataset whose own labels are all 0 and mean nothing."""
    with take_up(kept) as debiasing:
        return debiasing.predict(dataset).labels
