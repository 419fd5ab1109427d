"""The training data as a data set that spuco's trainers take."""

from torch.utils.data import Dataset

from spuco.utils import convert_labels_to_partition


class Readings(Dataset):
    """Readings with their labels. The data set knows the domain of each; an example does not contain it."""

    def __init__(self, readings, labels, domains):
        self.readings = readings
        self.targets = labels
        self.labels = labels.tolist()
        self.domains = domains.tolist()
        self.num_classes = int(labels.max()) + 1

    def __getitem__(self, item):
        return self.readings[item], self.targets[item]

    def __len__(self):
        return len(self.labels)

    @property
    def group_partition(self):
        """The rows of every (label, domain), as spuco's group-wise methods want them."""
        return convert_labels_to_partition(list(zip(self.labels, self.domains, strict=True)))
