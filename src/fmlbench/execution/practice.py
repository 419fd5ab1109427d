"""Practice: the same experiment on questions cut from the training pools, so that trying gives nothing away."""

import hashlib
from dataclasses import replace

from fmlbench.core.task import World
from fmlbench.execution.draws import Recipe
from fmlbench.execution.prepared import PreparedTask
from fmlbench.workspace.filing import exclusive, replace_folder, scratch_beside


def practice_of(prepared: PreparedTask) -> PreparedTask | None:
    """The task with pools of practice instead of its own, or None where it has none."""
    if prepared.task.lab:
        return replace(prepared, world=World.LAB)
    program = prepared.folder.practice
    if program is None:
        return None
    digest = hashlib.sha256(program.read_bytes()).hexdigest()[:8]
    pools = prepared.pools.with_name(f"{prepared.pools.name}-practice-{digest}")
    with exclusive(pools):
        if not pools.exists():
            recipe = Recipe(prepared.folder, prepared.track, prepared.python, prepared.sandbox)
            seed = prepared.secret.seed("practice", prepared.folder.digest)
            with scratch_beside(pools) as scratch:
                made = scratch / "practice"
                made.mkdir()
                mounts = {"pools": (prepared.pools, False), "practice": (made, True)}
                recipe.cook("practice", mounts, seed, scratch, program)
                replace_folder(made, pools)
    return replace(prepared, pools=pools, draws=prepared.draws.with_name(pools.name))
