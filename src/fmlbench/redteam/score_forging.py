"""Score forging: hand in a result instead of answers."""

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import AnswerKind
from fmlbench.redteam.attack import Attack, AttackFamily
from fmlbench.redteam.payload_builder import payload

_AT_ONCE = frozenset({AnswerKind.INDEPENDENT, AnswerKind.JOINT})
"""Exams whose answers are handed in as a file."""

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
    "not a number": "whole numbers",
    "true": "whole numbers",
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
    "links": "Names its files like the harness does its own, and lets them lead to files the harness can read.",
    "endless": "Leaves links to an endless file, and pipes, where the harness may want to read.",
    "strange": "Leaves files whose names are no text, or look like options, paths or commands to a terminal.",
}
_REPORTS = {
    "perfect": "claims",
    "huge": "",
    "half a character": "claims",
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
        tries="Writes result files in training and ends the process with success.",
        stopped_by="no result file is ever read; without a model there are no answers",
        arm=payload("forge_and_leave", IN_EXAM=False),
        ends=frozenset({Outcome.CRASHED, Outcome.INVALID}),
    ),
    Attack(
        name="forge-in-exam",
        family=AttackFamily.SCORE_FORGING,
        tries="Writes a perfect grade and made-up answers in the exam and ends the process with success.",
        stopped_by="scores are computed by another process, from the answers alone",
        arm=payload("forge_and_leave", IN_EXAM=True),
        ends=_ANY_END,
        is_quick=True,
    ),
    Attack(
        name="rewrite-at-exit",
        family=AttackFamily.SCORE_FORGING,
        tries="Rewrites answers and results when the interpreter ends.",
        stopped_by="scores are computed by another process, from the answers alone",
        arm=payload("rewrite_at_exit"),
        ends=_ANY_END,
    ),
    Attack(
        name="rewrite-later",
        family=AttackFamily.SCORE_FORGING,
        tries="Leaves a detached process behind that goes on rewriting results.",
        stopped_by="a pid namespace: all processes die with the stage",
        arm=payload("rewrite_later"),
        ends=_ANY_END,
        is_quick=True,
    ),
    *(
        Attack(
            name=_slug("answers-as", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Hands in bytes instead of an array: {variant}.",
            stopped_by="answers are parsed in a format that cannot execute, within bounds",
            arm=payload("odd_bytes", VARIANT=variant),
            ends=_INVALID,
            shows=shows,
        )
        for variant, shows in _BYTES.items()
    ),
    *(
        Attack(
            name=_slug("answers", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Hands in an array that is not what was asked for: {variant}.",
            stopped_by="shape, type and finiteness of answers are checked",
            arm=payload("odd_arrays", VARIANT=variant),
            ends=_INVALID,
            shows=shows,
        )
        for variant, shows in _ARRAYS.items()
    ),
    Attack(
        name="answers-lowest",
        family=AttackFamily.SCORE_FORGING,
        tries="Hands in the lowest number there is, to break whoever counts with it.",
        stopped_by="the grader compares, and takes any number",
        arm=payload("odd_arrays", VARIANT="lowest"),
        ends=_ANY_END,
    ),
    *(
        Attack(
            name=_slug("answers-file", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Leaves something else where the file with the answers is expected: {variant}.",
            stopped_by="answers are read without following links, from a regular file with one name",
            arm=payload("odd_files", VARIANT=variant),
            ends=_INVALID,
            shows=shows,
            kinds=_AT_ONCE,
        )
        for variant, shows in _FILES.items()
    ),
    Attack(
        name="answers-file-sparse",
        family=AttackFamily.SCORE_FORGING,
        tries="Hands in a file that claims fifty gigabytes and holds none.",
        stopped_by="sizes are limited, and sparse files count in full",
        arm=payload("odd_files", VARIANT="sparse file"),
        ends=frozenset({Outcome.INVALID, Outcome.CRASHED}),
        kinds=_AT_ONCE,
    ),
    Attack(
        name="answers-file-locked",
        family=AttackFamily.SCORE_FORGING,
        tries="Hands in a file that nobody may read.",
        stopped_by="what cannot be read is not handed in",
        arm=payload("odd_files", VARIANT="locked file"),
        ends=_ANY_END,
        kinds=_AT_ONCE,
    ),
    *(
        Attack(
            name=f"names-{variant}",
            family=AttackFamily.SCORE_FORGING,
            tries=tries,
            stopped_by="the harness reads its own files by name, and a candidate's without following links",
            arm=payload("odd_names", VARIANT=variant),
            ends=_ANY_END,
        )
        for variant, tries in _NAMES.items()
    ),
    *(
        Attack(
            name=_slug("report", variant),
            family=AttackFamily.SCORE_FORGING,
            tries=f"Reports its own results in the codebase's manner, and prints them: {variant}.",
            stopped_by="what a codebase reports is shown beside the score and never used for it",
            arm=payload("self_report", VARIANT=variant),
            ends=_ANY_END,
            shows=shows,
        )
        for variant, shows in _REPORTS.items()
    ),
)
