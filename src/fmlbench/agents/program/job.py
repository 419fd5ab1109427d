"""The files and the sandbox job of an agent that is a program.

RUN/agent/
  work/       a writable copy of the repository; kept when the run is interrupted
  home/       the program's home folder, new at every start
  tools/      fml, and the task's Python
  info/       the brief and the prompt
  server/     the socket of the submission server, which fml uses
  model/      the socket of the model proxy
  log.txt     output since the last start; output of earlier starts is in log.1.txt, log.2.txt and so on
"""

import json
import os
import shlex
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import count
from pathlib import Path

from fmlbench.agents.brief_page import brief_page
from fmlbench.agents.entry import AgentWorkspace
from fmlbench.agents.program.program import LAB, Program
from fmlbench.agents.program.text import caps_of
from fmlbench.core.agents import Brief, Session
from fmlbench.core.task import Limits
from fmlbench.models.meter import Caps
from fmlbench.models.proxy.access import ModelAccess
from fmlbench.sandbox.protocol import Job, Mount, TaskPython
from fmlbench.workspace import trees
from fmlbench.workspace.files import remove_folder, replace_folder, scratch_beside

PROMPT = """\
You are a machine-learning researcher. The current folder contains the repository of a research codebase. Improve its
method on the task below. {budget} Only the program `fml` scores your code:

{usage}
Work in small steps: change the code, run `fml submit -m "the idea in one sentence"`, look at the score, and continue
from the best step (`fml checkout STEP` restores its files). You only see validation scores. When you stop, the best
step is scored on a hidden test set. The training data is in {lab}/data. The program that runs your code is in
{lab}/task. `python` has the packages that the task needs. {network}

{brief}"""


_LISTED_BYTES = 60_000
"""Limit of the file list in a prompt: some programs get the prompt as an argument, which may have 128 kB."""

_MEMORY_MB, _DISK_MB, _FILES, _PROCESSES, _SCRATCH_MB = 8192, 8192, 200_000, 1024, 2048


@dataclass(frozen=True)
class Left:
    """The remaining budget of a run when its agent starts."""

    hours: float
    steps: int
    caps: Caps = field(default_factory=Caps)


def build_job(
    program: Program, workspace: AgentWorkspace, session: Session, left: Left, model: ModelAccess | None = None
) -> Job:
    """Create the program's files and the job that runs it."""
    folder = workspace.folder
    lay_out(workspace, session, left)
    # An earlier start of the program may have put links into its home, so the folder is recreated before we write.
    remove_folder(folder / "home")
    (folder / "home").mkdir()
    program.write_home(folder / "home")
    environment = {
        "HOME": "{lab}/home",
        "PATH": ":".join(("{lab}/tools", *program.path, "/usr/bin", "/bin")),
        "FML_LAB": "{lab}",
        "FML_PROMPT_FILE": "{lab}/info/prompt.md",
        "TERM": "dumb",
        **(model.environment if model else {}),
        **program.environment,
    }
    facts = {"command": program.command, "environment": environment, "has_model": model is not None}
    (folder / "launch.json").write_text(json.dumps(facts), "utf-8")
    seconds = left.hours * 3600
    _keep_log(folder / "log.txt")
    return Job(
        name=f"{workspace.run_id}-agent",
        python=workspace.python,
        script=f"{LAB}/inside/launch.py",
        mounts=(
            Mount(inside(), f"{LAB}/inside"),
            Mount(workspace.codebase, f"{LAB}/repository"),
            Mount(folder / "launch.json", f"{LAB}/launch.json"),
            *(
                Mount(folder / name, f"{LAB}/{name}")
                for name in ("tools", "info", "server", *(["model"] if model else []))
            ),
            *(Mount(folder / name, f"{LAB}/{name}", writable=True) for name in ("work", "home")),
            *(replace(mount, target=f"{LAB}/{mount.target}") for mount in workspace.visible),
            *program.mounts,
        ),
        limits=Limits(
            cpu_seconds=seconds * (os.cpu_count() or 1),
            wall_seconds=seconds,
            memory_mb=_MEMORY_MB,
            disk_mb=_DISK_MB,
            files=_FILES,
            processes=_PROCESSES,
            scratch_mb=_SCRATCH_MB,
        ),
        log=folder / "log.txt",
        isolated=True,
        # Databases and package managers need file locks. Candidates do not share these files.
        locks=True,
    )


def _keep_log(log: Path) -> None:
    """Rename the log of the last start."""
    if log.exists():
        number = next(number for number in count(1) if not log.with_suffix(f".{number}.txt").exists())
        log.rename(log.with_suffix(f".{number}.txt"))


def lay_out(workspace: AgentWorkspace, session: Session, left: Left) -> None:
    """Create the files that both programs and people get."""
    _lay_out_work(workspace, session)
    _write_tools(workspace.folder / "tools", workspace.python)
    _write_info(workspace.folder / "info", session.brief, left)


def _lay_out_work(workspace: AgentWorkspace, session: Session) -> None:
    """Copy the repository at the run's last step, unless an interrupted run left a copy."""
    work = workspace.folder / "work"
    if work.exists():
        return
    with scratch_beside(work) as scratch:
        created = scratch / "work"
        trees.lay_out(workspace.codebase, session.code_of(len(session.history) - 1), workspace.editable, created)
        replace_folder(created, work)


def _write_tools(folder: Path, python: TaskPython) -> None:
    folder.mkdir(exist_ok=True)
    executable = shlex.quote(str(python.executable))
    for name, command in {
        "fml": f'{executable} -I "$FML_LAB/inside/fml.py" "$@"',
        "python": f'{executable} "$@"',
        "python3": f'{executable} "$@"',
    }.items():
        (folder / name).write_text(f"#!/bin/sh\nexec {command}\n", "utf-8")
        (folder / name).chmod(0o755)


def _write_info(folder: Path, brief: Brief, left: Left) -> None:
    folder.mkdir(exist_ok=True)
    prompt = PROMPT.format(
        budget=_budget(left),
        usage=_usage_of_fml(),
        lab=f"/{LAB}" if brief.sealed else "$FML_LAB",
        network="There is no network." if brief.sealed else "This run has no sandbox; do not use the network.",
        brief=brief_page(brief, _LISTED_BYTES),
    )
    (folder / "brief.md").write_text(brief_page(brief), "utf-8")
    (folder / "brief.json").write_text(brief.model_dump_json(indent=2), "utf-8")
    (folder / "prompt.md").write_text(prompt, "utf-8")


def _budget(left: Left) -> str:
    """All limits of the run, so that the agent can plan."""
    limits = (f"Scored steps: {left.steps}", f"minutes: {left.hours * 60:.0f}", *caps_of(left.caps))
    return f"{'; '.join(limits)}."


def _usage_of_fml() -> str:
    """The list of commands from the docstring of fml.py, so that both always agree."""
    text = (inside() / "fml.py").read_text("utf-8")
    return text.split('"""')[1].split("\n\n")[1] + "\n"


def inside() -> Path:
    """The folder of our programs that run inside an agent's sandbox."""
    return Path(str(resources.files("fmlbench.agents.program") / "inside"))
