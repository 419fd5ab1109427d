"""Run an exam: send the questions in shuffled order, collect the answers, restore the original order.

An exam pass is one new process. In streamed exams, a question is sent only after the answer to the previous one, so an
answer cannot depend on later questions. The second pass detects dependence on earlier ones.
"""

import io
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from fmlbench.core.task import AnswerFormat, AnswerKind
from fmlbench.experiment.answers import AnswersMissing, Array, BadAnswers, ExpectedAnswers, read_untrusted_file
from fmlbench.sandbox.pipes import Pipe
from fmlbench.sandbox.protocol import Execution, ExitKind, Job, Mount, RunJob

_LENGTH_BYTES = 8

MakeJob = Callable[[Sequence[Mount], tuple[int, int] | None], Job]
"""Builds the exam's job from the mounts of the pass and, for streamed exams, the job's two pipe ends."""


@dataclass(frozen=True)
class ExamPass:
    """The result of one exam pass: answers in the order of ``order``, or the problem."""

    execution: Execution
    order: Array
    answers: Array | None
    problem: str = ""
    is_hostile: bool = False


class PreparedPass(Protocol):
    """An exam pass whose job is ready to run; no process has read a question yet."""

    job: Job

    def run_pass(self, run: RunJob) -> ExamPass:
        """Run the job and collect the answers."""
        ...

    def close(self) -> None:
        """Release the pipes, whether or not the pass has run."""
        ...


def prepare_pass(questions: Path, order: Array, answers: AnswerFormat, folder: Path, make_job: MakeJob) -> PreparedPass:
    """Prepare an exam pass with the questions of these indices, in this order; ``folder`` belongs to the pass."""
    (folder / "out").mkdir(parents=True)
    kind = _StreamedPass if answers.kind is AnswerKind.PER_EPISODE else _BatchPass
    return kind(read_questions(questions), order, answers, folder, make_job)


def read_questions(folder: Path) -> dict[str, Array]:
    """The memory-mapped arrays of an exam, by name; question i is row i of every array."""
    return {path.stem: np.load(path, mmap_mode="r", allow_pickle=False) for path in sorted(folder.glob("*.npy"))}


class _BatchPass:
    """All questions are in a folder, and all answers are collected at the end."""

    def __init__(
        self, arrays: dict[str, Array], order: Array, answers: AnswerFormat, folder: Path, make_job: MakeJob
    ) -> None:
        self._order = order
        self._expected = ExpectedAnswers(answers, len(order))
        self._out = folder / "out"
        questions = folder / "questions"
        questions.mkdir()
        for name, array in arrays.items():
            np.save(questions / f"{name}.npy", array[order], allow_pickle=False)
        self.job = make_job((Mount(questions, "questions"), Mount(self._out, "out", writable=True)), None)

    def run_pass(self, run: RunJob) -> ExamPass:
        execution = run(self.job)
        if execution.ending is not ExitKind.OK:
            return ExamPass(execution, self._order, None)
        try:
            content = read_untrusted_file(self._out, "answers.npy", self._expected.max_bytes)
            return ExamPass(execution, self._order, self._expected.parse(content))
        except AnswersMissing as error:
            return ExamPass(execution, self._order, None, str(error))
        except BadAnswers as error:
            return ExamPass(execution, self._order, None, error.reason, error.is_hostile)

    def close(self) -> None:
        pass


class _StreamedPass:
    """A question is sent only after the answer to the previous one."""

    def __init__(
        self, arrays: dict[str, Array], order: Array, answers: AnswerFormat, folder: Path, make_job: MakeJob
    ) -> None:
        self._order = order
        self._asked, self._answered = Pipe(), Pipe()
        self._asker = _Asker(arrays, order, ExpectedAnswers(answers, None), self._asked, self._answered)
        ends = (self._asked.reader, self._answered.writer)
        self.job = make_job((Mount(folder / "out", "out", writable=True),), ends)

    def run_pass(self, run: RunJob) -> ExamPass:
        self._asker.start()
        try:
            execution = run(self.job)
        finally:
            # Closing our copies of the candidate's ends wakes an asker that still waits for a dead candidate.
            self._asked.close_reader()
            self._answered.close_writer()
            self._asker.join()
        if execution.ending is not ExitKind.OK:
            return ExamPass(execution, self._order, None)
        if self._asker.problem:
            return ExamPass(execution, self._order, None, self._asker.problem, self._asker.is_hostile)
        shapes = sorted({answer.shape for answer in self._asker.answers})
        if len(shapes) > 1:
            return ExamPass(
                execution, self._order, None, f"the answers have different shapes: {shapes[0]} and {shapes[1]}"
            )
        return ExamPass(execution, self._order, np.stack(self._asker.answers))

    def close(self) -> None:
        self._asked.close()
        self._answered.close()


class _Asker(threading.Thread):
    """Sends questions one by one through a pipe and reads the untrusted answers from another."""

    def __init__(
        self, arrays: dict[str, Array], order: Array, expected: ExpectedAnswers, asked: Pipe, answered: Pipe
    ) -> None:
        super().__init__(name="asker", daemon=True)
        self.answers: list[Array] = []
        self.problem = ""
        self.is_hostile = False
        self._arrays = arrays
        self._order = order
        self._expected = expected
        self._asked = asked
        self._answered = answered

    def run(self) -> None:
        try:
            self._ask_all()
        except BadAnswers as error:
            self.problem, self.is_hostile = error.reason, error.is_hostile
        except (BrokenPipeError, EOFError):
            self.problem = f"answered {len(self.answers)} of {len(self._order)} questions"
        finally:
            # A candidate that still waits for a question reads end of file.
            self._asked.close_writer()
            self._answered.close_reader()

    def _ask_all(self) -> None:
        ask = os.fdopen(self._asked.writer, "wb", buffering=0, closefd=False)
        listen = os.fdopen(self._answered.reader, "rb", closefd=False)
        for number in self._order:
            _send(ask, _question(self._arrays, int(number)))
            self.answers.append(self._expected.parse(_receive(listen, self._expected.max_bytes)))
        _send(ask, b"")


def _question(arrays: dict[str, Array], number: int) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{name: array[number] for name, array in arrays.items()})
    return buffer.getvalue()


def _send(stream: io.RawIOBase | BinaryIO, payload: bytes) -> None:
    message = memoryview(len(payload).to_bytes(_LENGTH_BYTES, "big") + payload)
    while message:
        message = message[stream.write(message) or 0 :]


def _receive(stream: BinaryIO, max_bytes: int) -> bytes:
    header = stream.read(_LENGTH_BYTES)
    if len(header) < _LENGTH_BYTES:
        raise EOFError
    length = int.from_bytes(header, "big")
    if length > max_bytes:
        raise BadAnswers(f"an answer has {length} bytes; {max_bytes} are allowed")
    payload = stream.read(length)
    if len(payload) < length:
        raise EOFError
    return payload


def in_question_order(exam_pass: ExamPass) -> ExamPass:
    """The same exam pass with its answers sorted by question index."""
    if exam_pass.answers is None:
        return exam_pass
    return replace(exam_pass, order=np.sort(exam_pass.order), answers=exam_pass.answers[np.argsort(exam_pass.order)])
