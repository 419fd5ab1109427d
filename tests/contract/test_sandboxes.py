"""Both sandboxes keep their promises, with control groups and without, as root and as an ordinary user."""

import pytest

from fmlbench.sandbox.bubblewrap import Bubblewrap, find_bubblewrap
from fmlbench.sandbox.cgroups import usable_parents
from fmlbench.sandbox.isolation import Unsealed
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.testing.sandboxes import SandboxContract, SealedSandboxContract


def bubblewrap(*, use_cgroups: bool) -> Sandbox:
    program = find_bubblewrap()
    assert program, "these tests need bubblewrap"
    return Bubblewrap(program, use_cgroups=use_cgroups)


needs_cgroups = pytest.mark.skipif(usable_parents() is None, reason="this user may not make control groups")


@pytest.mark.sandbox
@needs_cgroups
class TestBubblewrap(SealedSandboxContract):
    @pytest.fixture
    def sandbox(self) -> Sandbox:
        return bubblewrap(use_cgroups=True)


@pytest.mark.sandbox
class TestBubblewrapWithoutControlGroups(SealedSandboxContract):
    @pytest.fixture
    def sandbox(self) -> Sandbox:
        return bubblewrap(use_cgroups=False)


@needs_cgroups
class TestUnsealed(SandboxContract):
    @pytest.fixture
    def sandbox(self) -> Sandbox:
        return Unsealed()


class TestUnsealedWithoutControlGroups(SandboxContract):
    @pytest.fixture
    def sandbox(self) -> Sandbox:
        return Unsealed(use_cgroups=False)
