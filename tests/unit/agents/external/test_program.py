"""What a user's own program may see of this machine."""

from pathlib import Path

import pytest

from fmlbench.agents.external.program import command_program
from fmlbench.core.errors import BadRequest
from fmlbench.execution.sandbox import Mount


def test_folders_are_seen_at_their_own_paths():
    home = Path.home()
    assert command_program("run", str(home)).mounts == (Mount(home, str(home).lstrip("/")),)
    assert command_program("run", "").mounts == ()


@pytest.mark.parametrize("see", ["relative", "/no/such/folder", "/", "/usr/bin", "/tmp"])
def test_what_cannot_be_shown_is_refused_before_anything_runs(see: str):
    with pytest.raises(BadRequest):
        command_program("run", see)
