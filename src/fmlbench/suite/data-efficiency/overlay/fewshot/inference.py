"""How the trained classifier answers an episode of classes it has never seen."""

import torch


def classify(model, support_images, support_labels, query_images):
    """Return a class for each query drawing.

    ``support_images`` [5, 1, 28, 28] show each class once, ``support_labels`` [5] name it, ``query_images``
    [25, 1, 28, 28] show each class five times in any order.
    """
    model.eval()
    with torch.no_grad():
        model.process_support_set(support_images, support_labels)
        return model(query_images).argmax(dim=1)
