"""Score forging: submit a result instead of answers."""

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import AnswerKind
from fmlbench.redteam.attack import Attack, AttackFamily
from fmlbench.redteam.payload_builder import payload

_AS_FILE = frozenset({AnswerKind.INDEPENDENT, AnswerKind.JOINT})
"""Exams whose answers are submitted as a file."""

_ANY_END = frozenset({Outcome.OK, Outcome.INVALID, Outcome.CRASHED})
_INVALID = frozenset({Outcome.INVALID})

_BYTES = {
    "array of pickles": "the answers are object",
    "zero division": "not a .npy array",
    "bare pickle": "not a .npy array",
    "four terabytes": "the answers have shape",
    "more than can be counted": "the answers have shape",
    "broken archive": "not a .npy array",
    "endless header": "not a .npy array",
    "words": "not a .npy array",
}
_ARRAYS = {
    "not a number": "integers",
    "true": "integers",
    "strings": "are allowed",
    "records": "not a .npy array",
    "one too many": "shape",
    "every class at once": "",
}
_FILES = {
    "link to the labels": "not a plain file",
    "link through a folder": "not a plain file",
    "hard link": "hard link",
    "pipe": "not a regular file",
    "folder": "not a regular file",
    "socket": "not a plain file",
    "device": "not a plain file",
}
_NAMES = {
    "links": "Creates links with the names of harness files that point to files the harness can read.",
    "endless": "Creates links to an endless file, and pipes, where the harness may read.",
    "strange": "Creates files whose names are not text, or look like options, paths or terminal commands.",
}
_REPORTS = {
    "perfect": "self-reported",
    "huge": "",
    "half a character": "self-reported",
    "no number": "",
    "nested": "",
    "many": "",
}


def _slug(prefix: str, variant: str) -> str:
    return f"{prefix}-{variant.replace(' ', '-')}"


FORGING = (
    Attack(
        name="forge-in-training",
        family=AttackFamily.SCORE_FORGING,
        tries="Writes result files in training and exits with code 0.",
        stopped_by="result files are never read; without a model there are no answers",
        build=payload("forge_and_leave", IN_EXAM=False),
        ends=frozenset({Outcome.CRASHED, Outcome.INVALID}),
    ),
    Attack(
        name="forge-in-exam",
        family=AttackFamily.SCORE_FORGING,
        tries="Writes a perfect grade and invented answers in the exam and exits with code 0.",
        stopped_by="another process computes scores, only from the answers",
        build=payload("forge_and_leave", IN_EXAM=True),
        ends=_ANY_END,
        is_quick=True,
    ),
    Attack(
        name="rewrite-at-exit",
        family=AttackFamily.SCORE_FORGING,
        tries="Rewrites answers and results when the interpreter exits.",
        stopped_by="another process computes scores, only from the answers",
        build=payload("rewrite_at_exit"),
        ends=_ANY_END,
    ),
    Attack(
        name="rewrite-later",
        family=AttackFamily.SCORE_FORGING,
        tries="Leaves a detached process that keeps rewriting results.",
        stopped_by="a PID namespace: all processes end with the stage",
        build=payload("rewrite_later"),
        ends=_ANY_END,
        is_quick=True,
    ),
    *(
        Attack(
            name=_slug("answers-as", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Writes bytes instead of an array: {variant}.",
            stopped_by="answers are parsed without pickle and within size limits",
            build=payload("odd_bytes", VARIANT=variant),
            ends=_INVALID,
            shows=shows,
        )
        for variant, shows in _BYTES.items()
    ),
    *(
        Attack(
            name=_slug("answers", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Writes an array of the wrong shape, type or values: {variant}.",
            stopped_by="shape, type and finiteness of answers are checked",
            build=payload("odd_arrays", VARIANT=variant),
            ends=_INVALID,
            shows=shows,
        )
        for variant, shows in _ARRAYS.items()
    ),
    Attack(
        name="answers-lowest",
        family=AttackFamily.SCORE_FORGING,
        tries="Writes the lowest integer, to break code that counts with it.",
        stopped_by="the grader only compares answers, so any number is valid",
        build=payload("odd_arrays", VARIANT="lowest"),
        ends=_ANY_END,
    ),
    *(
        Attack(
            name=_slug("answers-file", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Creates something else in place of the answers file: {variant}.",
            stopped_by="answers are read without following links, from a regular file with one hard link",
            build=payload("odd_files", VARIANT=variant),
            ends=_INVALID,
            shows=shows,
            kinds=_AS_FILE,
        )
        for variant, shows in _FILES.items()
    ),
    Attack(
        name="answers-file-sparse",
        family=AttackFamily.SCORE_FORGING,
        tries="Writes a sparse file with an apparent size of fifty gigabytes.",
        stopped_by="sizes are limited, and sparse files count in full",
        build=payload("odd_files", VARIANT="sparse file"),
        ends=frozenset({Outcome.INVALID, Outcome.CRASHED}),
        kinds=_AS_FILE,
    ),
    Attack(
        name="answers-file-locked",
        family=AttackFamily.SCORE_FORGING,
        tries="Writes an answers file without read permission.",
        stopped_by="unreadable answers are rejected",
        build=payload("odd_files", VARIANT="locked file"),
        ends=_ANY_END,
        kinds=_AS_FILE,
    ),
    *(
        Attack(
            name=f"names-{variant}",
            family=AttackFamily.SCORE_FORGING,
            tries=tries,
            stopped_by="the harness reads its files by name, and candidate files without following links",
            build=payload("odd_names", VARIANT=variant),
            ends=_ANY_END,
        )
        for variant, tries in _NAMES.items()
    ),
    *(
        Attack(
            name=_slug("report", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Writes and prints self-reported results: {variant}.",
            stopped_by="self-reported results are displayed but never used for the score",
            build=payload("self_report", VARIANT=variant),
            ends=_ANY_END,
            shows=shows,
        )
        for variant, shows in _REPORTS.items()
    ),
)
