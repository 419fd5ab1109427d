"""The visible pictures as a data set that spuco's trainers take."""

from torch.utils.data import Dataset

from spuco.utils import convert_labels_to_partition


class Pictures(Dataset):
    """Pictures with their labels; their domains are known to the data set, and no part of an example."""

    def __init__(self, images, labels, domains):
        self.images = images
        self.targets = labels
        self.labels = labels.tolist()
        self.domains = domains.tolist()
        self.num_classes = int(labels.max()) + 1

    def __getitem__(self, item):
        return self.images[item], self.targets[item]

    def __len__(self):
        return len(self.labels)

    @property
    def group_partition(self):
        """The rows of every (label, domain), as spuco's group-wise methods want them."""
        return convert_labels_to_partition(list(zip(self.labels, self.domains, strict=True)))
