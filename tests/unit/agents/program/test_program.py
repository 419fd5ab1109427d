"""What a user's own program may see of this machine."""

from pathlib import Path

import pytest

from fmlbench.agents.program.program import command_program, require_visible
from fmlbench.core.errors import BadRequest
from fmlbench.sandbox.protocol import Mount


def test_folders_are_seen_at_their_own_paths():
    home = Path.home()
    assert command_program("run", str(home)).mounts == (Mount(home, str(home).lstrip("/")),)
    assert command_program("run", "").mounts == ()


@pytest.mark.parametrize("see", ["relative", "/no/such/folder", "/", "/usr/bin", "/tmp"])
def test_what_cannot_be_shown_is_refused_before_anything_runs(see: str):
    with pytest.raises(BadRequest):
        command_program("run", see)


def test_a_command_that_lies_where_it_is_not_seen_is_refused_before_anything_runs(tmp_path: Path):
    script = tmp_path / "agent.sh"
    script.write_text("true")
    with pytest.raises(BadRequest, match=r"'.*/agent\.sh' is not visible in the agent's sandbox") as caught:
        require_visible(command_program(f"{script} --fast", ""))
    assert caught.value.hint.endswith(f"--set see={tmp_path}")


@pytest.mark.parametrize("command", ["", "my-agent", "/usr/bin/env my-agent", "/no/such/file", "echo 'a"])
def test_of_other_commands_nothing_is_said(command: str):
    require_visible(command_program(command, ""))


def test_a_command_in_a_folder_that_is_shown_is_seen():
    file = Path(__file__)
    require_visible(command_program(f"{file} x", str(file.parent.parent)))
