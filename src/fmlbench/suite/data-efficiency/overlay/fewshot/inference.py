"""How the trained classifier answers an episode of classes it has never seen."""

import torch


def classify(model, support_vectors, support_labels, query_vectors):
    """Return a class for each query.

    ``support_vectors`` [5, 64] show each class once, ``support_labels`` [5] give its label, ``query_vectors``
    [25, 64] show each class five times in random order.
    """
    model.eval()
    with torch.no_grad():
        model.process_support_set(support_vectors, support_labels)
        return model(query_vectors).argmax(dim=1)
