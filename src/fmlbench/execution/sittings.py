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
from typing import BinaryIO

import numpy as np

from fmlbench.core.task import AnswerKind, Answers
from fmlbench.execution.collecting import Array, BadHandIn, Expected, NotHandedIn, read_handed_in
from fmlbench.execution.sandbox import Ending, Execution, Job, Mount, Sandbox

_LENGTH_BYTES = 8

MakeJob = Callable[[Sequence[Mount], tuple[int, int] | None], Job]
"""Builds the exam's job from the sitting's own mounts and, for exams that ask one by one, the pipe's two ends."""


@dataclass(frozen=True)
class Sitting:
    """What one sitting gave: answers in the order of ``order``, or the reason why there are none."""

    execution: Execution
    order: Array
    answers: Array | None
    problem: str = ""
    is_hostile: bool = False


def sit(sandbox: Sandbox, questions: Path, order: Array, answers: Answers, folder: Path, job: MakeJob) -> Sitting:
    """Ask the questions with these numbers, in this order, in a fresh process; ``folder`` is the sitting's own."""
    folder.mkdir(parents=True)
    out = folder / "out"
    out.mkdir()
    if answers.kind is AnswerKind.PER_EPISODE:
        return _sit_one_by_one(sandbox, questions, order, answers, out, job)
    return _sit_at_once(sandbox, questions, order, answers, folder, job)


def read_questions(folder: Path) -> dict[str, Array]:
    """The arrays of an exam, by name, mapped into memory rather than read; question i is row i of all of them."""
    return {path.stem: np.load(path, mmap_mode="r", allow_pickle=False) for path in sorted(folder.glob("*.npy"))}


def _sit_at_once(
    sandbox: Sandbox, questions: Path, order: Array, answers: Answers, folder: Path, job: MakeJob
) -> Sitting:
    paper, out = folder / "questions", folder / "out"
    paper.mkdir()
    for name, array in read_questions(questions).items():
        np.save(paper / f"{name}.npy", array[order], allow_pickle=False)
    execution = sandbox.run(job((Mount(paper, "questions"), Mount(out, "out", writable=True)), None))
    if execution.ending is not Ending.OK:
        return Sitting(execution, order, None)
    expected = Expected(answers, len(order))
    try:
        given = expected.parse(read_handed_in(out, "answers.npy", expected.max_bytes))
    except NotHandedIn as error:
        return Sitting(execution, order, None, str(error))
    except BadHandIn as error:
        return Sitting(execution, order, None, error.reason, error.is_hostile)
    return Sitting(execution, order, given)


def _sit_one_by_one(
    sandbox: Sandbox, questions: Path, order: Array, answers: Answers, out: Path, job: MakeJob
) -> Sitting:
    question_end, ask_end = os.pipe()
    listen_end, answer_end = os.pipe()
    asker = _Asker(read_questions(questions), order, Expected(answers, None), ask_end, listen_end)
    asker.start()
    try:
        execution = sandbox.run(job((Mount(out, "out", writable=True),), (question_end, answer_end)))
    finally:
        # Only now: with our copies of its ends closed, an asker that still waits for a dead candidate wakes up.
        os.close(question_end)
        os.close(answer_end)
        asker.join()
    if execution.ending is not Ending.OK:
        return Sitting(execution, order, None)
    if asker.problem:
        return Sitting(execution, order, None, asker.problem, asker.is_hostile)
    return Sitting(execution, order, np.stack(asker.answers))


class _Asker(threading.Thread):
    """Asks one question after the other through a pair of pipes; believes nothing that comes back."""

    def __init__(
        self, arrays: dict[str, Array], order: Array, expected: Expected, ask_end: int, listen_end: int
    ) -> None:
        super().__init__(name="asker", daemon=True)
        self.answers: list[Array] = []
        self.problem = ""
        self.is_hostile = False
        self._arrays = arrays
        self._order = order
        self._expected = expected
        self._ends = (ask_end, listen_end)

    def run(self) -> None:
        with os.fdopen(self._ends[0], "wb", buffering=0) as ask, os.fdopen(self._ends[1], "rb") as listen:
            try:
                for number in self._order:
                    _send(ask, _question(self._arrays, int(number)))
                    self.answers.append(self._expected.parse(_receive(listen, self._expected.max_bytes)))
                _send(ask, b"")
            except BadHandIn as error:
                self.problem, self.is_hostile = error.reason, error.is_hostile
            except (BrokenPipeError, EOFError):
                self.problem = f"answered {len(self.answers)} of {len(self._order)} questions"


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
        raise BadHandIn(f"an answer has {length} bytes; {max_bytes} are allowed")
    payload = stream.read(length)
    if len(payload) < length:
        raise EOFError
    return payload


def in_order(sitting: Sitting) -> Sitting:
    """The same sitting with its answers in the order of the questions' numbers."""
    if sitting.answers is None:
        return sitting
    return replace(sitting, order=np.sort(sitting.order), answers=sitting.answers[np.argsort(sitting.order)])
