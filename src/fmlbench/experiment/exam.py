"""Let a candidate sit an exam: hand out questions in a shuffled order, collect the answers, put them in order again.

A sitting is one fresh process. Exams that ask one by one hand out a question only after the answer to the last, so an
answer can depend on nothing that comes later; what may come earlier is for the second sitting to find out.
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
"""Builds the exam's job from the sitting's own mounts and, for exams that ask one by one, the pipe's two ends."""


@dataclass(frozen=True)
class ExamPass:
    """What one sitting gave: answers in the order of ``order``, or the reason why there are none."""

    execution: Execution
    order: Array
    answers: Array | None
    problem: str = ""
    is_hostile: bool = False


class PreparedPass(Protocol):
    """A place in an exam, with all that its job needs; nobody has seen a question yet."""

    job: Job

    def run_pass(self, run: RunJob) -> ExamPass:
        """Have the job run and the questions answered."""
        ...

    def close(self) -> None:
        """Let go of what the seat holds, whether or not it was used."""
        ...


def prepare_pass(questions: Path, order: Array, answers: AnswerFormat, folder: Path, make_job: MakeJob) -> PreparedPass:
    """Make ready to ask the questions with these numbers, in this order; ``folder`` is the sitting's own."""
    (folder / "out").mkdir(parents=True)
    kind = _StreamedPass if answers.kind is AnswerKind.PER_EPISODE else _BatchPass
    return kind(read_questions(questions), order, answers, folder, make_job)


def read_questions(folder: Path) -> dict[str, Array]:
    """The arrays of an exam, by name, mapped into memory rather than read; question i is row i of all of them."""
    return {path.stem: np.load(path, mmap_mode="r", allow_pickle=False) for path in sorted(folder.glob("*.npy"))}


class _BatchPass:
    """All questions lie in a folder, and all answers are collected at the end."""

    def __init__(
        self, arrays: dict[str, Array], order: Array, answers: AnswerFormat, folder: Path, make_job: MakeJob
    ) -> None:
        self._order = order
        self._expected = ExpectedAnswers(answers, len(order))
        self._out = folder / "out"
        paper = folder / "questions"
        paper.mkdir()
        for name, array in arrays.items():
            np.save(paper / f"{name}.npy", array[order], allow_pickle=False)
        self.job = make_job((Mount(paper, "questions"), Mount(self._out, "out", writable=True)), None)

    def run_pass(self, run: RunJob) -> ExamPass:
        execution = run(self.job)
        if execution.ending is not ExitKind.OK:
            return ExamPass(execution, self._order, None)
        try:
            handed_in = read_untrusted_file(self._out, "answers.npy", self._expected.max_bytes)
            return ExamPass(execution, self._order, self._expected.parse(handed_in))
        except AnswersMissing as error:
            return ExamPass(execution, self._order, None, str(error))
        except BadAnswers as error:
            return ExamPass(execution, self._order, None, error.reason, error.is_hostile)

    def close(self) -> None:
        pass


class _StreamedPass:
    """A question is handed out only after the answer to the last one."""

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
            # Only now: with our copies of its ends closed, an asker that still waits for a dead candidate wakes up.
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
                execution, self._order, None, f"the answers have shape {shapes[0]} here and {shapes[1]} there"
            )
        return ExamPass(execution, self._order, np.stack(self._asker.answers))

    def close(self) -> None:
        self._asked.close()
        self._answered.close()


class _Asker(threading.Thread):
    """Asks one question after the other through a pair of pipes; believes nothing that comes back."""

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
            # A candidate that still waits for a question meets the end of the file.
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
    """The same sitting with its answers in the order of the questions' numbers."""
    if exam_pass.answers is None:
        return exam_pass
    return replace(exam_pass, order=np.sort(exam_pass.order), answers=exam_pass.answers[np.argsort(exam_pass.order)])
