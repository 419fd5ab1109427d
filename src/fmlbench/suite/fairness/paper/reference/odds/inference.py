"""How a trained classifier decides: by the threshold of a row's group."""

import numpy as np

from odds.keeping import take_up


def decide(model, dataset):
    """Return the label, 0 or 1, of each row of a BinaryLabelDataset."""
    kept, thresholds = model
    with take_up(kept) as classifier:
        scores = classifier.predict(dataset).scores[:, 0]
    is_favorable = scores >= thresholds[dataset.protected_attributes[:, 0].astype(int)]
    return np.where(is_favorable, dataset.favorable_label, dataset.unfavorable_label)
