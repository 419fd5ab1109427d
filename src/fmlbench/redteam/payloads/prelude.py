"""What every payload starts from: where it runs, what it was told, and how findings become answers.

NAME, TARGET and VICTIM are defined by whoever armed the attack: its name, what it knows of the machine, and the
namespace of the module it hides in.
"""

import json
import sys
from pathlib import Path

import numpy as np
import stagekit

ROOT = Path(sys.argv[-1])
FACTS = json.loads((ROOT / "stage.json").read_text("utf-8"))
IS_EXAM = FACTS["stage"] == "exam"
OUT, CARRY, SCRATCH = ROOT / "out", ROOT / "carry", ROOT / "scratch"


def reached(what):
    """Tell that something was possible which must not be; the red team looks for this line."""
    print(f"REACHED: {what}", flush=True)


def attempt(what, deed):
    """Try a deed that must not succeed; returns what it gave, or None."""
    try:
        result = deed()
    except BaseException as error:
        print(f"failed: {what}: {type(error).__name__}: {str(error)[:120]}", flush=True)
        return None
    reached(what)
    return result


def change_answers(change):
    """Hand in ``change(questions, answers)`` instead of what the honest code answers."""

    def changed(ask):
        return lambda stage, respond: ask(stage, lambda questions: change(questions, respond(questions)))

    for name in ("answer_all", "answer_each"):
        setattr(stagekit.Stage, name, changed(getattr(stagekit.Stage, name)))


def write_answers(write):
    """Hand in what ``write(target, answers)`` writes: the target is a path, or a stream where questions come singly."""
    numpy = type(np)("numpy")
    numpy.__dict__.update(np.__dict__)
    numpy.save = lambda target, answers, **_: write(target, answers)
    stagekit.np = numpy


def key_of(question):
    """What tells a question from all others."""
    return tuple(np.ascontiguousarray(question[name]).tobytes() for name in sorted(question))


def look_up(answers_by_key):
    """Answer every known question with the known answer, and the others honestly."""

    def known(questions, answers):
        if key_of(questions) in answers_by_key:
            return answers_by_key[key_of(questions)]
        if len({len(array) for array in questions.values()} | {len(answers)}) > 1:
            return answers
        rows = ({name: array[row] for name, array in questions.items()} for row in range(len(answers)))
        return np.array([answers_by_key.get(key_of(row), answer) for row, answer in zip(rows, answers, strict=True)])

    change_answers(known)


def read_exam(folder):
    """The answers by question of an exam whose questions and labels lie in a folder."""
    questions = stagekit.load_arrays(folder / "questions")
    (labels,) = stagekit.load_arrays(folder / "labels").values()
    return {key_of({name: array[row] for name, array in questions.items()}): labels[row] for row in range(len(labels))}


print(f"ATTACK {NAME} in {FACTS['stage']}", flush=True)
