"""Episodic training of Prototypical Networks, after easyfsl's tutorial on episodic training."""

from torch import nn, optim
from torch.utils.data import DataLoader

from easyfsl.datasets import FewShotDataset
from easyfsl.methods import PrototypicalNetworks
from easyfsl.samplers import TaskSampler
from fewshot.backbone import build_backbone

EPISODES = 200
WAY = 30
SHOT = 1
QUERIES = 2
LEARNING_RATE = 0.01
WEIGHT_DECAY = 1e-4


class Drawings(FewShotDataset):
    """The visible drawings with their classes."""

    def __init__(self, images, labels):
        self.images = images
        self.labels = labels.tolist()

    def __getitem__(self, item):
        return self.images[item], self.labels[item]

    def __len__(self):
        return len(self.labels)

    def get_labels(self):
        return self.labels


def train(images, labels):
    """Return a few-shot classifier trained on [n, 1, 28, 28] drawings in [0, 1] and their [n] classes."""
    model = PrototypicalNetworks(build_backbone())
    optimizer = optim.Adam(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPISODES)
    model.train()
    for episode, (support_images, support_labels, query_images, query_labels, _) in enumerate(episodes(images, labels)):
        model.process_support_set(support_images, support_labels)
        loss = nn.functional.cross_entropy(model(query_images), query_labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if episode % 50 == 49:
            print(f"episode {episode + 1}: loss {loss.item():.3f}", flush=True)
    return model


def episodes(images, labels):
    """Sample few-shot episodes from the visible classes."""
    dataset = Drawings(images, labels)
    sampler = TaskSampler(dataset, n_way=WAY, n_shot=SHOT, n_query=QUERIES, n_tasks=EPISODES)
    return DataLoader(dataset, batch_sampler=sampler, collate_fn=sampler.episodic_collate_fn)
