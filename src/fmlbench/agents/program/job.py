"""The sandbox of a program that is an agent: its files, and the job that runs it.

RUN/agent/
  work/       a copy of the repository, the program's to change; kept over interruptions
  home/       its home folder, fresh at every start
  tools/      fml, and the task's Python
  told/       the brief and the prompt
  desk/       the socket behind fml
  model/      the socket behind its model's address
  log.txt     what it printed since it was last started; before that: log.1.txt, log.2.txt and so on
"""

import json
import os
import shlex
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import count
from pathlib import Path

from fmlbench.agents.brief_page import brief_page
from fmlbench.agents.context import AgentWorkspace
from fmlbench.agents.program.program import Program
from fmlbench.agents.program.text import caps_of
from fmlbench.core.agents import Session
from fmlbench.core.brief import Brief
from fmlbench.core.task import Limits
from fmlbench.models.metering import Caps
from fmlbench.models.proxy.access import ModelAccess
from fmlbench.sandbox.protocol import Job, Mount, TaskPython
from fmlbench.workspace import trees
from fmlbench.workspace.files import remove_folder, replace_folder, scratch_beside

PROMPT = """\
You are a machine-learning researcher. The current folder holds the repository of a research codebase; improve its
method on the task below. {budget} The program `fml` is your only way to a score:

{usage}
Work in small steps: change the code, `fml submit -m "the idea in one sentence"`, look at the score, and go on from the
best step (`fml checkout STEP` brings its files back). Only validation scores are shown. When you stop, the best step is
tested on questions that nobody has seen. Visible training data lies in {lab}/data, the program that runs your code in
{lab}/task. `python` has what the task needs. {network}

{brief}"""

LAB = "lab"
"""The folder of the sandbox that all of it lies in, so that it covers no folder of this machine."""

_LISTED_BYTES = 60_000
"""Of the names of files in a prompt: programs are given theirs as a word of a command line, which may have 128 kB."""

_MEMORY_MB, _DISK_MB, _FILES, _PROCESSES, _SCRATCH_MB = 8192, 8192, 200_000, 1024, 2048


@dataclass(frozen=True)
class Left:
    """What is left of a run's budget when its agent starts."""

    hours: float
    steps: int
    caps: Caps = field(default_factory=Caps)


def build_job(
    program: Program, workspace: AgentWorkspace, session: Session, left: Left, model: ModelAccess | None = None
) -> Job:
    """Lay out what the program finds, and the job that runs it."""
    folder = workspace.folder
    lay_out(workspace, session, left)
    # What an earlier life left there is the program's: nothing is ever written where that may have put a link.
    remove_folder(folder / "home")
    (folder / "home").mkdir()
    program.furnish(folder / "home")
    environment = {
        "HOME": "{lab}/home",
        "PATH": ":".join(("{lab}/tools", *program.path, "/usr/bin", "/bin")),
        "FML_LAB": "{lab}",
        "FML_PROMPT_FILE": "{lab}/told/prompt.md",
        "TERM": "dumb",
        **(model.told if model else {}),
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
                for name in ("tools", "told", "server", *(["model"] if model else []))
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
        # Databases and package managers need them. Candidates see none of them.
        locks=True,
    )


def _keep_log(log: Path) -> None:
    """Make place for another life's words."""
    if log.exists():
        number = next(number for number in count(1) if not log.with_suffix(f".{number}.txt").exists())
        log.rename(log.with_suffix(f".{number}.txt"))


def lay_out(workspace: AgentWorkspace, session: Session, left: Left) -> None:
    """Lay out what every agent of this kind finds, person or program."""
    _lay_out_work(workspace, session)
    _write_tools(workspace.folder / "tools", workspace.python)
    _write_told(workspace.folder / "told", session.brief, left)


def _lay_out_work(workspace: AgentWorkspace, session: Session) -> None:
    """A copy of the repository at the run's last step; one that an interruption left is gone on with."""
    work = workspace.folder / "work"
    if work.exists():
        return
    with scratch_beside(work) as scratch:
        made = scratch / "made"
        trees.lay_out(workspace.codebase, session.code_of(len(session.history) - 1), workspace.editable, made)
        replace_folder(made, work)


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


def _write_told(folder: Path, brief: Brief, left: Left) -> None:
    folder.mkdir(exist_ok=True)
    prompt = PROMPT.format(
        budget=_budget(left),
        usage=_usage_of_fml(),
        lab=f"/{LAB}" if brief.sealed else "$FML_LAB",
        network="There is no network." if brief.sealed else "This run is not sealed: use no network all the same.",
        brief=brief_page(brief, _LISTED_BYTES),
    )
    (folder / "brief.md").write_text(brief_page(brief), "utf-8")
    (folder / "brief.json").write_text(brief.model_dump_json(indent=2), "utf-8")
    (folder / "prompt.md").write_text(prompt, "utf-8")


def _budget(left: Left) -> str:
    """All that ends the work, so that an agent can plan it."""
    limits = (f"Scored steps: {left.steps}", f"minutes: {left.hours * 60:.0f}", *caps_of(left.caps))
    return f"{'; '.join(limits)}."


def _usage_of_fml() -> str:
    """The list of commands in the tool's own docstring, so that both always say the same."""
    text = (inside() / "fml.py").read_text("utf-8")
    return text.split('"""')[1].split("\n\n")[1] + "\n"


def inside() -> Path:
    """The programs of ours that run beside an agent."""
    return Path(str(resources.files("fmlbench.agents.program") / "inside"))
