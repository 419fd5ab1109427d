"""Library for task drivers: access to the stage's mounts, and functions to answer an exam.

It runs in the candidate's process and is only a convenience: scores do not depend on its integrity.

    ROOT/
      stage.json     stage, seed, threads, settings
      repo/          the candidate's tree, read-only, first on the import path
      task/          the task's experiment folder, read-only
      data/PART/     visible data, in training stages only
      questions/     unlabelled arrays with a common first axis, in batch exams
      carry/         written by training stages, read by exams
      out/           answers.npy, and native logs worth keeping
      scratch/       the working folder, deleted afterwards
"""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Arrays = dict[str, Array]

_LENGTH_BYTES = 8


class Stage:
    """The settings and folders of one stage."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        facts = json.loads((self.root / "stage.json").read_text("utf-8"))
        self.name: str = facts["stage"]
        self.seed: int = facts["seed"]
        self.threads: int = facts["threads"]
        self.settings: dict[str, Any] = facts["settings"]
        self._pipe: tuple[int, int] | None = tuple(facts["pipe"]) if facts.get("pipe") else None

    @property
    def carry(self) -> Path:
        """The only folder that passes from training to the exam."""
        return self.root / "carry"

    @property
    def out(self) -> Path:
        """The folder whose files are collected when the stage ends."""
        return self.root / "out"

    def data(self, part: str) -> Arrays:
        """Load the arrays of a visible part."""
        return load_arrays(self.root / "data" / part)

    def answer_all(self, respond: Callable[[Arrays], Array]) -> None:
        """Answer a batch exam: row i of the answers belongs to row i of the questions."""
        np.save(self.out / "answers.npy", respond(load_arrays(self.root / "questions")), allow_pickle=False)

    def answer_each(self, respond: Callable[[Arrays], Array]) -> None:
        """Answer a streamed exam, which sends the next question only after the answer to the last one."""
        if self._pipe is None:
            raise RuntimeError("this is a batch exam: use answer_all")
        with os.fdopen(self._pipe[0], "rb") as questions, os.fdopen(self._pipe[1], "wb") as answers:
            while payload := _receive(questions):
                with np.load(io.BytesIO(payload), allow_pickle=False) as question:
                    answer = respond({name: question[name] for name in question.files})
                buffer = io.BytesIO()
                np.save(buffer, answer, allow_pickle=False)
                _send(answers, buffer.getvalue())


def load_arrays(folder: Path) -> Arrays:
    """The .npy files of a folder by name, memory-mapped."""
    return {path.stem: np.load(path, mmap_mode="r", allow_pickle=False) for path in sorted(folder.glob("*.npy"))}


def _receive(stream: io.BufferedIOBase) -> bytes:
    length = int.from_bytes(stream.read(_LENGTH_BYTES), "big")
    return stream.read(length)


def _send(stream: io.BufferedIOBase, payload: bytes) -> None:
    stream.write(len(payload).to_bytes(_LENGTH_BYTES, "big") + payload)
    stream.flush()
