"""How the classifier answers an episode of classes it has never seen."""

import torch


def classify(model, support_features, support_labels, query_features):
    """Return a class for each query.

    ``support_features`` [5, 640] show each class once, ``support_labels`` [5] name it, ``query_features`` [75, 640]
    show each class fifteen times in any order.
    """
    model.eval()
    with torch.no_grad():
        model.process_support_set(support_features, support_labels)
        return model(query_features).argmax(dim=1)
