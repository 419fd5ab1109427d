"""Prototypes that move to where the queries are: soft k-means from the support set, with balanced assignments."""

import torch
from easyfsl.methods import FewShotClassifier
from torch import nn


class Committee(nn.Module):
    """Several backbones whose unit features stand side by side."""

    def __init__(self, members):
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, vectors):
        return torch.cat([nn.functional.normalize(member(vectors), dim=1) for member in self.members], dim=1)


class SoftKMeans(FewShotClassifier):
    """Start from the support set's prototypes and refine them with softly assigned queries.

    Ren et al. (2018), "Meta-learning for semi-supervised few-shot classification", refine prototypes by soft
    k-means; Hu et al. (2021), "Leveraging the feature distribution in transfer-based few-shot learning", balance
    the assignments with Sinkhorn's algorithm, since every class is equally frequent among the queries.
    """

    def __init__(self, backbone, temperature=10.0, iterations=5, balancing_rounds=10):
        super().__init__(backbone, feature_normalization=2.0)
        self.temperature = temperature
        self.iterations = iterations
        self.balancing_rounds = balancing_rounds

    def forward(self, query_images):
        """Return the assignment of queries to classes after the last refinement."""
        queries = self.compute_features(query_images)
        support = self.prototypes
        for _ in range(self.iterations):
            assignment = self.assign(queries)
            weights = 1 + assignment.sum(0).unsqueeze(1)
            self.prototypes = (support + assignment.T @ queries) / weights
        return self.assign(queries)

    def assign(self, queries):
        """Soft assignments whose rows sum to one and whose columns are about equal."""
        scores = self.temperature * self.cosine_distance_to_prototypes(queries)
        for _ in range(self.balancing_rounds):
            scores = scores - scores.logsumexp(dim=0, keepdim=True)
            scores = scores - scores.logsumexp(dim=1, keepdim=True)
        return scores.exp()

    @staticmethod
    def is_transductive():
        return True
