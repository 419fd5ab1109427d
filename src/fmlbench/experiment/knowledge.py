"""Build a knowledge attack: its program reads all splits and labels and writes a proposal.

    ROOT/
      stage.json       seed, settings, effort, budget_bytes
      attack/build.py  the program
      recipe/          the task's dataset builder, to simulate samples
      repo/            the untouched repository
      pools/           every split, with labels
      kit/             information.py, which measures the information that a proposal adds
      out/             the proposal's files, as in the repository

The program cannot read the machine's secret. Its seed is fixed, so an attack is the same on every machine.
"""

import json
from importlib import resources
from pathlib import Path

from fmlbench.core.errors import TaskInvalid
from fmlbench.core.task import KnowledgeAttack, Limits
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.protocol import ExitKind, Job, Mount, mounts_of
from fmlbench.workspace.files import scratch_beside

_SEED = 20261117
_INFORMATION = Path(str(resources.files("fmlbench.workspace") / "information.py"))
_LIMITS = Limits(
    cpu_seconds=7200, wall_seconds=6 * 3600, memory_mb=8192, disk_mb=1024, files=1000, processes=64, scratch_mb=1024
)


def build_attack(prepared: PreparedTask, attack: KnowledgeAttack, effort: float, beside: Path) -> dict[str, str]:
    """The files that an attack's program writes, by path in the repository."""
    with scratch_beside(beside) as scratch:
        out = scratch / "out"
        out.mkdir()
        facts = {
            "seed": _SEED,
            "settings": prepared.track.settings,
            "effort": effort,
            "budget_bytes": prepared.task.editable.information_bytes,
        }
        (scratch / "stage.json").write_text(json.dumps(facts), "utf-8")
        execution = prepared.sandbox.run(_job(prepared, attack, scratch))
        if execution.ending is not ExitKind.OK:
            raise TaskInvalid(
                f"The attack '{attack.folder}' of '{prepared.task.name}' cannot be built: {execution.reason}.",
                hint=f"The end of its log: {execution.log_tail.strip()[-600:] or 'empty'}",
            )
        written = sorted(path for path in out.rglob("*") if path.is_file())
        return {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in written}


def _job(prepared: PreparedTask, attack: KnowledgeAttack, scratch: Path) -> Job:
    return Job(
        name=f"{prepared.task.name}-{attack.folder.replace('/', '-')}-{scratch.name}",
        python=prepared.python,
        script="attack/build.py",
        mounts=(
            Mount(prepared.folder.path / attack.folder, "attack"),
            *mounts_of(prepared.folder.recipe, "recipe"),
            Mount(prepared.codebase, "repo"),
            Mount(prepared.splits, "pools"),
            Mount(_INFORMATION, "kit/information.py"),
            Mount(scratch / "stage.json", "stage.json"),
            Mount(scratch / "out", "out", writable=True),
        ),
        limits=_LIMITS,
        log=scratch / "build.log",
    )
