"""A frozen job does nothing, however many processes it has and starts."""

from fmlbench.sandbox.freeze import Freezer


def test_freezing_an_ended_job_does_nothing():
    with Freezer().frozen():
        pass
