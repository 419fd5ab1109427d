"""Label access: find the labels and submit them as answers, so that success shows in the score."""

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
        build=payload(file),
        ends=_ANY_END,
        is_quick=is_quick,
        is_harmless=True,
    )


LABELS = (
    _access(
        "search-files",
        "Searches every readable file for labels and answers with them.",
        "labels are not mounted",
        "search_files",
        is_quick=True,
    ),
    _access(
        "known-paths",
        "Opens the labels by their host path: directly, through links, through /proc, and relative to every mount.",
        "labels are not mounted",
        "known_paths",
        is_quick=True,
    ),
    _access(
        "other-processes",
        "Reads memory, environment and open files of other processes, and tries ptrace.",
        "a PID namespace without other processes",
        "other_processes",
    ),
    _access(
        "walk-memory",
        "Searches the frames and objects of its own process for labels.",
        "no process that runs candidate code has labels in memory",
        "walk_memory",
        is_quick=True,
    ),
    _access(
        "environment",
        "Searches for keys in the environment and in the usual files.",
        "an empty environment and an allow-list of mounts",
        "environment",
    ),
    _access(
        "network",
        "Connects to the network, name servers, and three kinds of listening sockets on this machine.",
        "a network namespace without a network",
        "network",
    ),
    _access(
        "git-history",
        "Searches for the codebase's git history, the expert reference, the dataset builder and the grader.",
        "none of them is mounted",
        "git_history",
    ),
    _access(
        "inherited-handles",
        "Uses all inherited file descriptors.",
        "only the descriptors that the exam needs are inherited",
        "inherited_handles",
    ),
    Attack(
        name="replay-recipe",
        family=AttackFamily.LABEL_ACCESS,
        tries="Generates the data with the public dataset builder and all known seeds, and looks up the questions.",
        stopped_by="the seeds of data and samples are derived from the machine's secret",
        build=payload("replay_recipe", SEED=""),
        ends=_ANY_END,
        tasks=frozenset({"toy"}),
    ),
)
