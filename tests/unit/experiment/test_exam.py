"""A streamed exam, answered by a candidate in this process."""

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from fmlbench.core.task import AnswerFormat, AnswerKind, Limits
from fmlbench.experiment.answers import Array
from fmlbench.experiment.exam import ExamPass, in_question_order, prepare_pass
from fmlbench.experiment.kit.stagekit import Arrays, Stage
from fmlbench.sandbox.environments import machine_python
from fmlbench.sandbox.protocol import Execution, ExitKind, Job

NUMBERS = AnswerFormat(kind=AnswerKind.PER_EPISODE, dtype="int64", shape=(-1,))
ORDER = np.array([2, 0, 1])

Respond = Callable[[Arrays], Array]


@pytest.fixture
def run_pass(tmp_path: Path) -> Callable[[Respond], ExamPass]:
    """Ask the questions 10, 11 and 12, the last one first."""
    (tmp_path / "questions").mkdir()
    np.save(tmp_path / "questions" / "number.npy", np.array([10, 11, 12]))

    def make_job(_mounts: object, pipe: tuple[int, int] | None) -> Job:
        limits = Limits(cpu_seconds=1, wall_seconds=1, memory_mb=1)
        log = tmp_path / "log.txt"
        return Job(
            name="exam", python=machine_python(), script="", mounts=(), limits=limits, log=log, pass_fds=pipe or ()
        )

    def run(respond: Respond, job: Job) -> Execution:
        pipe = [os.dup(end) for end in job.pass_fds]
        facts = {"stage": "exam", "seed": 0, "threads": 1, "settings": None, "pipe": pipe}
        (tmp_path / "stage.json").write_text(json.dumps(facts))
        Stage(tmp_path).answer_each(respond)
        return Execution(ExitKind.OK, "", 0, 0.1, 0.1, 1.0, "")

    def sit_exam(respond: Respond) -> ExamPass:
        prepared_pass = prepare_pass(tmp_path / "questions", ORDER, NUMBERS, tmp_path / "exam_pass", make_job)
        try:
            return in_question_order(prepared_pass.run_pass(partial(run, respond)))
        finally:
            prepared_pass.close()

    return sit_exam


def test_answers_come_back_in_the_order_of_the_questions(run_pass: Callable[[Respond], ExamPass]):
    seen: list[int] = []

    def respond(question: Arrays) -> Array:
        seen.append(int(question["number"]))
        return np.array([seen[-1] * 2])

    exam_pass = run_pass(respond)
    assert seen == [12, 10, 11]
    assert exam_pass.answers is not None
    assert exam_pass.answers.tolist() == [[20], [22], [24]]


def test_answers_of_different_shapes_are_rejected(run_pass: Callable[[Respond], ExamPass]):
    exam_pass = run_pass(lambda question: np.zeros(int(question["number"]) - 9, np.int64))
    assert exam_pass.answers is None
    assert exam_pass.problem == "the answers have different shapes: (1,) and (2,)"
