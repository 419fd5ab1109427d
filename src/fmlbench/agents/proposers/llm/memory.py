"""What a model is told of earlier steps: the idea in its own words, the real diff, what came of it."""

import difflib
from collections.abc import Iterator, Mapping

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.quoting import head_of, mark_of, tail_of
from fmlbench.core.agents import Session
from fmlbench.core.steps import Step

_DIFF_BYTES = 3000
_TAIL_BYTES = 1200


Files = Mapping[str, str]


class Memory:
    """A session's steps, told."""

    def __init__(self, session: Session, kept: dict[str, Files]) -> None:
        self._session = session
        self._history = session.history
        self._kept = kept
        """Files by snapshot, from one step to the next: reading them takes a while, and they never change."""

    def code_of(self, index: int) -> Files:
        """The files after a step."""
        snapshot = self._history[index].snapshot
        if snapshot not in self._kept:
            self._kept[snapshot] = self._session.code_of(index)
        return self._kept[snapshot]

    def told(self, index: int) -> str:
        """A step with its change and the end of its output if it failed."""
        step = self._history[index]
        tail = "" if step.evaluation.is_ok else tail_of(step.evaluation.log_tail, _TAIL_BYTES)
        return self._entry(step, diff=self._diff(step), tail=tail)

    def told_briefly(self, index: int) -> str:
        """A step with its idea and its result alone."""
        return self._entry(self._history[index], diff="", tail="")

    def _entry(self, step: Step, *, diff: str, tail: str) -> str:
        return render(
            "step",
            step=step,
            parents=" and ".join(f"step {parent}" if parent else "the baseline" for parent in step.move.parents),
            result=_result(step),
            diff=diff,
            tail=tail,
            mark=mark_of(f"{step.idea}\n{step.evaluation.reason}\n{diff}\n{tail}"),
        )

    def _diff(self, step: Step) -> str:
        lines = "\n".join(_diff_lines(self.code_of(step.move.parents[0]), self.code_of(step.index)))
        shown = head_of(lines, _DIFF_BYTES)
        return shown if shown == lines else f"{shown}\n(the rest of the diff is not shown)"


def _diff_lines(before: Files, after: Files) -> Iterator[str]:
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, ""), after.get(path, "")
        if old != new:
            yield from difflib.unified_diff(old.splitlines(), new.splitlines(), path, path, lineterm="", n=1)


def _result(step: Step) -> str:
    return f"score {step.score:.4f}" if step.score is not None else str(step.evaluation.outcome)
