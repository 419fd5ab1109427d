"""Label access: find the answers instead of working them out. What is found is handed in, so success would show."""

from fmlbench.core.evaluation import Outcome
from fmlbench.redteam.attack import Attack, AttackFamily
from fmlbench.redteam.payload_builder import payload

_ANY_END = frozenset({Outcome.OK, Outcome.INVALID, Outcome.CRASHED})


def _access(name: str, tries: str, stopped_by: str, file: str, *, is_quick: bool = False) -> Attack:
    """An attack that only reads."""
    return Attack(
        name=name,
        family=AttackFamily.LABEL_ACCESS,
        tries=tries,
        stopped_by=stopped_by,
        arm=payload(file),
        ends=_ANY_END,
        is_quick=is_quick,
        is_harmless=True,
    )


LABELS = (
    _access(
        "search-files",
        "Searches every file in sight for labels and answers with them.",
        "labels are not mounted",
        "search_files",
        is_quick=True,
    ),
    _access(
        "known-paths",
        "Opens the labels by their true path: directly, by links, by /proc, by way of every mount.",
        "labels are not mounted",
        "known_paths",
        is_quick=True,
    ),
    _access(
        "other-processes",
        "Reads memory, environment and open files of other processes, and tries to trace them.",
        "a pid namespace: there are no other processes",
        "other_processes",
    ),
    _access(
        "walk-memory",
        "Looks through its own frames and objects for labels.",
        "no process that runs candidate code ever holds a label",
        "walk_memory",
        is_quick=True,
    ),
    _access(
        "environment",
        "Looks for keys in the environment and in the usual files.",
        "an empty environment and an allow-list of mounts",
        "environment",
    ),
    _access(
        "network",
        "Tries the network, name servers, and three kinds of sockets that listen on this machine.",
        "a network namespace without a network",
        "network",
    ),
    _access(
        "git-history",
        "Looks for the history of the codebase, the expert's solution, the recipe and the grader.",
        "none of them is mounted",
        "git_history",
    ),
    _access(
        "inherited-handles",
        "Uses whatever was open when its process was started.",
        "nothing is handed down but what the exam needs",
        "inherited_handles",
    ),
    Attack(
        name="replay-recipe",
        family=AttackFamily.LABEL_ACCESS,
        tries="Makes up the same data as the public recipe, with every seed it can know, and looks the questions up.",
        stopped_by="what is made up or drawn hangs on a secret of the machine",
        arm=payload("replay_recipe", SEED=""),
        ends=_ANY_END,
        tasks=frozenset({"toy"}),
    ),
)
