# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportArgumentType=false
import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.decomposition import PCA

from fmlbench.metrics import exploration
from fmlbench.metrics.measure import Missing
from tests.unit.metrics.traces import CRASH, trace

SQUARE = trace(0.6, CRASH, 0.6, CRASH, points=[(0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)])


def test_diversity_is_the_mean_distance_to_the_centroid():
    assert exploration.diversity(SQUARE) == pytest.approx(2**0.5)
    # The two steps with a score are (1, 1) and (-1, 1): each is one away from (0, 1).
    assert exploration.diversity_valid(SQUARE) == pytest.approx(1.0)


def test_reach_is_the_distance_of_the_farthest_step_to_the_baseline():
    assert exploration.reach(trace(0.6, 0.6, points=[(1, 1), (1, 2), (4, 5)])) == pytest.approx(5.0)


def test_effective_dimension_counts_directions():
    assert exploration.effective_dimension(SQUARE) == pytest.approx(2.0)
    line = trace(0.6, 0.6, 0.6, points=[(0, 0), (1, 2), (2, 4), (3, 6)])
    assert exploration.effective_dimension(line) == pytest.approx(1.0)


def test_steps_in_the_same_direction_are_one_cluster():
    run = trace(0.6, 0.6, 0.6, 0.6, points=[(0, 0), (1, 0), (2, 0), (0, 1), (0, 3)])
    assert exploration.uniqueness(run) == 2 / 4


def test_steps_without_any_code_are_one_cluster_of_their_own():
    run = trace(0.6, 0.6, 0.6, points=[(0, 0), (0, 0), (0, 0), (1, 0)])
    assert exploration.uniqueness(run) == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(10))
def test_uniqueness_and_dimension_agree_with_scikit_learn(seed: int):
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(30, 6)) * rng.uniform(0.01, 3, size=6) + 2.0
    run = trace(*[0.6] * 30, points=[[0.0] * 6, *cloud.tolist()])
    clustering = AgglomerativeClustering(
        n_clusters=None, metric="cosine", linkage="average", distance_threshold=0.015
    ).fit(cloud)
    variances = PCA().fit(cloud).explained_variance_
    assert exploration.uniqueness(run) == pytest.approx(clustering.n_clusters_ / 30)
    assert exploration.effective_dimension(run) == pytest.approx(variances.sum() ** 2 / (variances**2).sum())


def test_one_step_explored_nothing_but_reached_somewhere():
    run = trace(0.6, points=[(0, 0), (3, 4)])
    assert (exploration.diversity(run), exploration.effective_dimension(run)) == (0.0, 0.0)
    assert (exploration.uniqueness(run), exploration.reach(run)) == (1.0, 5.0)


def test_what_cannot_be_told_says_why():
    assert exploration.diversity(trace(0.6)) == Missing("the code was not embedded")
    assert exploration.reach(trace(points=[(0, 0)])) == Missing("no step was taken")
    assert exploration.diversity_valid(trace(CRASH, points=[(0, 0), (1, 1)])) == Missing("no step has a score")
