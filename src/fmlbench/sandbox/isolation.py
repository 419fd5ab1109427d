"""Which isolation levels this machine supports, and how to enable the sealed one."""

import platform
import subprocess
from functools import lru_cache
from pathlib import Path

from fmlbench.core.errors import SandboxMissing
from fmlbench.core.run import Isolation
from fmlbench.sandbox.bubblewrap import Bubblewrap, find_bubblewrap, namespace_options
from fmlbench.sandbox.cgroups import remove_stale
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.sandbox.system_mounts import proc_guards, system_mounts
from fmlbench.sandbox.unsealed import Unsealed

_PROBE_SECONDS = 60
_INSTALL = {
    "debian": "sudo apt install",
    "fedora": "sudo dnf install",
    "rhel": "sudo dnf install",
    "arch": "sudo pacman -S",
    "suse": "sudo zypper install",
    "alpine": "sudo apk add",
}
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


def open_sandbox(isolation: Isolation) -> Sandbox:
    """Return the sandbox of an isolation level, and remove the cgroups of killed harness processes."""
    remove_stale()
    if isolation is Isolation.NONE:
        return Unsealed()
    program = find_bubblewrap()
    problem = why_not_sealed()
    if program is None or problem:
        raise SandboxMissing(f"The sealed sandbox does not work on this machine: {problem}.", hint=how_to_seal())
    return Bubblewrap(program)


def best_isolation() -> Isolation:
    """The best isolation level that this machine supports."""
    return Isolation.NONE if why_not_sealed() else Isolation.BUBBLEWRAP


@lru_cache(maxsize=1)
def why_not_sealed() -> str | None:
    """Why the sealed sandbox does not work, tested by starting it; None if it works."""
    if platform.system() != "Linux":
        return "bubblewrap needs Linux"
    program = find_bubblewrap()
    if program is None:
        return "bubblewrap is not installed"
    options = [*namespace_options(program), *system_mounts(), "--proc", "/proc", *proc_guards(), "--dev", "/dev"]
    try:
        probe = subprocess.run(
            [program, *options, "/bin/sh", "-c", "exit 0"],
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
            check=False,
            env={},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work ({error})"
    if probe.returncode == 0:
        return None
    lines = probe.stderr.strip().splitlines() or [f"exit code {probe.returncode}"]
    return f"bubblewrap does not work ({lines[-1].removeprefix('bwrap: ')})"


def how_to_seal() -> str:
    """The command or setting that enables the sealed sandbox on this machine."""
    if platform.system() != "Linux":
        return "Use a Linux machine, or pass --unsealed: the run is then marked as unsealed."
    if find_bubblewrap() is None:
        return f"Install it: {install_command('bubblewrap')}"
    if _APPARMOR.exists() and _APPARMOR.read_text().strip() == "1":
        return "Allow user namespaces: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    return "Allow user namespaces: sudo sysctl -w user.max_user_namespaces=10000; in a container, run it privileged."


def install_command(package: str) -> str:
    """The command that installs a package of this machine's distribution."""
    try:
        facts = platform.freedesktop_os_release()
    except OSError:
        facts = {}
    names = [facts.get("ID", ""), *facts.get("ID_LIKE", "").split()]
    known = [f"{_INSTALL[name]} {package}" for name in names if name in _INSTALL]
    return known[0] if known else f"sudo apt install {package}, or sudo dnf install {package}"
