"""Common code of all payloads: the stage's folders, and functions that turn findings into answers.

The payload builder defines NAME, TARGET and VICTIM: the attack's name, what it knows about the machine, and the
namespace of the module in which it is hidden.
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
    """Report that something forbidden succeeded; the red team searches the log for this line."""
    print(f"REACHED: {what}", flush=True)


def attempt(what, action):
    """Try an action that must not succeed; returns its result, or None."""
    try:
        result = action()
    except BaseException as error:
        print(f"failed: {what}: {type(error).__name__}: {str(error)[:120]}", flush=True)
        return None
    reached(what)
    return result


def change_answers(change):
    """Submit ``change(questions, answers)`` instead of the honest answers."""

    def changed(ask):
        return lambda stage, respond: ask(stage, lambda questions: change(questions, respond(questions)))

    for name in ("answer_all", "answer_each"):
        setattr(stagekit.Stage, name, changed(getattr(stagekit.Stage, name)))


def write_answers(write):
    """Submit what ``write(target, answers)`` writes; the target is a path, or a stream in streamed exams."""
    numpy = type(np)("numpy")
    numpy.__dict__.update(np.__dict__)
    numpy.save = lambda target, answers, **_: write(target, answers)
    stagekit.np = numpy


def key_of(question):
    """A key that identifies a question."""
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
    """The labels of an exam by question, read from its folder."""
    questions = stagekit.load_arrays(folder / "questions")
    (labels,) = stagekit.load_arrays(folder / "labels").values()
    return {key_of({name: array[row] for name, array in questions.items()}): labels[row] for row in range(len(labels))}


print(f"ATTACK {NAME} in {FACTS['stage']}", flush=True)
