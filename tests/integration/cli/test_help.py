"""Help comes at once, and says what a choice means."""

import subprocess
import sys

HEAVY = (
    "pydantic",
    "numpy",
    "scipy",
    "libcst",
    "rich",
    "fmlbench.engine",
    "fmlbench.sandbox",
    "fmlbench.experiment",
    "fmlbench.agents",
)


def test_help_loads_none_of_the_heavy_parts():
    program = (
        "import sys\n"
        "from fmlbench.cli.app import run_cli\n"
        "assert run_cli(['--help']) == 0\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(f'help loads {loaded}' if loaded else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_imports_no_other_command():
    program = (
        "import sys\n"
        "from fmlbench.cli.app import run_cli\n"
        "assert run_cli(['agents', '--help']) == 0\n"
        "loaded = [name for name in ('run', 'sweep', 'tasks') if f'fmlbench.cli.{name}' in sys.modules]\n"
        "sys.exit(f'agents loads {loaded}' if loaded else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
