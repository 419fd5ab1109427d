"""Episodic training of Prototypical Networks, after easyfsl's tutorial on episodic training."""

from torch import nn, optim
from torch.utils.data import DataLoader

from easyfsl.datasets import FewShotDataset
from easyfsl.methods import PrototypicalNetworks
from easyfsl.samplers import TaskSampler
from fewshot.backbone import build_backbone

EPISODES = 600
WAY = 30
SHOT = 1
QUERIES = 2
SCALE = 10.0
LEARNING_RATE = 0.003
WEIGHT_DECAY = 1e-4


class Drawings(FewShotDataset):
    """The visible vectors with their classes."""

    def __init__(self, vectors, labels):
        self.vectors = vectors
        self.labels = labels.tolist()

    def __getitem__(self, item):
        return self.vectors[item], self.labels[item]

    def __len__(self):
        return len(self.labels)

    def get_labels(self):
        return self.labels


def train(vectors, labels):
    """Return a few-shot classifier trained on [n, size] vectors and their [n] classes."""
    model = PrototypicalNetworks(build_backbone(vectors.shape[1]), feature_normalization=2.0)
    optimizer = optim.Adam(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPISODES)
    model.train()
    for episode, (support, support_labels, queries, query_labels, _) in enumerate(episodes(vectors, labels)):
        model.process_support_set(support, support_labels)
        loss = nn.functional.cross_entropy(SCALE * model(queries), query_labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if episode % 100 == 99:
            print(f"episode {episode + 1}: loss {loss.item():.3f}", flush=True)
    return model


def episodes(vectors, labels):
    """Sample few-shot episodes from the visible classes."""
    dataset = Drawings(vectors, labels)
    queries = min(QUERIES, int(labels.bincount().min()) - SHOT)
    sampler = TaskSampler(dataset, n_way=WAY, n_shot=SHOT, n_query=queries, n_tasks=EPISODES)
    return DataLoader(dataset, batch_sampler=sampler, collate_fn=sampler.episodic_collate_fn)
