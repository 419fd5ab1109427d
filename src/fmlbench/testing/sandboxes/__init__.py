"""What every sandbox promises, and what a sealed one promises beyond that, as test suites to inherit.

    class TestMySandbox(SealedSandboxContract):
        @pytest.fixture
        def sandbox(self) -> Sandbox:
            return MySandbox()

The sandbox must survive pickling: some tests run it in a process that they kill.
"""

from fmlbench.testing.sandboxes.endings import LeavesNothing
from fmlbench.testing.sandboxes.limits import HoldsLimits
from fmlbench.testing.sandboxes.running import RunsJobs
from fmlbench.testing.sandboxes.sealing import Seals
from fmlbench.testing.sandboxes.waiting import WaitsForItsTurn

__all__ = ["SandboxContract", "SealedSandboxContract"]


class SandboxContract(RunsJobs, HoldsLimits, LeavesNothing, WaitsForItsTurn):
    """What every sandbox promises."""


class SealedSandboxContract(SandboxContract, Seals):
    """What a sealed sandbox promises."""
