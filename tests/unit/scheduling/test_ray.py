"""What is asked of Ray and handed on to runners; Ray itself is stood in for by an object of its shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fmlbench.scheduling.engines.ray_cluster import RayCluster
from fmlbench.scheduling.study import RayOptions
from tests.handwritten_studies import planned, study


@dataclass
class Cluster:
    """As much of Ray as the engine uses; its tasks never end."""

    cpus: int
    placed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cpus)}

    def remote(self, **_: object) -> Callable[[object], "Cluster"]:
        return lambda _: _Placing(self)  # type: ignore[return-value]

    def wait(self, references: Sequence[object], **_: object) -> tuple[list[object], Sequence[object]]:
        return [], references


@dataclass
class _Placing:
    cluster: Cluster

    def options(self, **wishes: object) -> "_Placing":
        self.cluster.placed.append(wishes)
        return self

    def remote(self, *_: object) -> object:
        return object()


@pytest.mark.parametrize(("cap", "room"), [(None, 4), (3, 3)])
def test_there_is_room_for_as_many_as_there_are_cpus_or_the_study_allows(cap: int | None, room: int):
    assert RayCluster(Cluster(cpus=4), RayOptions(), Path("/cache"), cap).room() == room


def test_a_cluster_that_lost_a_node_has_no_room_until_there_is_some_again(tmp_path: Path):
    ray = Cluster(cpus=4)
    engine = RayCluster(ray, RayOptions(), Path("/cache"), None)
    engine.start(planned(study(seeds=4), tmp_path).runs)
    ray.cpus = 2
    assert engine.room() == 0
    ray.cpus = 5
    assert engine.room() == 1
