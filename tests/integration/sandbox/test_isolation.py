"""Without a sealed sandbox, the error says why and how to enable it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fmlbench.core.errors import SandboxMissing
from fmlbench.core.run import Isolation
from fmlbench.sandbox import isolation
from fmlbench.sandbox.isolation import best_isolation, how_to_seal, open_sandbox, why_not_sealed


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    why_not_sealed.cache_clear()
    yield
    why_not_sealed.cache_clear()


def pretend_bubblewrap(monkeypatch: pytest.MonkeyPatch, program: Path | None) -> None:
    monkeypatch.setattr(isolation, "find_bubblewrap", lambda: program)


@pytest.mark.sandbox
def test_bubblewrap_is_used_if_it_works() -> None:
    assert why_not_sealed() is None
    assert best_isolation() is Isolation.BUBBLEWRAP
    assert open_sandbox(Isolation.BUBBLEWRAP).isolation is Isolation.BUBBLEWRAP


def test_the_unsealed_sandbox_works_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_bubblewrap(monkeypatch, None)
    assert best_isolation() is Isolation.NONE
    assert open_sandbox(Isolation.NONE).isolation is Isolation.NONE


@pytest.mark.parametrize(
    ("system", "command"),
    [
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, "sudo apt install bubblewrap"),
        ({"ID": "fedora"}, "sudo dnf install bubblewrap"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "sudo dnf install bubblewrap"),
        ({"ID": "plan9"}, "sudo apt install bubblewrap, or sudo dnf install bubblewrap"),
    ],
)
def test_without_bubblewrap_the_hint_names_the_command(
    monkeypatch: pytest.MonkeyPatch, system: dict[str, str], command: str
) -> None:
    pretend_bubblewrap(monkeypatch, None)
    monkeypatch.setattr(isolation.platform, "freedesktop_os_release", lambda: system)
    with pytest.raises(SandboxMissing, match="bubblewrap is not installed") as caught:
        open_sandbox(Isolation.BUBBLEWRAP)
    assert caught.value.hint == f"Install it: {command}"


def test_reports_that_bubblewrap_may_not_create_namespaces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    pretend_bubblewrap(monkeypatch, program)
    assert why_not_sealed() == "bubblewrap does not work (No permissions to create new namespace)"
    assert "user namespaces" in how_to_seal()
    with pytest.raises(SandboxMissing, match="No permissions"):
        open_sandbox(Isolation.BUBBLEWRAP)
